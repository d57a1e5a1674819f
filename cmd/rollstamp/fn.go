package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/krm"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

type fnCommand struct {
	settingsFlags
	findings findingsTo
}

func newFn(p *program) *cobra.Command {
	var f fnCommand
	c := &cobra.Command{
		Use:   "fn",
		Short: "Stamp as a function of kustomize or kpt",
		Long: `Read a ResourceList from standard input, as kustomize and kpt hand it to a KRM function, and print it
with its items stamped and what was found as its results. Nothing else in it is changed.

Settings are below spec of the functionConfig, whose kind is Stamp of rollstamp.dev/v1, in the schema of
.rollstamp.yaml; without any, the nearest .rollstamp.yaml counts. What a run may do is not for it to say.

Hosts ignore results. So the exit code is 1 where a finding reaches --fail-on, which is error by default.
What kustomize's generators made gets a hash of its content into its name, and no stamp: see docs/pipes.md.`,
		Example: `  # with a transformer that runs rollstamp fn
  kustomize build --enable-alpha-plugins --enable-exec overlays/prod
  kustomize fn run manifests --enable-exec --fn-path stamp.yaml
  kpt fn eval manifests --exec 'rollstamp fn'
  kpt fn source manifests | rollstamp fn | kpt fn sink manifests`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), p) },
	}
	for _, flag := range flagsOfSettings() {
		if flag.On == config.Stamping && !slices.Contains(krm.OperatorFlags, flag.Flag) {
			f.addSetting(c, &flag)
		}
	}
	c.Flags().Lookup("fail-on").DefValue = string(config.FailOnError)
	f.findings.withErrors = true
	f.findings.add(c)
	return c
}

func (f *fnCommand) run(ctx context.Context, p *program) error {
	stream, _, err := plain.Files(ctx, []string{"-"}, p.in)
	if err != nil {
		return err
	}
	list, err := krm.Parse(stream.Text)
	if err != nil {
		return err
	}
	a, err := f.application(p, stream, list)
	if err != nil {
		return err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return err
	}
	outcome := fleet.OutcomeOf(a, result).WithRewrite(list.Place)
	outcome.Findings = slices.DeleteFunc(outcome.Findings, func(f diag.Finding) bool {
		return f.Code == diag.NoObjects // a host may well have none for a function
	})
	outcome.Failed = a.Fails(outcome.Findings)
	if result.Output.IsEdited() {
		if list, err = krm.Parse(result.Output.Text); err != nil {
			return err
		}
	}
	answer, err := list.Answer(result.Text.Edits, outcome.Findings)
	if err != nil {
		return err
	}
	if err := f.findings.report(ctx, p, []fleet.Outcome{outcome}); err != nil {
		return err
	}
	return p.emit(answer)
}

// application returns the list as an application of manifests that were rendered already.
func (f *fnCommand) application(p *program, stream *render.Output, list *krm.List) (*app.Application, error) {
	place, err := config.Locate("")
	if err != nil {
		return nil, err
	}
	if place.Given, err = list.Config(); err != nil {
		return nil, err
	}
	settings, err := p.wiring.SettingsAt(f.flags(), place)
	if err != nil {
		return nil, err
	}
	if settings.FailOn.Source == config.Default {
		settings.FailOn.Value = config.FailOnError
	}
	stream.Namespace = string(settings.Namespace.Value)
	a := app.New(app.Spec{Name: "-", Request: &render.Request{Path: "-"}, Stream: stream,
		Engines: p.wiring.Engines(settings), Settings: settings})
	stamping, found, err := p.wiring.Stamping(f.flags(), settings)
	if err != nil {
		return nil, err
	}
	if names := list.Names(); names != nil {
		stamping = stamping.WithRename(names.Current)
	}
	return a.WithStamping(stamping.ToOutput()).WithFindings(found...), nil
}
