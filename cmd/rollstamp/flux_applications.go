package main

import (
	"context"
	"maps"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/rounds"
	fluxvalues "github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

// fluxFlags say where the sources of Kustomizations and HelmReleases are, and the values that they take.
type fluxFlags struct {
	root    string
	sources []string
	vars    string
	missing string
}

// declare adds the flags.
func (f *fluxFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.root, "source-root", "",
		"folder that spec.path starts from in the repository itself; by default its top, else the working folder")
	flags.StringArrayVar(&f.sources, "source", nil,
		"where the files of another source lie on this machine: KIND/NAMESPACE/NAME=DIR")
	flags.StringVar(&f.vars, "vars", "",
		"file with values of ConfigMaps and Secrets that no manifest has: KEY=VALUE, a mapping, or the objects")
	flags.StringVar(&f.missing, "missing-vars", string(rounds.MissingFails),
		"where the values that an object takes are not known: fail; keep what has no value and no default, and report it; "+
			"or empty, for variables alone, as in a cluster that is not strict: before Flux 2.9, or by its feature gate")
}

// reader returns what reads Flux's objects.
func (f *fluxFlags) reader(p *program, r objectRun) inventory.Adapter {
	return func(_ context.Context, at app.Place, paths []string) (app.Described, error) {
		if len(paths) == 0 {
			paths = []string{"."}
		}
		o, err := f.options(p, r, at, paths)
		if err != nil {
			return nil, err
		}
		p.atEnd(func() { _ = o.Repositories.Close() }) // they were only read
		all, errs := readFluxObjects(p, r.parsed, at.Files, paths)
		return rounds.NewSource(o, fluxBuilder{p, r, &sync.Once{}}, all, errs)
	}
}

// options returns where a run finds sources and values.
func (f *fluxFlags) options(p *program, r objectRun, at app.Place, paths []string) (o rounds.Options, err error) {
	if err := oneOf("missing-vars", f.missing, string(rounds.MissingFails), string(rounds.MissingKept),
		string(rounds.MissingEmpty)); err != nil {
		return o, err
	}
	s, err := p.wiring.Settings(r.flags(), p.wiring.Disk(), "")
	if err != nil {
		return o, err
	}
	first := paths[0]
	if first == "-" {
		first = "."
	}
	of, err := p.wiring.Settings(r.flags(), at, first)
	if err != nil {
		return o, err
	}
	o = rounds.Options{At: at, Paths: paths, Parts: r.parts, Root: f.root, Sources: f.sources,
		Missing: rounds.Missing(f.missing), Progress: p.progress(),
		ForElsewhere: r.forElsewhere, WithoutStamps: r.withoutStamps, Prefix: app.StampPrefix(of), Parsed: r.parsed,
		Repositories: &workspace.Repositories{
			Network: s.Permissions().Network, Hosts: s.Permissions().Hosts, CacheDir: s.CacheDir.Value,
			Charts: p.wiring.Charts(s), Cache: p.wiring.Charts(s), Version: r.version, Base: r.base, Instead: checkoutOf(at),
		}}
	for _, path := range paths {
		if path == "-" {
			path = "."
		}
		o.Repositories.AddAround(path)
	}
	if f.vars != "" {
		o.Vars, err = fluxvalues.ReadFile(files.Disk{}, f.vars)
	}
	return o, err
}

// readFluxObjects reads files, all manifests below folders, and standard input. One that fails does not stop the
// others.
func readFluxObjects(
	p *program, parsed objects.Cache, system files.System, paths []string,
) (out []*objects.Objects, errs []error) {
	for _, path := range paths {
		if path != "-" {
			all, more := parsed.ReadAll(system, path, func(err error) { p.leaveOut(system, err) })
			out, errs = append(out, all...), append(errs, more...)
			continue
		}
		text, err := p.slurp(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		o, err := objects.Parse(text, "-")
		out, errs = append(out, o), append(errs, err)
	}
	return out, errs
}

// fluxBuilder makes the applications of Kustomizations and HelmReleases.
type fluxBuilder struct {
	p   *program
	run objectRun

	helmSaid *sync.Once
}

// Surroundings is rounds.Builder's.
func (b fluxBuilder) Surroundings(ctx context.Context, at app.Place, path string) (out fluxvalues.Around, err error) {
	if _, err := files.OrDisk(at.Files).Stat(path); err != nil {
		path = "" // the file is not known
	}
	s, err := b.p.wiring.Settings(b.run.flags(), at, path)
	if err != nil {
		return out, err
	}
	stamping, _, err := b.p.wiring.Stamping(b.run.flags(), s)
	if err != nil || len(s.Context.Value) == 0 {
		return fluxvalues.Around{Decrypter: stamping.Decrypter}, err
	}
	a := app.FromPath(path, at, s, app.Options{})
	out.Decrypter = stamping.Decrypter
	out.Context, err = stamping.Context.Outputs(ctx, a)
	return out, err
}

// Application is rounds.Builder's.
func (b fluxBuilder) Application(_ context.Context, d rounds.Draft) (*app.Application, error) {
	s, err := b.p.wiring.Settings(b.run.flags(), d.Place, d.Folder)
	if err != nil {
		return nil, err
	}
	options := app.Options{Timeout: b.run.timeout, RegistryConfig: b.p.wiring.RegistryConfig(),
		Kustomize: render.KustomizeOptions{LoadRestrictor: b.run.loadRestrictor}}
	base := app.FromPath(d.Path, app.Place{Files: d.Files, Roots: d.Place.Roots}, s, options).Request()
	engines := b.p.wiring.Engines(s)
	decrypter, err := b.p.wiring.FileDecrypter(s)
	if err != nil {
		return nil, err
	}
	done, err := d.Complete(base, rounds.Surroundings{Engines: engines, Decrypter: decrypter}, s)
	if err != nil {
		return nil, err
	}
	if done.Kind == render.KindHelm {
		b.helmSaid.Do(func() { b.sayHelm(s) })
	}
	if done.Engine != nil {
		engines = maps.Clone(engines)
		engines[done.Kind] = done.Engine
	}
	var found []diag.Finding
	if names := s.Additions(); len(names) > 0 {
		s = s.WithoutAdditions()
		found = append(found, diag.New(diag.FluxAdditions, "",
			"Flux renders it without what "+strings.Join(names, ", ")+" of the configuration would add"))
	}
	if done.Namespace != "" {
		s = s.WithNamespace(done.Namespace, config.Source(d.Of))
	}
	a := app.New(app.Spec{Name: d.Of, Kind: done.Kind, Request: &done.Request, Engines: engines,
		Transforms: done.Transforms, Settings: s, Findings: found, Timeout: b.run.timeout})
	if b.run.noStamp {
		return a.WithoutSecondRender(), nil
	}
	if a, err = b.p.wiring.WithStamping(b.run.flags(), a); err != nil || done.Decrypts {
		return a, err
	}
	return b.p.wiring.WithRenders(a)
}

// sayHelm says with -v which Helm renders HelmReleases, because the controller's is Helm 4.
func (b fluxBuilder) sayHelm(s *config.Settings) {
	if s.Helm.Source == config.Default {
		b.p.say("HelmReleases are rendered with Helm 3 and without null values, as by Helm 4; helm.version 4 renders with Helm 4")
		return
	}
	b.p.say("HelmReleases are rendered with Helm %d: %s", s.Helm.Value, s.Helm.Source)
}
