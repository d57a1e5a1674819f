package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/report"
)

type argocdLintCommand struct {
	plugin, failOn, output string
}

func newArgocdLint(p *program) *cobra.Command {
	var l argocdLintCommand
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Find what Argo CD would ignore or refuse",
		Long: `Check plugin files, Applications and ApplicationSets that use rollstamp, and the sidecar that runs it:
a Deployment, a patch, a kustomization that holds them, or values for the chart argo-cd. Argo CD ignores
misspelt keys of a plugin's file in silence; lint names them with their line. - is standard input.

Findings go to standard output. The exit code is 1 where one reaches --fail-on.`,
		Example: `  rollstamp argocd lint plugin.yaml apps/*.yaml
  rollstamp argocd install --image registry.example/rollstamp:1.0.0 | rollstamp argocd lint -
  kubectl get deployment argocd-repo-server -n argocd -o yaml | rollstamp argocd lint -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(p, args) },
	}
	c.Flags().StringVar(&l.plugin, "plugin", pluginDefault, "name under which Applications know rollstamp")
	c.Flags().StringVar(&l.failOn, "fail-on", string(config.FailOnWarning),
		"least severity of a finding that makes the exit code 1")
	addFormat(c, &l.output, formats...)
	offer(c, "fail-on", config.FailOn("").Choices()...)
	return c
}

func (l *argocdLintCommand) run(p *program, names []string) error {
	var failOn config.FailOn
	if err := failOn.UnmarshalText([]byte(l.failOn)); err != nil {
		return diag.Usage(fmt.Errorf("--fail-on: %w", err), "")
	}
	if err := oneOf("output", l.output, formats...); err != nil {
		return err
	}
	all := []diag.Finding{}
	var errs []error
	for _, name := range names {
		found, err := lintFile(p, name, lint.RulesFor(l.plugin))
		all, errs = append(all, found...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, f := range all {
		if failOn.IsReached(f.Severity) {
			p.exit = diag.ExitFindings
		}
	}
	return emitFindings(p, all, l.output)
}

func lintFile(p *program, name string, rules lint.Rules) ([]diag.Finding, error) {
	text, err := p.slurp(name)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "<stdin>"
	}
	return lint.File(name, text, rules)
}

// emitFindings prints findings as what was asked for.
func emitFindings(p *program, all []diag.Finding, format string) error {
	if format == "json" {
		return p.emitJSON("findings", all, indentedJSON)
	}
	var out bytes.Buffer
	style := p.resultStyle()
	style.Least, style.Hints, style.Most = diag.Info, true, 0 // they are what was asked for
	report.Findings(&out, all, style)
	return p.emit(&out)
}
