package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrSchema is the error of Decode for the encoding of another version.
var ErrSchema = errors.New("unknown schema")

// Encode writes the Plan as JSON, in which a list is never null.
func (p *Plan) Encode(w io.Writer) error {
	full := *p
	full.Schema = Schema
	full.Workloads = withLists(p.Workloads)
	full.Findings = list(p.Findings)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(full); err != nil {
		return fmt.Errorf("encode plan: %w", err)
	}
	return nil
}

// withLists returns a copy of workloads in which empty lists are not nil, all but those of keys.
func withLists(workloads []Workload) []Workload {
	workloads = list(slices.Clone(workloads))
	for i := range workloads {
		references := list(slices.Clone(workloads[i].References))
		for k := range references {
			r := &references[k]
			r.Forms, r.Findings, r.Producers = list(r.Forms), list(r.Findings), list(slices.Clone(r.Producers))
			for n := range r.Producers {
				r.Producers[n].Sources = list(r.Producers[n].Sources)
			}
		}
		workloads[i].References = references
	}
	return workloads
}

// list returns items as a list that does not encode as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// Decode reads what Encode wrote. Its error is ErrSchema, with the number, for the encoding of another version.
func Decode(r io.Reader) (*Plan, error) {
	var p Plan
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	if p.Schema != Schema {
		return nil, fmt.Errorf("decode plan: %w: %d, and this version knows %d", ErrSchema, p.Schema, Schema)
	}
	return &p, nil
}
