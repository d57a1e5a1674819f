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
	s, with, err := p.settings(at, where)
	if err != nil {
		return nil, err
	}
	a, err := p.under(s, with, at, path)
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
	return p.stamped(a, with)
}

// stamped returns an application stamped by its settings, with the cache of its renders.
func (p Paths) stamped(a *app.Application, with *shared) (*app.Application, error) {
	s := a.Settings()
	common := with.stamped.get(func() common { return p.common(s) })
	stamping, err := common.Stamping, common.err
	if err == nil {
		stamping, err = p.stampingAt(stamping, s)
	}
	if err != nil {
		return nil, err
	}
	out := common.Stamped
	if out.Stamping = stamping; p.rule == nil {
		out.Alike = with.alike
	}
	return a.WithStamped(out), nil
}

// common is how applications are stamped that differ in their place, less what follows from that.
type common struct {
	app.Stamped
	err error
}

func (p Paths) common(s *config.Settings) (out common) {
	if out.Stamping, out.Findings, out.err = p.stampingAlike(p.Flags, s); out.err == nil {
		out.Renders, out.err = p.Renders(s, out.Key)
	}
	return out
}

// isPipe reports whether a path on the disk is a pipe, as a shell's <(command) is: it can be read once, from its start
// to its end.
func isPipe(at app.Place, path string) bool {
	if at.Files != nil || path == "-" || at.Roots != nil && at.Roots.IsFolder(path) {
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
	out, found, err := w.stampingAlike(flags, s)
	if err != nil {
		return app.Stamping{}, nil, err
	}
	out, err = w.stampingAt(out, s)
	return out, found, err
}

// stampingAlike is Stamping for applications at whatever place.
func (w *Wiring) stampingAlike(
	flags config.Flags, s *config.Settings,
) (out app.Stamping, found []diag.Finding, err error) {
	out.Context, out.Locks = w.context(flags), w.locks
	if out.Key, found, err = app.HashKey(s); err == nil {
		found = append(found, s.KeyFindings()...)
	}
	return out, found, err
}

// stampingAt returns how applications at the place of settings are stamped.
func (w *Wiring) stampingAt(alike app.Stamping, s *config.Settings) (out app.Stamping, err error) {
	out = alike
	out.Resolver = w.resolver(s, alike.Key)
	out.Decrypter, err = w.decrypter(s)
	return out, err
}
