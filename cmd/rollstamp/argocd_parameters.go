package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

func newArgocdParameters(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "parameters",
		Short: "Announce the parameters that the application in the working folder takes",
		Long: `Print what Argo CD's UI shows below PARAMETERS of the application in the working folder: the options of
its kind, each value of a chart's values.yaml with its type, default and description, and the replicas of
a kustomization's workloads. It is the command for parameters.dynamic in the plugin's file.

The answer is always a JSON list, also where a part of the application cannot be read: Argo CD shows
nothing at all where this fails. What is missing is said on standard error.`,
		Example: "  cd charts/web && rollstamp argocd parameters",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.runArgocdParameters(c.Context(), argocd.Env(config.PluginEnvironment()))
		},
	}
}

func (p *program) runArgocdParameters(ctx context.Context, env argocd.Env) error {
	place, err := p.wiring.Disk().Roots.Locate("")
	if err != nil {
		return err
	}
	all, findings := p.announce(ctx, env, place.Dir, "", nil)
	p.warn(diag.Sort(findings))
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("print parameters: %w", err)
	}
	return p.emit(&out)
}

// announce lists the parameters of the application in dir, in the tree at root, which is looked for where it is "".
func (p *program) announce(ctx context.Context, env argocd.Env, dir, root string, system files.System) ([]announce.Parameter, []diag.Finding) {
	if root == "" {
		root = argocd.Root(dir, env["ARGOCD_APP_SOURCE_PATH"], system)
	}
	return announce.Parameters(announce.App{
		Name: env["ARGOCD_APP_NAME"], Dir: dir, Root: root, Files: system,
		Rendered: func() []byte { return asIs(ctx, dir, root, system) },
	})
}

// formTime is what a look at a kustomization's images may take: a form has to appear at once.
const formTime = 600 * time.Millisecond

// asIs renders a kustomization with nothing allowed and nothing changed; where that fails or takes long, there is nothing to show.
func asIs(ctx context.Context, dir, root string, system files.System) []byte {
	result, err := pipeline.Run(ctx, app.New(app.Spec{
		Kind: render.KindKustomize, Timeout: formTime,
		Request: render.Request{Path: dir, Files: system, Roots: &config.Roots{Files: system, Top: root}},
		Engines: render.Engines{render.KindKustomize: kustomize.Engine{Charts: helm.Engine{}}},
	}))
	if err != nil {
		return nil
	}
	return result.Output.Text
}
