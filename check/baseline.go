package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// Baseline lists findings that are known. A line in a file moves, so the place is not part of it.
type Baseline struct {
	Schema   int            `json:"schema"`
	Findings []diag.Finding `json:"findings"`
}

// BaselineSchema is the version of a Baseline's JSON.
const BaselineSchema = 1

// NewBaseline makes one of what was found.
func NewBaseline(found []diag.Finding) *Baseline {
	b := Baseline{Schema: BaselineSchema, Findings: []diag.Finding{}}
	for _, f := range found {
		b.Findings = append(b.Findings, known(f))
	}
	b.Findings = diag.Sort(b.Findings)
	return &b
}

// ReadBaseline reads the file that WriteTo wrote.
func ReadBaseline(name string) (*Baseline, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("read baseline: %w", err), "Make it with --write-baseline.")
	}
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil || b.Schema != BaselineSchema {
		return nil, diag.Usage(fmt.Errorf("read baseline: %s is none of this version", name),
			"Write it again with --write-baseline.")
	}
	return &b, nil
}

// Holds reports whether a finding is known.
func (b *Baseline) Holds(f diag.Finding) bool { return slices.Contains(b.Findings, known(f)) }

// WriteTo writes the JSON.
func (b *Baseline) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(b); err != nil {
		return 0, fmt.Errorf("write baseline: %w", err)
	}
	return out.WriteTo(w)
}

// known is what of a finding stays the same from one run to the next.
func known(f diag.Finding) diag.Finding {
	return diag.Finding{Code: f.Code, Message: f.Message, Object: f.Object, Key: f.Key, File: f.File}
}
