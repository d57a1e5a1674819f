package main

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/jsonnet"
	"github.com/rollstamp/rollstamp/render/kustomize"
	"github.com/rollstamp/rollstamp/render/plain"
)

// job is one application with what is in force for it.
type job struct {
	program  *program
	app      pipeline.App
	engines  pipeline.Engines
	settings *config.Settings
	findings []diag.Finding // about the settings
}

// job prepares the application at path, which is to be stamped; "-" is a stream of manifests on standard input. The nearest
// configuration file counts, so each application may have its own.
func (p *program) job(ctx context.Context, r *renderFlags, path string) (*job, error) {
	return p.jobAt(ctx, r, p.disk(), path)
}

// jobAt is that of an application whose files are elsewhere.
func (p *program) jobAt(ctx context.Context, r *renderFlags, at *site, path string) (*job, error) {
	j, err := p.plainJob(ctx, r, at, path)
	if err != nil {
		return nil, err
	}
	return j, j.stamped()
}

// plainJob is one that is to be rendered only.
func (p *program) plainJob(ctx context.Context, r *renderFlags, at *site, path string) (*job, error) {
	where := path
	if path == "-" {
		where = ""
		if r.as != "" && r.as != string(render.KindPlain) {
			return nil, diag.Usage(errors.New("standard input is plain manifests, not --as "+r.as), "")
		}
	}
	s, err := p.resolveAt(&r.settingsFlags, at.roots, where)
	if err != nil {
		return nil, err
	}
	j := &job{program: p, settings: s, engines: p.engines(s)}
	j.app = pipeline.App{As: render.Kind(r.as), Timeout: r.timeout, Request: render.Request{
		Path:      path,
		Files:     at.files,
		Namespace: string(s.Namespace.Value),
		Helm:      r.helm,
		Kustomize: r.kustomize,
		Plain:     render.PlainOptions{Recursive: s.Recursive.Value || at.recursive, Include: words(s.Include.Value), Exclude: words(s.Exclude.Value)},
		Allow:     s.Permissions(),
		CacheDir:  s.CacheDir.Value,
		Roots:     at.roots,

		RegistryConfig: config.HelmRegistryConfig(p.env),
	}}
	j.app.Request.Helm.KubeVersion = string(s.KubeVersion.Value)
	j.app.Request.Helm.APIVersions = words(s.APIVersions.Value)
	j.app.Request.Kustomize.PinnedKubeVersion = string(s.KubeVersion.Value)
	// The permission may come from the environment or the operator, too, and the configuration file may take it away.
	j.app.Request.Kustomize.EnableExec = s.ExecPlugins.Value
	j.app.Request.Kustomize.EnableAlphaPlugin = s.ExecPlugins.Value
	if path == "-" {
		j.app.Output, _, err = plain.Files(ctx, []string{"-"}, p.in)
	}
	return j, err
}

// stamped makes j one that is to be stamped.
func (j *job) stamped() (err error) {
	if j.app.Stamp, j.findings, err = stampOptions(j.settings); err != nil {
		return err
	}
	j.app.Stamp.Outside = j.program.outside(j)
	j.app.Stamp.Opener, err = j.program.opener(j.settings)
	j.findings = append(j.findings, j.settings.OpenerFindings()...)
	return err
}

// result takes the application through the stages.
func (j *job) result(ctx context.Context) (*pipeline.Result, error) {
	return pipeline.Run(ctx, j.engines, j.app)
}

func words[T ~string](in []T) []string {
	var out []string
	for _, w := range in {
		out = append(out, string(w))
	}
	return out
}

// engines wires the renderers. Charts inside kustomizations have the permissions of the application that names them.
func (p *program) engines(s *config.Settings) pipeline.Engines {
	charts := helm.Engine{Stdin: p.in, Allow: s.Permissions(), CacheDir: s.CacheDir.Value, RegistryConfig: config.HelmRegistryConfig(p.env)}
	return pipeline.Engines{
		render.KindHelm:      charts,
		render.KindKustomize: kustomize.Engine{Charts: charts},
		render.KindPlain:     plain.Engine{Jsonnet: jsonnet.Engine{}},
	}
}
