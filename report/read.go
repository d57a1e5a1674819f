package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// Result is what a command wrote as JSON: a comparison or a plan. The other one is nil.
type Result struct {
	Diff *diff.Comparison
	Plan *plan.Plan
}

// Read reads what DiffJSON or ExplainJSON wrote. Name is the file's, for errors.
func Read(name string, r io.Reader) (Result, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Result{}, unreadable(name, err)
	}
	var kind struct {
		Workloads json.RawMessage `json:"workloads"` // a plan has them, a comparison has none
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&kind); err != nil {
		return Result{}, unreadable(name, err)
	}
	if kind.Workloads == nil {
		c, err := readDiff(name, text)
		return Result{Diff: c}, err
	}
	p, err := plan.Decode(bytes.NewReader(text))
	switch {
	case errors.Is(err, plan.ErrSchema):
		return Result{}, diag.Input(diag.Position{File: name}, err, otherVersion)
	case err != nil:
		return Result{}, unreadable(name, err)
	}
	return Result{Plan: p}, nil
}

func readDiff(name string, text []byte) (*diff.Comparison, error) {
	var c diff.Comparison
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&c); err != nil {
		return nil, unreadable(name, err)
	}
	if c.Schema != diff.Schema {
		err := fmt.Errorf("read comparison: schema %d, and this version knows %d", c.Schema, diff.Schema)
		return nil, diag.Input(diag.Position{File: name}, err, otherVersion)
	}
	return &c, nil
}

const otherVersion = "Read it with the version that wrote it, or a newer one."

func unreadable(name string, err error) error {
	return diag.Input(diag.Position{File: name}, fmt.Errorf("read comparison or explanation: %w", err),
		"It is what rollstamp diff or explain writes with -o json.")
}
