package stamp

import (
	"bytes"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/splice"
)

// suffixed returns the names in a text that carry digests, with those that they had before.
func suffixed(text []byte) (map[string]string, error) {
	if !bytes.Contains(text, []byte(hashing.Prefix)) || !bytes.Contains(text, []byte("ExternalSecret")) {
		return nil, nil
	}
	names := map[string]string{}
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return names, err
		}
		for o := range d.Objects() {
			if written, base := suffixOf(o); written != base {
				names[written] = base
			}
		}
	}
}

// suffixOf returns the target's name of an ExternalSecret, as it is written and without a digest.
func suffixOf(o manifest.Object) (written, base string) {
	written = o.Node.At(target...).Get("name").StringValue()
	return written, withoutSuffix(o, written)
}

// targetBack returns an ExternalSecret the name of its Secret back.
func targetBack(text []byte, o manifest.Object) (out []splice.Edit, ok bool) {
	written, base := suffixOf(o)
	if written == base {
		return nil, true
	}
	r := newRenaming(o, written, base)
	s, ok := r.locate()
	if !ok {
		return nil, false
	}
	return r.edits(text, s, base), true
}

// namesBack returns references the names that they had.
func namesBack(text []byte, references []refs.Reference, names map[string]string) (out []splice.Edit, ok bool) {
	done := map[int]bool{}
	for _, ref := range references {
		base, there := names[ref.Name]
		if !there || ref.Kind != refs.Secret || done[ref.NameOffset] {
			continue
		}
		r := renaming{current: ref.Name, places: []int{ref.NameOffset}}
		if !r.written(text, ref.NameOffset) {
			return nil, false
		}
		done[ref.NameOffset] = true
		out = append(out, r.namePlaces(text, base)...)
	}
	return out, true
}
