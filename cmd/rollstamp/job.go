package main

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/jsonnet"
	"github.com/rollstamp/rollstamp/render/kustomize"
	"github.com/rollstamp/rollstamp/render/plain"
)

// application prepares the application at path, which is to be stamped; "-" is a stream of manifests on standard input. The nearest
// configuration file counts, so each application may have its own.
func (p *program) application(ctx context.Context, r *renderFlags, path string) (*app.Application, error) {
	return p.applicationAt(ctx, r, p.disk(), path)
}

// applicationAt prepares one whose files are elsewhere.
func (p *program) applicationAt(ctx context.Context, r *renderFlags, at *site, path string) (*app.Application, error) {
	a, err := p.renderedOnly(ctx, r, at, path)
	if err != nil {
		return nil, err
	}
	return p.configureStamping(a)
}

// renderedOnly prepares one that is not to be stamped.
func (p *program) renderedOnly(ctx context.Context, r *renderFlags, at *site, path string) (*app.Application, error) {
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
	place := app.Place{Files: at.files, Roots: at.roots, Recursive: at.recursive, AllFiles: at.everything}
	a := app.FromPath(path, place, s, app.Options{
		Kind: render.Kind(r.as), Helm: r.helm, Kustomize: r.kustomize, Timeout: r.timeout, RegistryConfig: config.HelmRegistryConfig(p.env),
	}).WithEngines(p.engines(s))
	if path != "-" {
		return a, nil
	}
	out, _, err := plain.Files(ctx, []string{"-"}, p.in)
	return a.WithStream(out), err
}

// configureStamping returns an application stamped as its settings say.
func (p *program) configureStamping(a *app.Application) (*app.Application, error) {
	stamping, found, err := p.stampingOf(a.Settings())
	return a.WithStamping(stamping).WithFindings(found...), err
}

// stampingOf returns what the settings say of stamping, with what is to be reported of them.
func (p *program) stampingOf(s *config.Settings) (app.Stamping, []diag.Finding, error) {
	key, found, err := app.HashKey(s)
	if err != nil {
		return app.Stamping{}, nil, err
	}
	decrypter, err := p.opener(s)
	return app.Stamping{Key: key, Resolver: p.outside(s, key), Decrypter: decrypter}, append(found, s.OpenerFindings()...), err
}

// engines wires the renderers. Charts inside kustomizations have the permissions of the application that names them.
func (p *program) engines(s *config.Settings) render.Engines {
	charts := helm.Engine{Stdin: p.in, Allow: s.Permissions(), CacheDir: s.CacheDir.Value, RegistryConfig: config.HelmRegistryConfig(p.env)}
	return render.Engines{
		render.KindHelm:      charts,
		render.KindKustomize: kustomize.Engine{Charts: charts},
		render.KindPlain:     plain.Engine{Jsonnet: jsonnet.Engine{}},
	}
}
