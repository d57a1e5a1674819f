package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// FindingsSchema is the version of the JSON of findings. A field is added within a version, never removed or changed.
const FindingsSchema = 1

// GraphSchema is the version of the JSON of a graph. A field is added within a version, never removed or changed.
const GraphSchema = 1

// diffJSON writes a comparison for programs, and for Read.
func diffJSON(out *bytes.Buffer, c *diff.Comparison, _ Style) error { return encodeByItem(out, *c) }

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

// encode writes a value as indented JSON.
func encode(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return nil
}

// encodeByItem writes a struct as encode does. Of its lists each item is encoded by itself, so that a large one is not
// in memory several times over.
func encodeByItem(out *bytes.Buffer, v any) error {
	all, separator := reflect.ValueOf(v), "{\n  "
	for i := range all.NumField() {
		name, options, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
		field := all.Field(i)
		if options == "omitempty" && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0) {
			continue
		}
		fmt.Fprintf(out, "%s%q: ", separator, name)
		separator = ",\n  "
		if err := encodeField(out, field); err != nil {
			return err
		}
	}
	out.WriteString("\n}\n")
	return nil
}

// encodeField writes a field of encodeByItem.
func encodeField(out *bytes.Buffer, field reflect.Value) error {
	if field.Kind() != reflect.Slice || field.Len() == 0 {
		return encodeWithin(out, field.Interface(), "  ")
	}
	const sample = 64 // items, by which the space for all of them is estimated
	separator, start := "[\n    ", out.Len()
	for i := range field.Len() {
		if i == sample {
			out.Grow((out.Len() - start) / sample * (field.Len() - sample))
		}
		out.WriteString(separator)
		separator = ",\n    "
		if err := encodeWithin(out, field.Index(i).Interface(), "    "); err != nil {
			return err
		}
	}
	out.WriteString("\n  ]")
	return nil
}

// encodeWithin writes a value as a part of an indented text, without a line end.
func encodeWithin(out *bytes.Buffer, v any, prefix string) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	out.Truncate(out.Len() - len("\n"))
	return nil
}

// list returns items as a list that does not encode as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
