// Package metadata sets the labels and annotations that Flux's controllers add to what they apply, in place.
package metadata

import (
	"errors"
	"maps"
	"slices"

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

// Edits returns the edits after which all objects of a document have the labels and annotations, sorted, with offsets in
// the document's text. Where the text cannot be changed in place, one edit writes the document again.
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
	if err != nil {
		return nil, err
	}
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(again.Bytes(), edits))}}, nil
}
