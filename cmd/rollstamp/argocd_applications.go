package main

import (
	"cmp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
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
	f.addRepositories(flags)
	durationFlag(flags, &f.timeout, "timeout", 0, "time that one source may take; 0 is no limit")
	addLoadRestrictor(c, &f.loadRestrictor)
}

// argoOnly are the names of argoFlags.
var argoOnly = []string{"repo", "revisions", "clusters", "argocd-namespace", "plugin"}

// addRepositories adds those about where things are.
func (f *argoFlags) addRepositories(flags *pflag.FlagSet) {
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

// world returns what the Applications of files are rendered in.
func (f *applicationFlags) world(p *program, paths []string) (*rounds.World, error) {
	if err := checkLoadRestrictor(f.loadRestrictor); err != nil {
		return nil, err
	}
	place := paths[0]
	if place == "-" {
		place = ""
	}
	s, err := p.wiring.Settings(f.flags(), p.wiring.Disk(), place)
	if err != nil {
		return nil, err
	}
	return rounds.NewWorld(s, p.wiring.Charts(s), rounds.Options{
		Repositories: f.repos, Around: paths, Committed: f.revisions, Clusters: f.clusters,
		Namespace: f.home, Plugins: f.plugins,
	})
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

// readObjects reads files, all manifests below folders, and standard input. One that fails does not stop the others.
func readObjects(p *program, paths []string) (out []*appset.Objects, errs []error) {
	for _, path := range paths {
		objects, err := readObjectsOf(p, path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objects...)
	}
	return out, errs
}

func readObjectsOf(p *program, path string) ([]*appset.Objects, error) {
	if path != "-" {
		return appset.ReadAll(path, func(err error) { p.say("%v: left out", err) })
	}
	text, err := p.slurp(path)
	if err != nil {
		return nil, err
	}
	o, err := appset.Parse(text, "-")
	return []*appset.Objects{o}, err
}
