// Package stamp plans which digests go into a text of manifests, and writes them there. Read, Resolve, Decide and
// Plan are its stages, each a function from values to values; Make calls them in their order. Strategies are the ways
// in which a digest is written.
package stamp

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// Result is a text with its stamps, and the plan that they follow.
type Result struct {
	Plan *plan.Plan
	Text splice.Edited
	// Render is what was stamped: the one that came in, unless documents had to be encoded again first.
	Render   *render.Output
	Objects  Objects
	Input    *Input         // what was read, where it was to be retained; else nil
	Asked    []sources.Ref  // what the resolver was asked for, each once, sorted by ID
	Reported []diag.Finding // what the resolver reports of its answers; it is no part of the plan
	// Provided is what the input brings into its cluster, for others that refer to it.
	Provided []objects.Provided
	// Decrypted is what objects of the input hold that was decrypted for the digests.
	Decrypted []objects.Decrypted
}

// Make takes a render through all stages; the edits are applied when the text is written. An error is about content
// that a stamped workload consumes, or about text that is no YAML; several are joined.
func Make(ctx context.Context, out *render.Output, opts Options) (*Result, error) {
	for {
		r, encoded, err := stages(ctx, out, opts)
		if err != nil || encoded == out {
			return r, err
		}
		out, opts.Watch = encoded, nil
	}
}

// stages takes a render through all stages. The output is the render with the documents encoded again that have to be
// so before it is stamped; else the one that came in.
func stages(ctx context.Context, out *render.Output, opts Options) (*Result, *render.Output, error) {
	in, err := Read(ctx, out, opts)
	if err != nil {
		return nil, nil, err
	}
	resolved, decided, decisions, err := resolveAndDecide(ctx, in, opts)
	if err != nil {
		return nil, nil, err
	}
	policies := slices.Concat(policy.Of(opts.Settings), decisions, decided.keepUncompared(opts))
	wanted := policy.Apply(decided.Places, decided.Wanted, policies)
	p, edits := Plan(decided, wanted)
	r := &Result{
		Plan: p, Text: splice.Edited{Text: out.Text, Edits: edits}, Render: out, Objects: in.Objects(),
		Asked: resolved.asked, Reported: resolved.reported, Provided: in.index.ProvidedObjects(),
		Decrypted: resolved.decrypts,
	}
	if opts.Retain {
		in.first, r.Input = &firstRun{opts, decided.workloads, decided.names}, in
	}
	return r, decided.encoded(edits), nil
}

// resolveAndDecide takes an input through the stages up to the stamps that are wanted. It returns the policies that
// follow from what people decided, too.
func resolveAndDecide(ctx context.Context, in *Input, opts Options) (*Resolved, *Decided, []policy.Func, error) {
	opts.Decisions = opts.Decisions.About(in.names)
	resolved, err := Resolve(ctx, in, opts)
	if err != nil {
		return nil, nil, nil, err
	}
	decided, err := Decide(resolved, opts)
	if err != nil {
		return nil, nil, nil, err
	}
	return resolved, decided, decided.follow(opts.Decisions, opts.Argument), nil
}

// Bytes stamps manifests in a text, with the ConfigMaps and Secrets that they refer to.
func Bytes(ctx context.Context, text []byte, opts Options) ([]byte, *plan.Plan, error) {
	r, err := Make(ctx, &render.Output{Text: text}, opts)
	if err != nil {
		return nil, nil, err
	}
	return r.Text.Bytes(), r.Plan, nil
}
