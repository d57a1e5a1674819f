package wiring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// contextOf renders what applications have objects looked up in: as the configuration in their tree describes it, and
// so in the same way on a laptop and in a plugin.
type contextOf struct {
	wiring *Wiring
	flags  config.Flags
}

// describing are the flags that say of an application what its neighbours need not share.
var describing = []string{"namespace", "include", "exclude", "recursive"}

// context returns what renders contexts in a run with these flags.
func (w *Wiring) context(flags config.Flags) app.Context {
	flags = maps.Clone(flags)
	for _, name := range describing {
		delete(flags, name)
	}
	return contextOf{w, flags}
}

// Outputs is app.Context's.
func (c contextOf) Outputs(ctx context.Context, a *app.Application) ([]*render.Output, error) {
	var out []*render.Output
	var errs []error
	for i, pattern := range config.Strings(a.Settings().Context.Value) {
		members, err := c.wiring.contexts.get(ctx, contextKeyOf(a, pattern),
			func(ctx context.Context) ([]contextMember, error) { return c.render(ctx, a, pattern) })
		if err == nil {
			var outputs []*render.Output
			outputs, err = withoutItself(a, i, members)
			out = append(out, outputs...)
		}
		if err != nil {
			errs = append(errs, contextError(a, i, err))
		}
	}
	return out, errors.Join(errs...)
}

// withoutItself returns the renders of members of entry i of a context other than the application that looks things up
// in them. One that has nothing else is a mistake where the application's own folder says it: a file above says it to
// others, too. A folder of manifests around the application always is one: its files are no manifests.
func withoutItself(a *app.Application, i int, members []contextMember) (out []*render.Output, err error) {
	self, _ := files.RealPath(a.Request().Files, a.Path())
	var errs []error
	others := 0
	for _, m := range members {
		switch {
		case m.path == self:
			continue
		case m.err != nil:
			errs = append(errs, m.err)
		case m.output.Kind == render.KindPlain && files.Within(m.path, self):
			errs = append(errs, diag.Usage(fmt.Errorf("%s leads back to the application itself", files.FromHere(m.path)),
				"Name folders beside it, each by itself or with a glob."))
		default:
			out = append(out, m.output)
		}
		others++
	}
	if others == 0 && saysItself(a, i) {
		pattern := string(a.Settings().Context.Value[i])
		return nil, diag.Usage(fmt.Errorf("%s leads back to the application itself", files.FromHere(pattern)),
			"What it renders itself counts anyway; name what others render.")
	}
	return out, errors.Join(errs...)
}

// saysItself reports whether entry i of the context stands in the application's own folder.
func saysItself(a *app.Application, i int) bool {
	at, _ := a.Settings().Where(fmt.Sprintf("context[%d]", i))
	dir, err := filepath.Abs(filepath.Dir(at.File))
	if err != nil {
		return false
	}
	own, _ := files.RealPath(a.Request().Files, a.Path())
	dir, _ = files.RealPath(a.Request().Files, dir)
	return files.Within(own, dir)
}

// render renders the applications that a pattern means.
func (c contextOf) render(ctx context.Context, a *app.Application, pattern string) ([]contextMember, error) {
	at := app.Place{Files: a.Request().Files, Roots: a.Request().Roots, Recursive: true}
	if at.Roots == nil {
		at.Roots = &config.Roots{Files: at.Files}
	}
	if !filepath.IsAbs(a.Path()) {
		pattern = files.FromHere(pattern) // reports name its files as they name those of the application
	}
	var described *config.Engine // whose objects describe applications there
	list := &inventory.Source{
		Builder: contextBuilder{c.paths(a), a}, Place: at, Patterns: []string{pattern},
		Adapters: map[config.AppKind]inventory.Adapter{},
	}
	for _, e := range config.Engines() {
		list.Adapters[e.Name] = func(context.Context, app.Place, []string) (app.Described, error) {
			described = &e
			return noApplications{}, nil
		}
	}
	names, err := list.Names(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0 && described != nil:
		return nil, diag.Usage(fmt.Errorf("%s holds %s of %s", files.FromHere(pattern), described.Many, described.Title),
			"Name the folders that they render.")
	}
	root, members := a.Settings().Place().Root, make([]contextMember, len(names))
	apps := make([]*app.Application, len(names))
	for i, name := range names {
		members[i].path, _ = files.RealPath(at.Files, list.Path(name))
		if !files.Within(root, members[i].path) {
			return nil, diag.Usage(fmt.Errorf("%s leads out of %s", list.Path(name), root), "")
		}
		if apps[i], err = list.Application(ctx, name); err != nil {
			members[i].err = err
		}
	}
	if err := ambiguous(names, apps); err != nil {
		return nil, err
	}
	fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		if members[i].err == nil {
			members[i].output, members[i].err = renderContext(ctx, apps[i])
		}
		return nil
	}, nil)
	return members, ctx.Err()
}

// paths returns the builder of what an application has objects looked up in: for the same cluster as the application.
func (c contextOf) paths(a *app.Application) Paths {
	r := a.Request()
	return Paths{Wiring: c.wiring, Flags: c.flags, Options: app.Options{
		Helm: render.HelmOptions{KubeVersion: r.Helm.KubeVersion, APIVersions: r.Helm.APIVersions},
		Kustomize: render.KustomizeOptions{
			LoadRestrictor: r.Kustomize.LoadRestrictor, HelmKubeVersion: r.Kustomize.HelmKubeVersion,
			HelmAPIVersions: r.Kustomize.HelmAPIVersions,
		},
	}}
}

// contextBuilder builds applications that are looked up in, with no more permissions than the one that does so, and
// rendered by the Helm that renders it where they name none themselves: one engine applies both.
type contextBuilder struct {
	paths Paths
	of    *app.Application
}

// For is inventory.Builder's.
func (b contextBuilder) For(rule inventory.Rule) fleet.Builder {
	b.paths.rule = &rule
	return b
}

// Application is fleet.Builder's.
func (b contextBuilder) Application(_ context.Context, at app.Place, path string) (*app.Application, error) {
	s, err := b.paths.Settings(b.paths.Flags, at, path)
	if err != nil {
		return nil, err
	}
	if version := b.of.Request().Helm.Version; version != 0 && s.Helm.Source == config.Default {
		s = s.WithHelm(version, config.Source("application "+b.of.Name()))
	}
	return b.paths.under(s.Within(b.of.Settings().Permissions()), &shared{}, at, path)
}

// noApplications is what objects of Argo CD come to in a context. Of a source without names nothing else is asked.
type noApplications struct{ app.Described }

// Names is app.Source's.
func (noApplications) Names(context.Context) ([]string, error) { return nil, nil }

// Application is app.Source's.
func (noApplications) Application(context.Context, string) (*app.Application, error) {
	return nil, errors.New("find application: there is none")
}

// ambiguous refuses environments of one path whose objects would lie in one namespace: nothing says which is meant.
func ambiguous(names []string, apps []*app.Application) error {
	type place struct{ path, namespace string }
	first := map[place]string{}
	for i, a := range apps {
		if a == nil {
			continue
		}
		at := place{a.Path(), a.Request().Namespace}
		if other, taken := first[at]; taken {
			return diag.Usage(fmt.Errorf("%s and %s lie in one namespace, and either may be meant",
				files.FromHere(other), files.FromHere(names[i])),
				"Name one of them with its environment, as ../"+filepath.Base(names[i])+", or describe their namespaces.")
		}
		first[at] = names[i]
	}
	return nil
}

// renderContext renders one application that others have objects looked up in.
func renderContext(ctx context.Context, a *app.Application) (*render.Output, error) {
	result, err := pipeline.Run(ctx, a.WithTransform(pipeline.Additions(a.Settings().WithoutCopies(), nil)))
	if err != nil {
		return nil, pipeline.NewTrace(ctx, a, nil).Error(err)
	}
	out := *result.Output
	out.Namespace = a.Request().Namespace
	if out.Kind == render.KindPlain {
		if dir, ok := otherEngineFolder(out.Inputs); ok {
			return nil, diag.Usage(fmt.Errorf("%s has to be rendered, and is a part of the folder %s",
				files.FromHere(dir), files.FromHere(a.Path())),
				"Name what is to be rendered by itself, or with a glob: "+files.FromHere(filepath.Join(a.Path(), "*"))+".")
		}
	}
	out.Inputs, out.Probed, out.App = withConfiguration(a, out.Inputs), a.Request().Probed, files.FromHere(a.Name())
	return &out, nil
}

// markers are the files of folders that are not plain manifests.
var markers = []string{"Chart.yaml", "kustomization.yaml", "kustomization.yml"}

// otherEngineFolder returns a folder with a chart or a kustomization among the files of a folder of manifests.
func otherEngineFolder(read []string) (dir string, ok bool) {
	i := slices.IndexFunc(read, func(file string) bool { return slices.Contains(markers, filepath.Base(file)) })
	if i < 0 {
		return "", false
	}
	return filepath.Dir(read[i]), true
}

// withConfiguration adds the configuration files that say how an application is rendered to what was read for it.
func withConfiguration(a *app.Application, read []string) []string {
	place := a.Settings().Place()
	system, out := files.OrDisk(place.Files), slices.Clone(read)
	for dir := range files.Upwards(place.Dir, place.Root) {
		file := filepath.Join(dir, config.FileName)
		if info, err := system.Stat(file); err == nil && !info.IsDir() {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
