package app

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Origin returns where the application was found.
func (a *Application) Origin() Origin { return a.spec.Origin }

// WithOrigin returns the application with another origin.
func (a *Application) WithOrigin(o Origin) *Application {
	return a.with(func(s *Spec) { s.Origin = o })
}

// InFiles returns the position of the object that describes the application in place of one in a chart that was fetched
// from path, which is no file that anybody can open; and the position in that chart.
func (o Origin) InFiles(path string, pos diag.Position) (at, inChart diag.Position) {
	if !o.Fetched || o.Pos.File == "" || pos.File == "" {
		return pos, inChart
	}
	rel, err := filepath.Rel(path, pos.File)
	if err != nil || !filepath.IsLocal(rel) {
		return pos, inChart
	}
	at, inChart = o.Pos, pos
	at.RenderLine, inChart.File = pos.RenderLine, filepath.ToSlash(rel)
	return at, inChart
}

// Identity returns what the lines of locks know the application by.
func (a *Application) Identity() lock.Identity {
	out := lock.Identity{Declared: a.spec.Origin.Declared, Environment: a.spec.Destination.Environment}
	if out.Declared.Engine == lock.Flux && a.spec.Origin.Applier != KustomizeController {
		return out // a chart's path is not that of the release
	}
	r := a.spec.Request
	out.Path = a.spec.Settings.Place().Dir
	if a.spec.Stream != nil || r.Path == "" || r.Roots == nil || r.Roots.IsFolder(r.Path) {
		return out
	}
	if real, err := files.RealPath(r.Files, r.Path); err == nil && filepath.Dir(real) == out.Path {
		out.Path, out.IsFile = real, true
	}
	return out
}
