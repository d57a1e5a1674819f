package wiring

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/lock"
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

// SettingsAt returns what is in force at a place that is known. The lock says at which level its applications are,
// where nothing else does.
func (w *Wiring) SettingsAt(flags config.Flags, place config.Place) (*config.Settings, error) {
	s, err := config.Resolve(config.Inputs{Place: place, Flags: flags, Env: w.env})
	if err != nil || s.Level.Source != config.Default || place.Dir == "" {
		return s, err
	}
	if level, pos := lock.LevelAt(place); level > 0 {
		s = s.WithLevel(config.Level(level), config.Source(pos.String()))
	}
	return s, nil
}

// Paths makes the applications at paths, with what a user set for all of them.
type Paths struct {
	*Wiring
	Flags      config.Flags
	Options    app.Options
	RenderOnly bool // they are rendered once, and not stamped
	// Resolved remembers settings for applications of the same flags; nil remembers none.
	Resolved *Resolved

	rule *inventory.Rule // of the configuration, for one application; nil for none
}

// under returns the application at a path under settings, not stamped.
func (p Paths) under(s *config.Settings, with *shared, at app.Place, path string) (a *app.Application, err error) {
	options := p.Options
	options.Engines = with.engines.get(func() render.Engines { return p.Engines(s) })
	options.RegistryConfig = p.RegistryConfig()
	if p.rule != nil {
		if s, options, err = withRule(s, options, at, path, p.rule); err != nil {
			return nil, err
		}
	}
	a = app.FromPath(path, at, s, options)
	if _, given := s.Where("argocd"); given && path != "-" {
		kind, request, found, err := p.asArgoCD(s, options, a.Request())
		if err != nil {
			return nil, err
		}
		a = a.WithKind(kind).WithRequest(request).WithFindings(found...)
	}
	return a, nil
}

// withRule returns settings and options with what a rule says of the application at a path. What the user set by a flag
// counts before it.
func withRule(
	s *config.Settings, o app.Options, at app.Place, path string, rule *inventory.Rule,
) (*config.Settings, app.Options, error) {
	if rule.Namespace != "" && !s.Namespace.Source.ByOperator() {
		s = s.WithNamespace(string(rule.Namespace), config.Source(rule.Pos.String()))
	}
	if o.Kind == render.KindAuto {
		o.Kind = render.Kind(rule.As)
	}
	if o.Helm.ReleaseName == "" && o.Helm.NameTemplate == "" {
		o.Helm.ReleaseName = string(rule.Release)
	}
	values := make([]string, len(rule.Values))
	for i, name := range rule.Values {
		var err error
		if values[i], err = valuesFile(at, path, string(name), rule); err != nil {
			return nil, o, err
		}
	}
	o.Helm.ValuesFiles = slices.Concat(values, o.Helm.ValuesFiles)
	return s, o, nil
}

// valuesFile returns the path of a file with values that a rule names: from the application's folder, or with a leading
// slash from the top of the repository, in which it lies.
func valuesFile(at app.Place, path, name string, rule *inventory.Rule) (string, error) {
	system := files.OrDisk(at.Files)
	if info, err := system.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	if strings.HasPrefix(name, "/") {
		path = rule.Top
	}
	file := filepath.Join(path, filepath.FromSlash(name))
	outside := diag.UsageAt(rule.Pos, fmt.Errorf("apps: values %s lead out of the repository", name), "")
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	if abs, err = system.Real(abs); err != nil || !files.Within(rule.Top, filepath.Join(abs, filepath.FromSlash(name))) {
		return "", outside // whether anything is there is not for the tree to know
	}
	real, err := system.Real(filepath.Join(abs, filepath.FromSlash(name)))
	if err != nil {
		return "", diag.Input(rule.Pos, fmt.Errorf("apps: read values %s: %w", name, files.Cause(err)),
			"Values lie in the application's folder, or with a leading slash at the repository's top. "+
				"An environment that has no such file needs an entry of its own, without it.")
	}
	if !files.Within(rule.Top, real) {
		return "", outside
	}
	return file, nil
}
