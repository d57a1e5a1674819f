package wiring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// For returns the builder of an application that a rule of the configuration describes.
func (p Paths) For(rule inventory.Rule) fleet.Builder {
	p.rule = &rule
	return p
}

// Application returns the application at a path; "-" is a stream of manifests on standard input, and a
// pipe is read like that. The nearest
// configuration file counts, so each may have its own.
func (p Paths) Application(ctx context.Context, at app.Place, path string) (*app.Application, error) {
	in := p.stdin
	if isPipe(at, path) {
		file, err := os.Open(path)
		if err != nil {
			return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("open it: %w", files.Cause(err)), "")
		}
		defer file.Close()
		path, in = "-", file
	}
	where := path
	if path == "-" {
		where = ""
		if as := p.Options.Kind; as != render.KindAuto && as != render.KindPlain {
			return nil, diag.Usage(errors.New("standard input is plain manifests, not --as "+string(as)), "")
		}
	}
	s, err := p.settings(at, where)
	if err != nil {
		return nil, err
	}
	a, err := p.under(s, at, path)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		out, _, err := plain.Files(ctx, []string{"-"}, in)
		if err != nil {
			return nil, err
		}
		a = a.WithStream(out)
	}
	if p.RenderOnly {
		return a.WithoutSecondRender(), nil
	}
	if a, err = p.WithStamping(p.Flags, a); err != nil {
		return a, err
	}
	return p.WithRenders(a)
}

// isPipe reports whether a path on the disk is a pipe, as a shell's <(command) is: it can be read once, from its start
// to its end.
func isPipe(at app.Place, path string) bool {
	if at.Files != nil || path == "-" {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// WithStamping returns an application stamped by its settings, in a run with these flags.
func (w *Wiring) WithStamping(flags config.Flags, a *app.Application) (*app.Application, error) {
	stamping, found, err := w.Stamping(flags, a.Settings())
	return a.WithStamping(stamping).WithFindings(found...), err
}

// Stamping returns how applications with these settings are stamped in a run with these flags, and what is to be
// reported of that.
func (w *Wiring) Stamping(flags config.Flags, s *config.Settings) (app.Stamping, []diag.Finding, error) {
	key, found, err := app.HashKey(s)
	if err != nil {
		return app.Stamping{}, nil, err
	}
	decrypter, err := w.decrypter(s)
	found = append(found, s.KeyFindings()...)
	return app.Stamping{
		Key: key, Resolver: w.resolver(s, key), Decrypter: decrypter, Context: w.context(flags),
		Locks: w.locks,
	}, found, err
}
