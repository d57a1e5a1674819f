package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/plan"
)

// Result is what a command wrote as JSON: a comparison, the plan of one application, or the plans of several, of which
// there may be none. The others are nil.
type Result struct {
	Diff  *diff.Comparison
	Plan  *plan.Plan
	Plans []NamedPlan
}

// HasFailures reports whether one of several applications has no plan.
func (r Result) HasFailures() bool {
	return slices.ContainsFunc(r.Plans, func(one NamedPlan) bool { return one.Error != "" })
}

// IsPlan reports whether the result is of explain.
func (r Result) IsPlan() bool { return r.Plan != nil || r.Plans != nil }

// Read reads what WriteDiff, WriteExplanation or WriteExplanations wrote as JSON. Name is the file's, for errors.
func Read(name string, r io.Reader) (Result, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Result{}, unreadable(name, err)
	}
	var kind struct {
		Workloads    json.RawMessage `json:"workloads"`    // of a plan
		Applications json.RawMessage `json:"applications"` // of several plans
		Schema       json.RawMessage `json:"schema"`       // of a plan or a comparison
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &kind); {
	case errors.As(err, &wrong) && wrong.Field == "":
		return Result{}, unreadable(name, fmt.Errorf("it is a JSON %s, not an object", wrong.Value))
	case err != nil:
		return Result{}, unreadable(name, err)
	}
	switch {
	case kind.Applications != nil && (kind.Schema != nil || string(kind.Applications) == "null"):
		return Result{}, unreadable(name, errors.New("it is neither a comparison nor a list of applications"))
	case kind.Applications != nil:
		all, err := readPlans(name, kind.Applications)
		return Result{Plans: all}, err
	case kind.Workloads != nil:
		p, err := readPlan(name, text)
		return Result{Plan: p}, err
	}
	c, err := readDiff(name, text)
	return Result{Diff: c}, err
}

// readPlans reads the list of several applications with their plans.
func readPlans(name string, list json.RawMessage) ([]NamedPlan, error) {
	var encoded []encodedPlan
	if err := json.Unmarshal(list, &encoded); err != nil {
		return nil, unreadable(name, err)
	}
	all := make([]NamedPlan, len(encoded))
	for i, one := range encoded {
		switch {
		case one.Plan == nil && one.Error != "":
			all[i] = NamedPlan{Name: one.Name, Error: one.Error}
			continue
		case one.Plan == nil:
			return nil, unreadable(name, fmt.Errorf("application %s has no plan", one.Name))
		}
		p, err := readPlan(name, one.Plan)
		if err != nil {
			return nil, err
		}
		all[i] = NamedPlan{Name: one.Name, Plan: p}
	}
	return all, nil
}

func readPlan(name string, text []byte) (*plan.Plan, error) {
	p, err := plan.Decode(bytes.NewReader(text))
	switch {
	case errors.Is(err, plan.ErrSchema):
		return nil, diag.Input(diag.Position{File: name}, err, otherVersion)
	case err != nil:
		return nil, unreadable(name, err)
	}
	return p, nil
}

func readDiff(name string, text []byte) (*diff.Comparison, error) {
	var c diff.Comparison
	var schema struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, unreadable(name, err)
	}
	if schema.Schema == 0 {
		return nil, unreadable(name, errors.New("it is neither"))
	}
	if schema.Schema != diff.Schema {
		err := fmt.Errorf("read comparison: schema %d, and this version knows %d", schema.Schema, diff.Schema)
		return nil, diag.Input(diag.Position{File: name}, err, otherVersion)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, unreadable(name, err)
	}
	if err := c.Validate(); err != nil {
		return nil, diag.Input(diag.Position{File: name}, fmt.Errorf("read comparison: %w", err), otherVersion)
	}
	return &c, nil
}

const otherVersion = "Read it with the version that wrote it, or a newer one."

func unreadable(name string, err error) error {
	return diag.Input(diag.Position{File: name}, fmt.Errorf("read comparison or explanation: %w", err),
		"It is what rollstamp diff or explain writes with -o json.")
}
