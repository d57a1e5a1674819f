// Package shape adds objects and references to a render before anything is read from it: objects that are printed in
// other namespaces, ConfigMaps and Secrets that workloads get, values in fields of custom resources, and the waves of
// workloads. What it adds carries a mark in the object itself, by which Remove takes it out.
package shape

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// Prefix begins the keys of the annotations that mark what was added.
const Prefix = redact.AddedPrefix

// The marks.
const (
	CopyMark    = Prefix + "copy-of"  // on a copy: Kind/namespace/name of what it is one of
	BindingMark = Prefix + "bindings" // on a workload: what its pod template got
	WaveMark    = Prefix + "wave"     // on a workload: the wave that it got
	FieldsMark  = redact.FieldsMark   // on a resource: the fields that got values
)

// IsMarked reports whether a text may have marks. It looks for the part of Prefix from its first dot on, because a
// search for what begins with a letter that is everywhere takes several times as long.
func IsMarked(text []byte) bool {
	first, rest, _ := strings.Cut(Prefix, ".")
	rest = "." + rest
	for {
		i := bytes.Index(text, []byte(rest))
		if i < 0 {
			return false
		}
		if bytes.HasSuffix(text[:i], []byte(first)) {
			return true
		}
		text = text[i+len(rest):]
	}
}

// Transforms returns what adds to a render by the settings, in their order; none where they add nothing. A render that
// has been through them already has to go through Remove first. A decrypter decrypts what is copied into fields, where
// that is permitted; nil for none.
func Transforms(s *config.Settings, decrypter sources.Decrypter) (out []render.Transform) {
	if rules := s.Replicate.Value; len(rules) > 0 {
		out = append(out, func(ctx context.Context, o *render.Output) (*render.Output, error) {
			return replicate(ctx, o, s)
		})
	}
	if s.HasCopies() {
		out = append(out, func(ctx context.Context, o *render.Output) (*render.Output, error) {
			return copyFields(ctx, o, s, decrypter)
		})
	}
	if rules := s.Bindings.Value; len(rules) > 0 {
		out = append(out, func(ctx context.Context, o *render.Output) (*render.Output, error) {
			return bind(ctx, o, s)
		})
	}
	if s.HasWaves() {
		out = append(out, func(ctx context.Context, o *render.Output) (*render.Output, error) {
			return withWaves(ctx, o, s)
		})
	}
	return out
}

// addition is what a text gets.
type addition struct {
	edits    []splice.Edit
	findings []diag.Finding // with lines of the text
	encoded  []diag.Finding // the same, about documents that the edits replace: these lines are gone afterwards
	hidden   []hiddenCopy
	bound    map[render.Bound]int
}

// hiddenCopy is a place that is hidden in what an edit inserts.
type hiddenCopy struct {
	edit, offset int // where an edit begins in the text, and the offset from there afterwards
	hidden       render.Hidden
}

// apply changes text and second render of an output by one function. What is found is reported of the text.
func apply(o *render.Output, change func(text []byte) (addition, error)) (*render.Output, error) {
	first, err := change(o.Text)
	if err != nil {
		return nil, err
	}
	var second addition
	if o.SecondRender != nil {
		if second, err = change(o.SecondRender); err != nil {
			return nil, err
		}
	}
	if len(first.findings)+len(first.encoded) > 0 {
		with, places := *o, render.NewPlaces(o.Text, o.Origins)
		for i, f := range first.encoded {
			first.encoded[i] = f.At(places.Line(f.Line))
		}
		with.Findings = slices.Concat(o.Findings, first.findings, first.encoded)
		o = &with
	}
	if len(first.bound) > 0 {
		with := *o
		with.Bound = first.bound
		o = &with
	}
	splice.Sort(first.edits)
	splice.Sort(second.edits)
	return o.Edit(first.edits, second.edits).WithHidden(first.hiddenAfter()), nil
}

// take adds what became of a document; nil is one that stays as it is. Where it was encoded again, that is reported.
func (a *addition) take(d *draft) {
	if d == nil {
		return
	}
	a.edits = append(a.edits, d.edits()...)
	if d.reencoded {
		a.encoded = append(a.encoded, d.finding())
	}
}

// hiddenAfter returns the places that are hidden in what was inserted, by where it is afterwards. The edits are sorted.
func (a *addition) hiddenAfter() (out []render.Hidden) {
	slices.SortStableFunc(a.hidden, func(x, y hiddenCopy) int { return cmp.Compare(x.edit, y.edit) })
	rest, moved := a.edits, 0
	for _, h := range a.hidden {
		for len(rest) > 0 && rest[0].Start < h.edit {
			moved += len(rest[0].Text) - (rest[0].End - rest[0].Start)
			rest = rest[1:]
		}
		one := h.hidden
		one.Offset = h.edit + moved + h.offset
		out = append(out, one)
	}
	return out
}

// lineAt returns the position of an offset in a text.
func lineAt(text []byte, offset int) diag.Position {
	return diag.Position{Line: 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))}
}

// claim owns the marks among annotations.
func claim(key string) splice.Claim {
	if strings.HasPrefix(key, Prefix) {
		return splice.Owned
	}
	return splice.Foreign
}
