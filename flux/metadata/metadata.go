// Package metadata sets the labels and annotations that Flux's controllers add to what they apply, in place.
package metadata

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// Set is labels and annotations, by the field of metadata that they go to.
type Set map[string]any

// New returns the labels and annotations as a set. An empty one changes nothing.
func New(labels, annotations map[string]string) Set {
	s := Set{}
	for field, entries := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		if len(entries) > 0 {
			s[field] = toAny(entries)
		}
	}
	return s
}

func toAny(entries map[string]string) map[string]any {
	out := make(map[string]any, len(entries))
	for key, value := range entries {
		out[key] = value
	}
	return out
}

// Edits returns the edits after which all objects of a document have the labels and annotations, sorted, with offsets
// in the document's text. Where the text cannot be changed in place, one edit writes the document again.
func (s Set) Edits(d *manifest.Document) ([]splice.Edit, error) {
	if len(s) == 0 {
		return nil, nil
	}
	edits, err := s.inDocument(d)
	if errors.Is(err, splice.ErrNotInPlace) {
		return s.inEncoded(d)
	}
	return edits, err
}

// inDocument returns the edits for the objects of a document.
func (s Set) inDocument(d *manifest.Document) (all []splice.Edit, err error) {
	for o := range d.Objects() {
		edits, err := set(o.Node, []string{"metadata"}, s)
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
func (s Set) inEncoded(d *manifest.Document) ([]splice.Edit, error) {
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, err := s.inDocument(again)
	if errors.Is(err, splice.ErrNotInPlace) {
		text, err := rewrite(d, s.setIn)
		return []splice.Edit{{Start: d.Start, End: d.End, Text: string(text)}}, err
	}
	if err != nil {
		return nil, err
	}
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(again.Bytes(), edits))}}, nil
}

// rewrite writes a document again, with a change of its values, whose characters keep it from being changed in place
// even when it is encoded again.
func rewrite(d *manifest.Document, change func(map[string]any)) ([]byte, error) {
	var v map[string]any
	if err := yaml.Unmarshal(d.Body(), &v); err != nil {
		return nil, splice.ErrNotInPlace // the library's words may quote a value
	}
	change(v)
	text, err := yaml.Marshal(v)
	if err != nil {
		return nil, splice.ErrNotInPlace
	}
	if bytes.HasPrefix(d.Body(), []byte("---")) {
		text = append([]byte("---\n"), text...)
	}
	return text, nil
}

// setIn sets the labels and annotations of an object, or of the items of a List.
func (s Set) setIn(object map[string]any) {
	kind, _ := object["kind"].(string)
	if items, ok := object["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		for _, item := range items {
			if below, ok := item.(map[string]any); ok {
				s.setIn(below)
			}
		}
		return
	}
	meta, _ := object["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	for field, entries := range s {
		all, _ := meta[field].(map[string]any)
		if all == nil {
			all = map[string]any{}
			meta[field] = all
		}
		maps.Copy(all, entries.(map[string]any))
	}
}

// Without returns a document less an annotation of its object, and less its annotations where it has no other. Where
// the text cannot be changed in place, it is written again.
func Without(d *manifest.Document, annotation string) ([]byte, error) {
	text, err := without(d, annotation)
	if !errors.Is(err, splice.ErrNotInPlace) {
		return text, err
	}
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	if text, err = without(again, annotation); !errors.Is(err, splice.ErrNotInPlace) {
		return text, err
	}
	return rewrite(d, func(object map[string]any) {
		meta, _ := object["metadata"].(map[string]any)
		all, _ := meta["annotations"].(map[string]any)
		if delete(all, annotation); len(all) == 0 {
			delete(meta, "annotations")
		}
	})
}

// without returns the text of a document less an annotation, in place.
func without(d *manifest.Document, annotation string) ([]byte, error) {
	path := []string{"metadata", "annotations", annotation}
	if d.Root().At(path[:2]...).Len() <= 1 {
		path = path[:2]
	}
	edits, err := splice.Delete(d.Root(), path)
	if err != nil {
		return nil, err
	}
	splice.Sort(edits)
	return splice.Part(d.Text(), edits, d.Start, d.End), nil
}
