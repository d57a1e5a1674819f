package wiring

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// Disk returns the place of paths on this machine.
func (w *Wiring) Disk() app.Place { return app.Place{Roots: w.roots} }

// Settings returns what is in force for the application at a path of a place; "" is the working folder.
func (w *Wiring) Settings(flags config.Flags, at app.Place, path string) (*config.Settings, error) {
	place, err := at.Roots.Locate(path)
	if err != nil {
		return nil, err
	}
	return w.SettingsAt(flags, place)
}

// SettingsAt returns what is in force at a place that is known.
func (w *Wiring) SettingsAt(flags config.Flags, place config.Place) (*config.Settings, error) {
	return config.Resolve(config.Inputs{Place: place, Flags: flags, Env: w.env})
}

// Paths makes the applications at paths, with what a user set for all of them.
type Paths struct {
	*Wiring
	Flags      config.Flags
	Options    app.Options
	RenderOnly bool // they are rendered once, and not stamped
}

// Application returns the application at a path; "-" is a stream of manifests on standard input. The nearest
// configuration file counts, so each may have its own.
func (p Paths) Application(ctx context.Context, at app.Place, path string) (*app.Application, error) {
	where := path
	if path == "-" {
		where = ""
		if as := p.Options.Kind; as != render.KindAuto && as != render.KindPlain {
			return nil, diag.Usage(errors.New("standard input is plain manifests, not --as "+string(as)), "")
		}
	}
	s, err := p.Settings(p.Flags, at, where)
	if err != nil {
		return nil, err
	}
	options := p.Options
	options.RegistryConfig = p.RegistryConfig()
	a := app.FromPath(path, at, s, options).WithEngines(p.Engines(s))
	if path == "-" {
		out, _, err := plain.Files(ctx, []string{"-"}, p.stdin)
		if err != nil {
			return nil, err
		}
		a = a.WithStream(out)
	}
	if p.RenderOnly {
		return a.WithoutSecondRender(), nil
	}
	return p.WithStamping(a)
}

// WithStamping returns an application stamped by its settings.
func (w *Wiring) WithStamping(a *app.Application) (*app.Application, error) {
	stamping, found, err := w.Stamping(a.Settings())
	return a.WithStamping(stamping).WithFindings(found...), err
}

// Stamping returns how applications with these settings are stamped, and what is to be reported of that.
func (w *Wiring) Stamping(s *config.Settings) (app.Stamping, []diag.Finding, error) {
	key, found, err := app.HashKey(s)
	if err != nil {
		return app.Stamping{}, nil, err
	}
	decrypter, err := w.decrypter(s)
	found = append(found, s.KeyFindings()...)
	return app.Stamping{Key: key, Resolver: w.resolver(s, key), Decrypter: decrypter}, found, err
}
