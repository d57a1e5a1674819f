// Package fake answers for External Secrets' fake store, whose values stand in its own manifest.
package fake

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Options say what the store holds, and whether that may be taken.
type Options struct {
	Data   string // the field data of the store, a list in JSON
	Values bool   // values are permitted; there are no versions
}

// Store holds what the manifest says.
type Store struct {
	entries []entry
	values  bool
}

type entry struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Version string `json:"version"`
}

// Open returns what answers for a store.
func Open(t *stores.Target) (sources.Versions, error) {
	return New(Options{t.Fields["data"], t.ReadValues()})
}

// New reads the data of the store.
func New(o Options) (*Store, error) {
	s := &Store{values: o.Values}
	if o.Data == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(o.Data), &s.entries); err != nil {
		return nil, sources.Fail(sources.Malformed, "data of the store")
	}
	return s, nil
}

// Version returns the value of a key and version.
func (s *Store) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	if !s.values {
		return sources.Answer{}, sources.Fail(sources.NoVersions, "fake")
	}
	if ref.Find != nil {
		return s.find(ref.Find)
	}
	for _, e := range slices.Backward(s.entries) { // of two that are alike the last counts, as to External Secrets
		if e.Key == ref.Key && e.Version == ref.Version {
			value, err := stores.Property([]byte(e.Value), ref.Property)
			return sources.Answer{Value: value}, err
		}
	}
	return sources.Answer{}, sources.Fail(sources.NotFound, "")
}

// find returns all that fits as one value, of each key the version with the greatest name.
func (s *Store) find(f *sources.Find) (sources.Answer, error) {
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	found, newest := map[string]string{}, map[string]string{}
	for _, e := range s.entries {
		if _, seen := found[e.Key]; pattern.MatchString(e.Key) && (!seen || e.Version >= newest[e.Key]) {
			found[e.Key], newest[e.Key] = e.Value, e.Version
		}
	}
	text, err := json.Marshal(found)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Malformed, "")
	}
	return sources.Answer{Value: redact.New(text)}, nil
}
