package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/workspace"
)

// world is what Applications are rendered in.
type world struct {
	instance apps.Instance
	around   appset.Surroundings
}

// world finds out what is allowed and where repositories lie.
func (p *program) world(f *applicationFlags, paths []string) (*world, error) {
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
	repos := &workspace.Repositories{
		Network: s.Permissions().Network, CacheDir: s.CacheDir.Value,
		Charts: p.wiring.Charts(s),
	}
	if f.revisions {
		repos.Version = workspace.Committed
	}
	for _, repo := range f.repos {
		i := strings.LastIndexByte(repo, '=')
		if i <= 0 || i == len(repo)-1 {
			return nil, diag.Usage(fmt.Errorf("--repo %q is not URL=FOLDER", repo), "")
		}
		if err := repos.Add(repo[:i], repo[i+1:]); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		if path == "-" {
			path = "."
		}
		repos.AddAround(path)
	}
	w := &world{
		instance: apps.Instance{
			Repositories: repos, Namespace: f.home, Plugins: f.plugins,
		},
		around: appset.Surroundings{Repositories: repos},
	}
	if f.clusters != "" {
		if w.around.Clusters, err = appset.ReadClusters(files.Disk{}, f.clusters); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// read returns the Applications of files and folders, those that their ApplicationSets generate among them, and these sets. One that fails
// does not stop the others.
func (w *world) read(ctx context.Context, p *program, paths []string) (out []*apps.Application, sets []*appset.Set, errs []error) {
	for _, path := range paths {
		objects, err := p.objects(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, o := range objects {
			made, more := o.All(ctx, &w.around)
			out, sets, errs = append(out, made...), append(sets, o.Sets...), append(errs, more...)
		}
	}
	return out, sets, errs
}

// inside returns the Applications that are in what was rendered. Those that name no namespace lie in that of their application.
func (w *world) inside(ctx context.Context, from []rendered) (out []*apps.Application, errs []error) {
	for _, r := range from {
		for _, o := range r.outcomes {
			objects, err := appset.Parse(o.Result.Output.Text, "what "+o.Name+" renders")
			if err != nil {
				errs = append(errs, err)
				continue
			}
			objects.Settle(r.app.Spec.Destination.Namespace)
			made, more := objects.All(ctx, &w.around)
			out, errs = append(out, made...), append(errs, more...)
		}
	}
	return out, errs
}

// objects reads a file, all manifests below a folder, or standard input.
func (p *program) objects(path string) ([]*appset.Objects, error) {
	if path == "-" {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return nil, diag.Input(diag.Position{}, fmt.Errorf("read standard input: %w", err), "")
		}
		o, err := appset.Parse(text, "-")
		return []*appset.Objects{o}, err
	}
	return appset.ReadAll(path, func(err error) { p.say("%v: left out", err) })
}
