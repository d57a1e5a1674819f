package main

import (
	"cmp"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/rounds"
)

// world returns what the Applications of files are rendered in.
func (f *applicationFlags) world(p *program, paths []string) (*rounds.World, error) {
	if err := oneOf("load-restrictor", f.loadRestrictor, rootOnly, rootNone); err != nil {
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

// noLimit is longer than any render takes.
const noLimit = 24 * time.Hour

// part makes the application of a source, as a plugin's call is prepared.
func (f *applicationFlags) part(p *program) rounds.Maker {
	flags := f.pluginFlags
	flags.timeout = cmp.Or(flags.timeout, noLimit)
	return func(part apps.Part) (*app.Application, error) {
		j, err := flags.job(p.wiring, part.Call)
		if err != nil {
			return nil, err
		}
		return j.App, nil
	}
}

// objects reads files, all manifests below folders, and standard input. One that fails does not stop the others.
func (p *program) objects(paths []string) (out []*appset.Objects, errs []error) {
	for _, path := range paths {
		objects, err := p.objectsOf(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objects...)
	}
	return out, errs
}

func (p *program) objectsOf(path string) ([]*appset.Objects, error) {
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
