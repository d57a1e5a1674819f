package pipeline

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// entry is a result as it is cached: a render without anything that is hidden or differs in each run.
type entry struct {
	Kind      render.Kind
	Why       string
	Text      []byte
	Origins   []render.Origin
	Located   *[]render.Origin // what the locator finds; nil where there is none
	Namespace string
	Findings  []diag.Finding
	Inputs    []string
	Probed    []string
	Stamped   *stampedEntry // nil where nothing was to be stamped
}

// stampedEntry is what stamping added to it.
type stampedEntry struct {
	Plan     plan.Plan
	Edits    []splice.Edit
	Offsets  []int
	Asked    []sources.Ref
	Reported []diag.Finding
	Provided []objects.Provided
}

func encodeResult(r *Result) ([]byte, error) {
	out := r.Output
	e := entry{
		Kind: out.Kind, Why: out.Why, Text: out.Text, Origins: out.Origins, Namespace: out.Namespace,
		Findings: out.Findings, Inputs: out.Inputs, Probed: out.Probed,
	}
	if out.Locator != nil {
		origins := out.Locator.Origins(out.Text)
		e.Located = &origins
	}
	if r.Plan != nil {
		e.Stamped = &stampedEntry{
			Plan: *r.Plan, Edits: r.Text.Edits, Offsets: r.Objects.Offsets(), Asked: r.Asked, Reported: r.Reported,
			Provided: r.Provided,
		}
	}
	return rendercache.EncodeLong(e, len(out.Text)+len(out.Text)/2+1<<10) // a plan is less than half of its manifests
}

func decodeResult(text []byte) (*Result, error) {
	e, err := rendercache.Decode[entry](text)
	if err != nil {
		return nil, err
	}
	out := &render.Output{
		Kind: e.Kind, Why: e.Why, Text: e.Text, Origins: e.Origins, Namespace: e.Namespace,
		Findings: e.Findings, Inputs: e.Inputs, Probed: e.Probed,
	}
	if e.Located != nil {
		out.Locator = located(*e.Located)
	}
	r := &Result{Output: out, Result: stamp.Result{Text: splice.Edited{Text: out.Text}}}
	if s := e.Stamped; s != nil {
		r.Result = stamp.Result{
			Plan: &s.Plan, Text: splice.Edited{Text: out.Text, Edits: s.Edits}, Render: out,
			Objects: stamp.NewObjects(out, s.Offsets), Asked: s.Asked, Reported: s.Reported, Provided: s.Provided,
		}
	}
	return r, nil
}

// located are the origins that a locator found when the text was rendered.
type located []render.Origin

// Origins is render.Locator's.
func (l located) Origins([]byte) []render.Origin { return l }
