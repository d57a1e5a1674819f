package main

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
	"github.com/rollstamp/rollstamp/workspace"
)

// applicationFlags are the flags of the commands that render Applications.
type applicationFlags struct {
	pluginFlags
	argoFlags
}

// argoFlags say where the repositories of Applications are, and which Argo CD is meant.
type argoFlags struct {
	repos     []string
	revisions bool
	clusters  string
	home      string
	plugins   []string
}

func (f *applicationFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.addSettings(c, config.Stamping, config.Fetching)
	f.addNamed(c, "kube-version", "api-versions")
	f.declare(flags)
	durationFlag(flags, &f.timeout, "timeout", 0, "time that one source may take; 0 is no limit")
	addLoadRestrictor(c, &f.loadRestrictor)
}

// declare adds the flags.
func (f *argoFlags) declare(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.repos, "repo", nil,
		"where a repository lies on this machine: URL=FOLDER; for one of charts, a folder with the charts")
	flags.BoolVar(&f.revisions, "revisions", false,
		"read repositories on this machine at the revision that each source names, instead of the work tree")
	flags.StringVar(&f.clusters, "clusters", "",
		"file with the Secrets that register clusters, for generators that ask for them")
	flags.StringVar(&f.home, "argocd-namespace", "argocd",
		"namespace that Argo CD lives in; the names of Applications elsewhere begin with theirs")
	flags.StringSliceVar(&f.plugins, "plugin", []string{pluginDefault}, "names of plugins that are rollstamp")
}

// reader returns what reads Applications of Argo CD.
func (f *argoFlags) reader(p *program, r objectRun) inventory.Adapter {
	return func(ctx context.Context, at app.Place, paths []string) (app.Described, error) {
		if len(paths) == 0 {
			paths = []string{"."}
		}
		f := applicationFlags{argoFlags: *f, pluginFlags: pluginFlags{settingsFlags: r.settingsFlags,
			timeout: r.timeout, loadRestrictor: r.loadRestrictor, asksAgain: r.asksAgain}}
		in := rounds.Options{Version: r.version, Base: r.base, Instead: checkoutOf(at)}
		if f.revisions {
			in.Version = workspace.Committed
		}
		w, err := f.worldOf(p, paths, in)
		if err != nil {
			return nil, err
		}
		p.atEnd(func() { _ = w.Repositories.Close() }) // they were only read
		objects, errs := f.readOrRender(ctx, p, at, paths)
		create := f.part(p)
		if r.noStamp {
			create = withoutStamps(create)
		}
		return rounds.NewSource(w, create, objects, errs, p.progress()), nil
	}
}

// world returns what the Applications of files are rendered in.
func (f *applicationFlags) world(p *program, paths []string) (*rounds.World, error) {
	version := workspace.WorkTree
	if f.revisions {
		version = workspace.Committed
	}
	return f.worldOf(p, paths, rounds.Options{Version: version})
}

// worldOf is world with options of its own.
func (f *applicationFlags) worldOf(p *program, paths []string, o rounds.Options) (*rounds.World, error) {
	place := ""
	if _, err := os.Stat(paths[0]); err == nil {
		place = paths[0] // "-" is not there, and another revision may have what the disk has not
	}
	s, err := p.wiring.Settings(f.flags(), p.wiring.Disk(), place)
	if err != nil {
		return nil, err
	}
	o.Repositories, o.Around, o.Clusters, o.Namespace, o.Plugins = f.repos, paths, f.clusters, f.home, f.plugins
	return rounds.NewWorld(s, p.wiring.Charts(s), o)
}

// part makes the application of a source, as a plugin's call is prepared.
func (f *applicationFlags) part(p *program) rounds.NewApplication {
	flags := f.pluginFlags
	flags.timeout = cmp.Or(flags.timeout, plugin.NoLimit)
	return func(part apps.Part) (*app.Application, error) {
		j, err := flags.job(p.wiring, part.Call)
		if err != nil {
			return nil, err
		}
		return j.App, nil
	}
}

// withoutStamps returns what makes applications that are rendered only.
func withoutStamps(create rounds.NewApplication) rounds.NewApplication {
	return func(part apps.Part) (*app.Application, error) {
		a, err := create(part)
		if err != nil {
			return nil, err
		}
		return a.WithoutStamping().WithoutSecondRender(), nil
	}
}

// readOrRender is readObjects for paths of which some are kustomizations or charts: these are rendered first, as what
// applies them does.
func (f *applicationFlags) readOrRender(
	ctx context.Context, p *program, at app.Place, paths []string,
) (out []*appset.Objects, errs []error) {
	for _, path := range paths {
		kind, _, err := pipeline.Detect(at.Files, path)
		if path == "-" || err != nil || kind == render.KindPlain {
			objects, more := readObjects(p, at.Files, []string{path})
			out, errs = append(out, objects...), append(errs, more...)
			continue
		}
		objects, err := f.renderObjects(ctx, p, at, path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objects)
	}
	return out, errs
}

// renderObjects returns the objects of a kustomization or a chart.
func (f *applicationFlags) renderObjects(
	ctx context.Context, p *program, at app.Place, path string,
) (*appset.Objects, error) {
	paths := wiring.Paths{Wiring: p.wiring, Flags: f.flags(), RenderOnly: true, Options: app.Options{
		Kustomize: render.KustomizeOptions{LoadRestrictor: f.loadRestrictor}, Timeout: f.timeout,
	}}
	a, err := paths.Application(ctx, at, path)
	if err != nil {
		return nil, err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return nil, err
	}
	return rounds.Objects(result.Output, "what "+path+" renders")
}

// readObjects reads files, all manifests below folders, and standard input. One that fails does not stop the others.
func readObjects(p *program, system files.System, paths []string) (out []*appset.Objects, errs []error) {
	for _, path := range paths {
		objects, err := readObjectsOf(p, system, path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objects...)
	}
	return out, errs
}

func readObjectsOf(p *program, system files.System, path string) ([]*appset.Objects, error) {
	if path != "-" {
		return appset.ReadAll(system, path, func(err error) { p.leaveOut(system, err) })
	}
	text, err := p.slurp(path)
	if err != nil {
		return nil, err
	}
	o, err := appset.Parse(text, "-")
	return []*appset.Objects{o}, err
}
