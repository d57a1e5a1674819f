package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/report"
)

type explainCommand struct {
	renderFlags
	output string
}

func newExplain(p *program) *cobra.Command {
	var e explainCommand
	c := &cobra.Command{
		Use:   "explain [PATH] [KIND/NAME]",
		Short: "Show which workload consumes what, and what is wrong",
		Long: `Render PATH (by default the working folder; - is a stream of manifests on standard input) and list,
for each workload, every ConfigMap and Secret that it refers to: which keys, in which way, where the
content was found, and its digest.

KIND/NAME picks one workload, or, for a ConfigMap or Secret, those that consume it. An argument that
is an existing path is a PATH.`,
		Example: `  rollstamp explain charts/web -f values.yaml
  rollstamp explain overlays/prod Deployment/web
  kustomize build overlays/prod | rollstamp explain - ConfigMap/settings -o json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return e.run(c.Context(), p, args) },
	}
	e.add(c)
	addFormat(c, &e.output, report.ExplainFormats()...)
	return c
}

func (e *explainCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(e.check(), oneOf("output", e.output, report.ExplainFormats()...)); err != nil {
		return err
	}
	path, pick, err := parseExplained(args)
	if err != nil {
		return err
	}
	source, err := e.source(ctx, p, []string{path})
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if err != nil {
		return err
	}
	plans := make([]*plan.Plan, len(names))
	outcomes := make([]fleet.Outcome, len(names))
	errs := fleet.Run(ctx, source, names,
		func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) error {
			outcomes[i] = fleet.OutcomeOf(a, result).WithoutResult()
			plans[i] = planOf(ctx, a, result, outcomes[i].Findings, pick)
			return nil
		}, p.progress())
	for _, o := range fleet.Together(outcomes) {
		p.reportDetected(o)
	}
	together(plans, fleet.NeighboursOf(outcomes))
	if err := fleet.Join(names, errs); err != nil && len(names) == 1 {
		return err
	}
	holds := func(one *plan.Plan) bool { return one != nil && len(one.Workloads) > 0 }
	if pick != nil && !slices.ContainsFunc(plans, holds) {
		err := diag.Input(diag.Position{File: path}, fmt.Errorf("no workload is %s, and none refers to it", pick),
			"See all of them with rollstamp explain "+path)
		return errors.Join(err, pick.failures(source, names, errs))
	}
	if len(names) == 1 {
		return showPlan(p, plans[0], e.output)
	}
	failed := pick.failures(source, names, errs)
	if pick != nil && e.output != "json" {
		errs = make([]error, len(errs)) // the answer comes first
	}
	return errors.Join(showPlans(p, namedPlans(names, plans, errs, pick != nil), e.output), failed)
}

// planOf returns the plan of an application, or what of it is about one object, with positions.
func planOf(
	ctx context.Context, a *app.Application, result *pipeline.Result, findings []diag.Finding, pick *identity,
) *plan.Plan {
	workloads := pipeline.Workloads(a, result)
	if pick != nil {
		workloads = pick.from(workloads)
		findings = pick.about(findings, workloads)
	}
	trace := pipeline.NewTrace(ctx, a, result.Output)
	return &plan.Plan{Workloads: trace.Workloads(workloads), Findings: findingsFromHere(trace.Findings(findings))}
}

// namedPlans returns the plans or errors of applications with their names; with a pick none of the plans that hold
// nothing of it.
func namedPlans(names []string, plans []*plan.Plan, errs []error, picked bool) []report.NamedPlan {
	var all []report.NamedPlan
	for i, one := range plans {
		switch {
		case errs[i] != nil:
			all = append(all, report.NamedPlan{Name: names[i], Error: errorText(errs[i])})
		case one != nil && !(picked && len(one.Workloads) == 0):
			all = append(all, report.NamedPlan{Name: names[i], Plan: one})
		}
	}
	return all
}

// together has the findings of plans know what the applications of the run have of each other.
func together(plans []*plan.Plan, neighbours *fleet.Neighbours) {
	for i, one := range plans {
		if one == nil {
			continue
		}
		one.Findings = neighbours.Findings(i, one.Findings)
		for k := range one.Workloads {
			for n := range one.Workloads[k].References {
				r := &one.Workloads[k].References[n]
				r.Findings = neighbours.Findings(i, r.Findings)
			}
		}
	}
}

// showPlans prints the plans of several applications under their names.
func showPlans(p *program, all []report.NamedPlan, format string) error {
	var out bytes.Buffer
	if err := report.WriteExplanations(&out, format, all, p.resultStyle()); err != nil {
		return err
	}
	return p.emit(&out)
}

// showPlan prints a plan in one of the formats.
func showPlan(p *program, view *plan.Plan, format string) error {
	var out bytes.Buffer
	if err := report.WriteExplanation(&out, format, view, p.resultStyle()); err != nil {
		return err
	}
	return p.emit(&out)
}

// parseExplained reads the arguments: which of them is the PATH, and which KIND/NAME.
func parseExplained(args []string) (path string, pick *identity, err error) {
	for _, arg := range args {
		_, absent := os.Stat(arg)
		id, isName := parseIdentity(arg)
		switch {
		case path == "" && (arg == "-" || absent == nil || fleet.IsPattern(arg) || strings.Contains(arg, "@")):
			path = arg // PATH@ENV is one, too
		case pick == nil && isName:
			pick = &id
		case absent != nil:
			return "", nil, diag.Input(diag.Position{File: arg}, errors.New("no such file or folder, and not KIND/NAME"),
				"An object is written as Deployment/web, and several PATHs as one pattern in quotes.")
		default:
			return "", nil, diag.Usage(fmt.Errorf("explain takes one PATH and one KIND/NAME, and %s is one more", arg),
				"Several PATHs are written as one pattern in quotes.")
		}
	}
	if path == "" {
		path = "."
	}
	return path, pick, nil
}
