package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/workspace"
)

// ofProtection are the findings of a comparison that are about protected objects.
var ofProtection = []diag.Code{
	diag.ProtectedObject, diag.ProtectedApproved, diag.ProtectionLoosened, diag.ApprovalUnused,
}

// checkFrom refuses flags that --from does not go with.
func (k *checkCommand) checkFrom(paths []string) error {
	switch {
	case k.from == "":
		return nil
	case k.writeBaseline:
		return diag.Usage(errors.New("--write-baseline and --from: what changes is no baseline"),
			"Write it in a run of its own.")
	case slices.Contains(paths, "-"):
		return diag.Usage(errors.New("standard input has no revision to compare with"), "Leave --from out, or name a PATH.")
	}
	return nil
}

// since returns what became of protected objects since the revision of --from, and the objects that were deleted since
// then and that workloads need. What could not be rendered there is lost: of that it is not known. An error is one of
// the whole comparison.
func (k *checkCommand) since(ctx context.Context, p *program, paths []string) (found []diag.Finding, lost, err error) {
	if k.from == "" {
		return nil, nil, nil
	}
	render := sides.Renderer{
		Builder: k.applications(p.wiring), Adapters: k.readers(p, workspace.Merged, k.from), TraceAll: k.output != "text",
		Quiet: func() func() { return hold(new(bytes.Buffer)) },
	}
	if e, ok := k.engine(); ok {
		render.As = e.Name
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	c, err := render.Revisions(ctx, k.from, sides.Worktree, paths)
	if err != nil {
		return nil, nil, err
	}
	var out []diag.Finding
	for _, f := range c.Findings {
		if slices.Contains(ofProtection, f.Code) {
			out = append(out, f)
		}
	}
	for _, b := range c.Blocked {
		if b.Reason == diff.Gone {
			gone, it := b.Object, "it"
			if b.Of != "" {
				gone, it = b.Of, "its copy"
			}
			text := b.Name.String() + " requires " + it + ", and it was there in " + c.From
			out = append(out, diag.New(diag.NeededDeleted, gone, text).At(diag.Position{File: b.File, Line: b.Line}))
		}
	}
	return diag.Sort(out), failedBefore(c), nil
}

// failedBefore returns the errors of applications that could be rendered on the new side alone.
func failedBefore(c *diff.Comparison) error {
	var all []error
	for _, a := range c.Apps {
		if len(a.Problems) == 1 && a.Problems[0].Side == "from" {
			err := fmt.Errorf("%s in %s: %s", a.Name, c.From, a.Problems[0].Error)
			all = append(all, diag.Input(diag.Position{}, err, "What became of its protected objects is not known here."))
		}
	}
	return errors.Join(all...)
}
