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
	"github.com/rollstamp/rollstamp/stamp"
)

// job prepares the application at path, which is to be stamped; "-" is a stream of manifests on standard input. The nearest
// configuration file counts, so each application may have its own.
func (p *program) job(ctx context.Context, r *renderFlags, path string) (*pipeline.Job, error) {
	return p.jobAt(ctx, r, p.disk(), path)
}

// jobAt is that of an application whose files are elsewhere.
func (p *program) jobAt(ctx context.Context, r *renderFlags, at *site, path string) (*pipeline.Job, error) {
	j, err := p.plainJob(ctx, r, at, path)
	if err != nil {
		return nil, err
	}
	return j, p.stamped(j)
}

// plainJob is one that is to be rendered only.
func (p *program) plainJob(ctx context.Context, r *renderFlags, at *site, path string) (*pipeline.Job, error) {
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
	j := &pipeline.Job{Settings: s, Engines: p.engines(s)}
	j.App = pipeline.App{As: render.Kind(r.as), Timeout: r.timeout, Request: render.Request{
		Path:      path,
		Files:     at.files,
		Namespace: string(s.Namespace.Value),
		Helm:      r.helm,
		Kustomize: r.kustomize,
		Plain:     render.PlainOptions{Recursive: s.Recursive.Value || at.recursive, Include: config.Strings(s.Include.Value), Exclude: config.Strings(s.Exclude.Value)},
		Allow:     s.Permissions(),
		CacheDir:  s.CacheDir.Value,
		Roots:     at.roots,

		RegistryConfig: config.HelmRegistryConfig(p.env),
	}}
	j.App.Request.Helm.KubeVersion = string(s.KubeVersion.Value)
	j.App.Request.Helm.APIVersions = config.Strings(s.APIVersions.Value)
	j.App.Request.Kustomize.PinnedKubeVersion = string(s.KubeVersion.Value)
	// The permission may come from the environment or the operator, too, and the configuration file may take it away.
	j.App.Request.Kustomize.EnableExec = s.ExecPlugins.Value
	j.App.Request.Kustomize.EnableAlphaPlugin = s.ExecPlugins.Value
	if path == "-" {
		j.App.Output, _, err = plain.Files(ctx, []string{"-"}, p.in)
	}
	return j, err
}

// stamped makes a job one that is to be stamped.
func (p *program) stamped(j *pipeline.Job) (err error) {
	if j.App.Stamp, j.Noted, err = stamp.OptionsOf(j.Settings); err != nil {
		return err
	}
	j.App.Stamp.Outside = p.outside(j.Settings, j.App.Stamp.Key)
	j.App.Stamp.Opener, err = p.opener(j.Settings)
	j.Noted = append(j.Noted, j.Settings.OpenerFindings()...)
	return err
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
