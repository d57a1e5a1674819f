package report

import (
	"bytes"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// FindingsSchema is the version of the JSON of findings. A field is added within a version, never removed or changed.
const FindingsSchema = 1

// GraphSchema is the version of the JSON of a graph. A field is added within a version, never removed or changed.
const GraphSchema = 1

// diffJSON writes a comparison for programs, and for Read.
func diffJSON(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	return newEncoder(out, indented).fields(c)
}

// explainJSON writes a plan for programs, and for Read.
func explainJSON(out *bytes.Buffer, p *plan.Plan, _ Style) error { return p.Encode(out) }

// findingsJSON writes findings for programs.
func findingsJSON(out *bytes.Buffer, found []diag.Finding, _ Style) error {
	return encode(out, struct {
		Schema   int            `json:"schema"`
		Findings []diag.Finding `json:"findings"`
	}{FindingsSchema, list(found)})
}

// graphJSON writes edges for programs.
func graphJSON(out *bytes.Buffer, edges []diff.Edge, _ Style) error {
	return encode(out, struct {
		Schema int         `json:"schema"`
		Edges  []diff.Edge `json:"edges"`
	}{GraphSchema, list(edges)})
}

// list returns items as a list that does not encode as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
