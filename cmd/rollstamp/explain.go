package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

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
	addFormat(c, &e.output)
	return c
}

func (e *explainCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(e.check(), oneOf("output", e.output, formats...)); err != nil {
		return err
	}
	path, pick, err := parseExplained(args)
	if err != nil {
		return err
	}
	a, err := e.applications(p.wiring).Application(ctx, p.wiring.Disk(), path)
	if err != nil {
		return err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return err
	}
	o := fleet.OutcomeOf(a, result)
	p.detected(o)
	workloads, findings := pipeline.Workloads(a, result), o.Findings
	if pick != nil {
		if workloads = pick.from(workloads); len(workloads) == 0 {
			return diag.Input(diag.Position{File: path}, fmt.Errorf("no workload is %s, and none refers to it", pick),
				"See all of them with rollstamp explain "+path)
		}
		findings = pick.about(findings, workloads)
	}
	defer hold(new(bytes.Buffer))() // what engines print, they have printed
	trace := pipeline.NewTrace(ctx, a, result.Output)
	return showPlan(p, &plan.Plan{Workloads: trace.Workloads(workloads), Findings: trace.Findings(findings)}, e.output)
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
		kind, name, two := strings.Cut(arg, "/")
		switch {
		case path == "" && (arg == "-" || absent == nil):
			path = arg
		case pick == nil && two && kind != "" && name != "" && !strings.Contains(name, "/"):
			pick = &identity{kind, name}
		case absent != nil:
			return "", nil, diag.Input(diag.Position{File: arg}, errors.New("no such file or folder, and not KIND/NAME"), "")
		default:
			return "", nil, diag.Usage(errors.New("explain takes one PATH and one KIND/NAME"),
				"Try 'rollstamp explain --help'.")
		}
	}
	if path == "" {
		path = "."
	}
	return path, pick, nil
}
