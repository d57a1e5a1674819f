package stamp

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// Unstamp removes every stamp from a text, and what stamping made around them.
func Unstamp(ctx context.Context, text []byte, opts Options) ([]byte, error) {
	bare, err := Bare(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	return bare.Bytes(), nil
}

// Bare returns what Unstamp does, as edits of the text.
func Bare(ctx context.Context, text []byte, opts Options) (splice.Edited, error) {
	u := newUnstamper(text, opts)
	u.annotations = true
	return u.all(ctx, text)
}

// References returns edits of a text after which names, references and the variables of containers are those that they
// were before stamps. Annotations with digests, and earlier contents that are printed, stay.
func References(ctx context.Context, text []byte, opts Options) (splice.Edited, error) {
	return newUnstamper(text, opts).all(ctx, text)
}

func newUnstamper(text []byte, opts Options) *unstamper {
	prefix := prefixOf(opts.settings())
	return &unstamper{table: refs.NewTable(config.MaxLevel, opts.settings().Kinds.Value), prefix: prefix,
		claim: claimStamps(prefix), phantoms: mayHoldPhantoms(text)}
}

// all returns the edits of a text.
func (u *unstamper) all(ctx context.Context, text []byte) (splice.Edited, error) {
	positions := render.NewPlaces(text, nil)
	var err error
	if u.names, err = suffixedNames(text, u.prefix); err != nil {
		return splice.Edited{}, positions.Move(err)
	}
	var edits []splice.Edit
	var earlier []keptDocument
	r := manifest.NewReader(text)
	for {
		d, err := r.Next()
		if err != nil {
			return splice.Edited{}, positions.Move(err)
		}
		if err := ctx.Err(); err != nil {
			return splice.Edited{}, err
		}
		if d == nil {
			break
		}
		if kept := keptAlone(d); kept != nil {
			if u.annotations {
				earlier = append(earlier, *kept)
			}
			continue
		}
		out, stuck := u.edits(d)
		if stuck.Node.Valid() {
			if out, err = u.reencode(d); err != nil {
				return splice.Edited{}, positions.Move(err)
			}
		}
		edits = append(edits, out...)
	}
	edits = append(edits, cutDocuments(text, earlier)...)
	splice.Sort(edits)
	return splice.Edited{Text: text, Edits: edits}, nil
}

// keptAlone returns the earlier content that is all of a document, nil where it is something else.
func keptAlone(d *manifest.Document) *keptDocument {
	for o := range d.Objects() {
		if !o.Node.SameAs(d.Root()) || !IsEarlier(o) {
			break
		}
		return &keptDocument{start: d.Start, end: d.End, alone: true}
	}
	return nil
}

// unstamper is one Unstamp.
type unstamper struct {
	table  *refs.Table
	prefix hashing.Prefix
	claim  claim            // of stamps
	names  map[named]string // those that carry digests, with those that they had before

	annotations bool // those with digests go, too, and so do earlier contents

	phantoms bool // the text may have variables that were read from the phantom key
}

// suffixedNames returns the names in a text that carry digests, with those that they had before.
func suffixedNames(text []byte, prefix hashing.Prefix) (map[named]string, error) {
	if !prefix.MayBeIn(text) ||
		!bytes.Contains(text, []byte("ExternalSecret")) && !bytes.Contains(text, []byte(nameMark)) {
		return nil, nil
	}
	names := map[named]string{}
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return names, err
		}
		for o := range d.Objects() {
			if written, base := targetName(o, prefix); written != base {
				names[named{refs.Secret, written}] = base
			}
			if k := contentOf(o, ""); k.written != k.name && !IsEarlier(o) {
				names[named{k.kind, k.written}] = k.name
			}
		}
	}
}

// targetName returns the target's name of an ExternalSecret, as it is written and without a digest.
func targetName(o manifest.Object, prefix hashing.Prefix) (written, base string) {
	if objects.IsRenamed(o) {
		return "", ""
	}
	written = o.Node.At(target...).Get("name").StringValue()
	return written, withoutSuffix(o, written, prefix)
}

// edits returns what removes the stamps of a document, and an object with some that cannot be cut out of the text.
func (u *unstamper) edits(d *manifest.Document) (out []splice.Edit, stuck manifest.Object) {
	for o := range d.Objects() {
		add := func(edits []splice.Edit, ok bool) {
			out = append(out, edits...)
			if !ok {
				stuck = o
			}
		}
		for _, row := range u.table.Rows(o) {
			for _, t := range u.table.Find(o, row) {
				if u.annotations {
					add(u.removeStamps(t.Node, t.Annotations))
				}
				add(removeVariables(&t))
				if u.phantoms {
					add(restorePhantoms(&t))
				}
				add(u.restoreReferences(d.Text(), t.References))
			}
		}
		if u.annotations {
			add(u.removeStamps(o.Node, objects.Refresh(o)))
		}
		add(u.restoreTarget(d.Text(), o))
		add(u.restoreName(d.Text(), o))
	}
	return out, stuck
}

func (u *unstamper) removeStamps(n manifest.Node, path []string) (out []splice.Edit, ok bool) {
	if path == nil {
		return nil, true
	}
	slot, err := splice.Locate(n, path, u.claim)
	if err != nil {
		return nil, !hasStamp(n.At(path...), u.prefix)
	}
	return slot.Edits(nil, nil), true
}

// removeVariables returns what removes environment variables of ours.
func removeVariables(t *refs.Template) (out []splice.Edit, ok bool) {
	for _, c := range variablesIn(t) {
		edits, err := c.edits(nil)
		if err != nil {
			return nil, false
		}
		out = append(out, edits...)
	}
	return out, true
}

// restoreTarget writes the name that the Secret of an ExternalSecret had.
func (u *unstamper) restoreTarget(text []byte, o manifest.Object) (out []splice.Edit, ok bool) {
	written, base := targetName(o, u.prefix)
	if written == base {
		return nil, true
	}
	s := newSuffix(text, o, written, base, u.prefix)
	if s.slot, ok = s.locate(u.claim); !ok {
		return nil, false
	}
	return s.rename(base), true
}

// restoreName writes the name that a ConfigMap, Secret or SealedSecret had, and removes the annotations that belong to
// the other one.
func (u *unstamper) restoreName(text []byte, o manifest.Object) (out []splice.Edit, ok bool) {
	base := BaseName(o)
	if base == o.Name {
		return nil, true
	}
	edit, isWritten := splice.Word(text, o.Node.At("metadata", "name").Offset(), o.Name, base)
	slot, err := splice.Locate(o.Node, []string{"metadata", "annotations"}, claimMarks(o.Node, u.claim))
	if !isWritten || err != nil {
		return nil, false
	}
	return append(slot.Edits(nil, nil), edit), true
}

// restoreReferences writes the names that references had.
func (u *unstamper) restoreReferences(text []byte, references []refs.Reference) (out []splice.Edit, ok bool) {
	done := map[int]bool{}
	for _, ref := range references {
		base, known := u.names[named{ref.Kind, ref.Name}]
		if !known || done[ref.NameOffset] {
			continue
		}
		edit, isWritten := splice.Word(text, ref.NameOffset, ref.Name, base)
		if !isWritten {
			return nil, false
		}
		done[ref.NameOffset] = true
		out = append(out, edit)
	}
	return out, true
}

// reencode encodes a document again and removes the stamps from that.
func (u *unstamper) reencode(d *manifest.Document) ([]splice.Edit, error) {
	n, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, stuck := u.edits(n)
	if stuck.Node.Valid() {
		line := 1 + bytes.Count(d.Text()[:d.Start], []byte{'\n'})
		return nil, diag.Input(diag.Position{Line: line}, fmt.Errorf("take out the stamps of %s: one is no string", stuck),
			"")
	}
	splice.Sort(edits)
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(n.Text(), edits))}}, nil
}
