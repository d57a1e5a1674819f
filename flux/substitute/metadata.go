package substitute

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// CommonMetadata returns what sets labels and annotations on all objects, in place where the text allows it.
func CommonMetadata(labels, annotations map[string]string) render.Transform {
	m := metadata{}
	for field, entries := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		if len(entries) > 0 {
			m[field] = toAny(entries)
		}
	}
	return func(ctx context.Context, out *render.Output) (*render.Output, error) {
		if len(m) == 0 {
			return out, nil
		}
		first, err := m.edits(ctx, out.Text)
		if err != nil {
			return nil, err
		}
		second, err := m.edits(ctx, out.SecondRender)
		if err != nil {
			return nil, err
		}
		return out.Edit(first, second), nil
	}
}

// metadata are the entries that objects get, by the field of metadata that these go to.
type metadata map[string]any

func toAny(entries map[string]string) map[string]any {
	out := make(map[string]any, len(entries))
	for key, value := range entries {
		out[key] = value
	}
	return out
}

func (m metadata) edits(ctx context.Context, text []byte) (all []splice.Edit, err error) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err == nil {
			err = ctx.Err()
		}
		if d == nil || err != nil {
			return all, err
		}
		edits, err := m.inDocument(d)
		if errors.Is(err, splice.ErrNotInPlace) {
			edits, err = m.inEncoded(d)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, edits...)
	}
}

// inDocument returns the edits for the objects of a document.
func (m metadata) inDocument(d *manifest.Document) (all []splice.Edit, err error) {
	for o := range d.Objects() {
		edits, err := set(o.Node, []string{"metadata"}, m)
		if err != nil {
			return nil, err
		}
		all = append(all, edits...)
	}
	splice.Sort(all)
	return all, nil
}

// set returns the edits after which a mapping has these entries, among others. One that is empty or missing is written
// as a whole.
func set(n manifest.Node, path []string, entries map[string]any) (all []splice.Edit, err error) {
	if n.At(path...).Len() == 0 {
		return splice.Set(n, path, entries)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		at := append(slices.Clone(path), key)
		var edits []splice.Edit
		if below, ok := entries[key].(map[string]any); ok {
			edits, err = set(n, at, below)
		} else {
			edits, err = splice.Set(n, at, entries[key])
		}
		if err != nil {
			return nil, err
		}
		all = append(all, edits...)
	}
	return all, nil
}

// inEncoded returns the edit that writes a document again.
func (m metadata) inEncoded(d *manifest.Document) ([]splice.Edit, error) {
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, err := m.inDocument(again)
	if err != nil {
		return nil, err
	}
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(again.Bytes(), edits))}}, nil
}
