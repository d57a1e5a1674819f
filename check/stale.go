package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
)

// FindStale returns a finding for each object that has stamps, of which stamping with the key would write others.
// Unlike FindUnstamped it expects no stamps of an object that has none. Of keyed digests that cannot be compared, or
// that may all be of another key, it returns one finding that says so.
func FindStale(r *pipeline.Result, key *hashing.Key) ([]diag.Finding, error) {
	var found []diag.Finding
	both, keyed := &stampedTwice{result: r, start: -1}, keyedStamps{hasKey: key != nil}
	err := eachTouched(r, func(d *manifest.Document, o manifest.Object, at diag.Position) {
		if !both.mayBeIn(textOf(d, o)) {
			return
		}
		before, now := both.of(d, o)
		keyed.compare(before, now)
		if message := before.compare(now, !r.Output.IsEdited()); message != "" {
			found = append(found, diag.New(diag.StampStale, o.String(), message).At(at))
		}
	})
	return append(found, keyed.findings(r)...), err
}

// stampedTwice has the stamps of a result's objects as they are, and as stamping makes them.
type stampedTwice struct {
	result *pipeline.Result
	after  map[string]stamps // of the objects in the document that begins at start
	start  int
}

// mayBeIn reports whether the text of an object may have stamps.
func (b *stampedTwice) mayBeIn(text []byte) bool {
	return b.result.Plan.Prefix.MayBeIn(text) || hashing.MayHoldVariables(text)
}

// of returns the stamps of an object in a document, before and after.
func (b *stampedTwice) of(d *manifest.Document, o manifest.Object) (before, after stamps) {
	prefix := b.result.Plan.Prefix
	if b.start != d.Start {
		b.start = d.Start
		b.after = stampsIn(b.result.Text.Part(d.Start, d.End), b.result.Output.Namespace, prefix)
	}
	before = stamps{}
	before.add(o.Node, "", prefix)
	return before, b.after[o.String()]
}

// stamps are the digests that an object has in annotations and variables of ours, by where these are.
type stamps map[string]string

// stampsIn returns the stamps of the objects of a text, by what they are called in a namespace.
func stampsIn(text []byte, namespace string, prefix hashing.Prefix) map[string]stamps {
	out := map[string]stamps{}
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil { // it is what stamping made of a text that could be read
			return out
		}
		for o := range d.Objects() {
			all := stamps{}
			all.add(o.Node, "", prefix)
			out[refs.PutIn(namespace, o).String()] = all
		}
	}
}

// add adds the stamps in a node. Items of lists are called by their names, because stamping may move them.
func (s stamps) add(n manifest.Node, path string, prefix hashing.Prefix) {
	switch {
	case n.IsMap():
		for k, v := range n.Entries() {
			if key := k.Field(); prefix.Has(key) && hashing.IsDigest(v.StringValue()) {
				s[path+"\x00"+key] = strings.Clone(v.StringValue())
			} else {
				s.add(v, path+"."+key, prefix)
			}
		}
	case n.IsSeq():
		for v := range n.Items() {
			name, value := v.Get("name").StringValue(), v.Get("value").StringValue()
			if hashing.IsVariable(name) && hashing.IsDigest(value) {
				s[path+"\x00"+name] = strings.Clone(value)
			} else {
				s.add(v, path+"."+name, prefix)
			}
		}
	}
}

// compare returns what is wrong with stamps where stamping would write those of after; "" where nothing is. That some
// are missing counts where all that is stamped is in the manifests.
func (s stamps) compare(after stamps, complete bool) string {
	var other, gone, missing []string
	what := "the content has"
	for _, at := range slices.Sorted(maps.Keys(s)) {
		switch now, stays := after[at]; {
		case !stays && !s.isRenamed(at, after):
			gone = append(gone, nameOf(at))
		case stays && now != s[at]:
			other = append(other, nameOf(at))
			if hashing.IsKeyed(s[at]) || hashing.IsKeyed(now) {
				what = "the content, the hash key or its domain has"
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(after)) {
		if s[at] == "" && !after.isRenamed(at, s) {
			missing = append(missing, nameOf(at))
		}
	}
	switch {
	case len(other) > 0:
		return what + " changed since it was stamped: " + strings.Join(slices.Compact(other), ", ")
	case len(gone) > 0:
		return "it has stamps that stamping takes out: " + strings.Join(slices.Compact(gone), ", ")
	case len(missing) > 0 && len(s) > 0 && complete:
		return "beside its stamps others are missing: " + strings.Join(slices.Compact(missing), ", ")
	}
	return ""
}

// differing returns where stamps are missing, too many or others than those of after.
func (s stamps) differing(after stamps) (out []string) {
	for at, value := range s {
		if now := after[at]; now != value && (now != "" || !s.isRenamed(at, after)) {
			out = append(out, at)
		}
	}
	for at := range after {
		if s[at] == "" && !after.isRenamed(at, s) {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// nameOf returns the annotation or variable that a stamp is in.
func nameOf(at string) string {
	_, name, _ := strings.Cut(at, "\x00")
	return name
}

// isRenamed reports whether a stamp is among others under a name that is alike but for the hash that kustomize's
// generators append: a function only knew the object without it.
func (s stamps) isRenamed(at string, others stamps) bool {
	for other, digest := range others {
		if digest == s[at] && isAlike(at, other) {
			return true
		}
	}
	return false
}

// isAlike reports whether the names of two stamps are the same but for such a hash.
func isAlike(at, other string) bool {
	base, _ := generated.Base(at)
	unhashed, _ := generated.Base(other)
	return base == other || unhashed == at
}
