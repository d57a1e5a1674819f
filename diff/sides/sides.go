// Package sides renders the two sides of a comparison: two paths, two revisions of a repository, or what two versions
// of this program make of the same files.
package sides

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Renderer renders sides.
type Renderer struct {
	Builder  fleet.Builder
	Shard    fleet.Shard    // of the applications of a comparison
	Progress fleet.Progress // nil shows nothing

	// Adapters read the objects of engines, for the configuration and for As.
	Adapters map[config.AppKind]inventory.Adapter
	As       config.AppKind // whose objects the patterns are; "" for paths

	AsIs bool // of two paths: what is there is compared, stamps included
	// TraceAll has every object that has changed know its file; else those of applications in which something restarts
	// without effect.
	TraceAll bool
	// Rendered is called for each application of the new side of two engines, side by side; it may be nil.
	Rendered func(*app.Application)
	// CompareHead has a comparison with the work tree name what is checked out there, and know whether files differ from
	// it: parts of a run are of one state.
	CompareHead bool
	// MadeWith are the flags and variables that shape what is compared, for parts of a run.
	MadeWith []diff.Setting
	// Release is the one of this program, for parts of a run; "" for a build that is none.
	Release string
	// Quiet is called before a render is repeated, and what it returns afterwards: what engines print, they have
	// printed.
	Quiet func() (release func())
}

// Files compares two files of manifests as one application.
func (r Renderer) Files(ctx context.Context, from, to string) (*diff.Comparison, error) {
	place := app.Place{Roots: &config.Roots{}}
	return r.two(ctx, [2]string{from, to}, [2]app.Place{place, place})
}

// Folders compares two folders as one application, with all that lies below them where they hold plain manifests.
func (r Renderer) Folders(ctx context.Context, from, to string) (*diff.Comparison, error) {
	roots := &config.Roots{}
	var places [2]app.Place
	for i, path := range []string{from, to} {
		places[i] = app.Place{Roots: roots, Recursive: true, AllFiles: withoutEndings(path)}
	}
	return r.two(ctx, [2]string{from, to}, places)
}

// withoutEndings reports whether no file of a folder has the ending of a manifest: kubectl diff names its files by
// their objects.
func withoutEndings(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() || manifest.IsFileName(e.Name())
	})
}

// two compares two paths as one application.
func (r Renderer) two(ctx context.Context, paths [2]string, places [2]app.Place) (*diff.Comparison, error) {
	sides := [2]diff.Side{{Label: paths[0]}, {Label: paths[1]}}
	var all [2]rendered
	errs := fleet.Each(ctx, len(sides), func(ctx context.Context, i int) error {
		all[i] = r.render(ctx, places[i], paths[i])
		all[i].Name, all[i].AsIs = "", r.AsIs
		all[i].Destination, all[i].Namespace = app.Destination{}, "" // the paths are meant as one
		return nil
	}, nil)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	settleInstallation([2]*config.Roots{places[0].Roots, places[1].Roots}, &all[0], &all[1])
	for i := range sides {
		sides[i].Apps = []*diff.App{&all[i].App}
	}
	return diff.Compare(sides[0], sides[1])
}

// rendered is an application on one side.
type rendered struct {
	diff.App
	from *app.Application // nil where it could not be built
	same bool             // all that it is rendered from is the same on the other side
}

// list returns the applications that patterns mean at a place.
func (r Renderer) list(at app.Place, patterns []string) *inventory.Source {
	builder, ok := r.Builder.(inventory.Builder)
	if !ok {
		builder = byPath{r.Builder}
	}
	clean := make([]string, len(patterns))
	for i, pattern := range patterns {
		clean[i] = filepath.Clean(pattern)
	}
	return &inventory.Source{
		Builder: builder, Adapters: r.Adapters, As: r.As, Place: at, Patterns: clean, Absent: true,
	}
}

// byPath builds applications at paths, whatever a configuration says of them.
type byPath struct{ fleet.Builder }

// For is inventory.Builder's.
func (b byPath) For(inventory.Rule) fleet.Builder { return b.Builder }

// renderNamed renders an application of a side. What goes wrong is the application's.
func renderNamed(ctx context.Context, list *inventory.Source, name string) rendered {
	out := rendered{App: diff.App{Name: name, By: list.Objects(name), Takes: list.Takes(name)}}
	if out.from, out.Err = list.Application(ctx, name); out.Err != nil {
		out.from, out.At = nil, fleet.FailureAt(list.Place.Files, out.Err)
		out.Err, out.At.File = fromHere(out.Err), shown(out.At.File)
		return out
	}
	out = out.run(ctx)
	if out.Err != nil {
		out.At = fleet.FailureAt(list.Place.Files, out.Err, out.from.Origin().Pos)
	}
	out.Err, out.At.File = fromHere(out.Err), shown(out.At.File)
	out.protect(out.from.Settings())
	return out
}

// protect takes which objects are protected from settings, and where these have that.
func (r *rendered) protect(s *config.Settings) {
	r.Protect = s.Protect
	at := func(field string) diag.Position {
		pos, _ := s.Where(field)
		pos.File = shown(pos.File)
		return pos
	}
	for i := range s.Protect.Objects.Value {
		r.RulesAt = append(r.RulesAt, at(fmt.Sprintf("protect.objects[%d]", i)))
	}
	r.ProtectAt = at("protect.objects")
}

// fromHere returns an error with the files of its positions as they are written from the working folder: those of a
// revision do not lie where it was read.
func fromHere(err error) error {
	if err == nil {
		return nil
	}
	return diag.MapErrors(err, func(err error) error {
		if e, ok := err.(*diag.Error); ok && filepath.IsAbs(e.Pos.File) { //nolint:errorlint // what wraps it says more
			shown := *e
			shown.Pos.File = displayPath(e.Pos.File)
			return &shown
		}
		return err
	})
}

// render renders the application at a path. What goes wrong is the application's.
func (r Renderer) render(ctx context.Context, at app.Place, path string) rendered {
	out := rendered{App: diff.App{Name: path}}
	if out.from, out.Err = r.Builder.Application(ctx, at, path); out.Err != nil {
		out.from = nil
		return out
	}
	return out.run(ctx)
}

// run renders the application.
func (r rendered) run(ctx context.Context) rendered {
	r.from = r.from.ToReport()
	r.Destination, r.Namespace = r.from.Destination(), r.from.Request().Namespace
	if r.Render, r.Err = pipeline.RunLazily(ctx, r.from); r.Err == nil {
		r.Member = fleet.MemberWith(r.from, r.Render)
		r.Leaves, r.Context = r.from.Leaves(), r.from.Settings().Context.Value
		origin := r.from.Origin()
		r.Kinds, r.Compat, r.Suspended = r.from.Settings().Kinds.Value, r.from.Settings().Compat, origin.Suspended
		r.Applier = origin.Applier
		r.Replacing, r.Described, r.Fetched = origin.Replacing, origin.Pos, fetched(r.from)
	}
	return r
}

// fetched returns the chart that an application is rendered from, where that lies in no file; else "".
func fetched(a *app.Application) string {
	if a.Origin().Fetched {
		return a.Path()
	}
	return ""
}

// Levels compares the stamps of a level of coverage with those of the one in force, over the same files.
func (r Renderer) Levels(
	ctx context.Context, at app.Place, patterns []string, level config.Level,
) (*diff.Comparison, error) {
	label := fmt.Sprint("level ", level)
	return r.versions(ctx, at, patterns, label, func(ctx context.Context, path string) (out diff.App) {
		out.Name = path
		a, err := r.Builder.Application(ctx, at, path)
		if err != nil {
			out.Err = err
			return out
		}
		out.Kinds, out.Compat = a.Settings().Kinds.Value, a.Settings().Compat
		out.Render, out.Err = pipeline.RunLazily(ctx, a.ToReport().WithSettings(
			a.Settings().WithLevel(level, "flag --against-level")))
		return out
	})
}

// Program compares what another program renders of an application with what this one does. It is called label, and its
// output is compared as it is.
func (r Renderer) Program(
	ctx context.Context, at app.Place, patterns []string, label string,
	other func(ctx context.Context, path string) ([]byte, error),
) (*diff.Comparison, error) {
	return r.versions(ctx, at, patterns, label, func(ctx context.Context, path string) diff.App {
		out := diff.App{Name: path, AsIs: true}
		text, err := other(ctx, path)
		var a *app.Application
		if err == nil {
			a, err = r.Builder.Application(ctx, at, path)
		}
		if err != nil {
			out.Err = err
			return out
		}
		stream := &render.Output{Kind: render.KindPlain, Text: text, Namespace: string(a.Settings().Namespace.Value)}
		out.Kinds, out.Compat = a.Settings().Kinds.Value, a.Settings().Compat
		out.Render, out.Err = pipeline.RunLazily(ctx, a.WithStream(stream))
		return out
	})
}

// versions compares two ways to render the same applications.
func (r Renderer) versions(
	ctx context.Context, at app.Place, patterns []string, label string,
	before func(ctx context.Context, path string) diff.App,
) (*diff.Comparison, error) {
	paths, err := present(at, patterns)
	if err != nil {
		return nil, err
	}
	paths = r.Shard.Select(paths)
	from := diff.Side{Label: label, Apps: make([]*diff.App, len(paths))}
	to := diff.Side{Label: "this version", Apps: make([]*diff.App, len(paths))}
	errs := fleet.Each(ctx, len(paths), func(ctx context.Context, i int) error {
		now, was := r.render(ctx, at, paths[i]).App, before(ctx, paths[i])
		to.Apps[i], from.Apps[i] = &now, &was
		return nil
	}, nil)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return diff.Compare(from, to)
}

// present returns the paths that patterns mean, of which each has to fit something. A path that is not there is among
// them: whoever reads it reports that.
func present(at app.Place, patterns []string) (all []string, err error) {
	for _, pattern := range patterns {
		paths, err := fleet.Expand(at.Files, []string{pattern})
		switch {
		case err != nil:
			return nil, err
		case len(paths) == 0 && fleet.IsPattern(pattern):
			return nil, diag.Input(diag.Position{}, fmt.Errorf("find applications: no folder fits %s", pattern),
				"Paths begin in the working folder, and a pattern in quotes fits folders only.")
		case len(paths) == 0:
			paths = []string{pattern}
		}
		all = append(all, paths...)
	}
	return all, nil
}

// FromStale returns the sides of manifests in a folder and of what they should be. Rendered are the objects that
// describe the applications of the run: what they apply is among the manifests, or is as it should be.
func FromStale(dir string, stale []*fleet.Stale, rendered []string) (from, to diff.Side) {
	from.Label, to.Label = dir, "a render of now"
	from.Rendered, to.Rendered = rendered, rendered
	for _, s := range stale {
		now, written := pipeline.NewRendered(s.Now), pipeline.NewRendered(s.Written)
		if s.IsUnchanged() {
			written = now
		}
		if now != nil {
			to.Apps = append(to.Apps, &diff.App{Name: s.Name, AsIs: s.IsNowWritten, Render: now, Kinds: s.Kinds,
				Compat: s.Compat, Suspended: s.Suspended, Applier: s.Applier, Namespace: s.Namespace})
		}
		if !s.Missing {
			from.Apps = append(from.Apps, &diff.App{Name: s.Name, AsIs: !s.IsUnchanged(), Render: written, Err: s.Err,
				Kinds: s.Kinds, Applier: s.Applier, Namespace: s.Namespace})
		}
	}
	return from, to
}
