// Package rounds renders Applications as Argo CD would, and in further rounds those that are found in what was
// rendered.
package rounds

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/workspace"
)

// Options are where repositories are, and which Argo CD is meant.
type Options struct {
	Repositories []string            // on this machine: URL=FOLDER
	Around       []string            // files and folders whose own repositories count too; "-" is the working folder
	Version      workspace.Version   // of repositories on this machine
	Base         string              // see workspace.Repositories
	Instead      *workspace.Checkout // read in place of the work tree at its root; nil is none
	Clusters     string              // file with the Secrets that register clusters; "" is none
	Namespace    string              // of Argo CD
	Plugins      []string            // names of plugins that are rollstamp
}

// World is what Applications are rendered in.
type World struct {
	Repositories *workspace.Repositories

	instance apps.Instance
	around   appset.Surroundings
}

// NewWorld returns the world of a run with these settings. Charts fetches charts. Close its repositories in the end.
func NewWorld(s *config.Settings, charts workspace.Puller, o Options) (*World, error) {
	repos := &workspace.Repositories{
		Network: s.Permissions().Network, Hosts: s.Permissions().Hosts, CacheDir: s.CacheDir.Value, Charts: charts,
		Version: o.Version, Base: o.Base, Instead: o.Instead,
	}
	for _, repo := range o.Repositories {
		i := strings.LastIndexByte(repo, '=')
		if i <= 0 || i == len(repo)-1 {
			return nil, diag.Usage(fmt.Errorf("--repo %q is not URL=FOLDER", repo), "")
		}
		if err := repos.Add(repo[:i], repo[i+1:]); err != nil {
			return nil, err
		}
	}
	for _, path := range o.Around {
		if path == "-" {
			path = "."
		}
		repos.AddAround(path)
	}
	w := &World{
		Repositories: repos,
		instance:     apps.Instance{Repositories: repos, Namespace: o.Namespace, Plugins: o.Plugins},
		around:       appset.Surroundings{Repositories: repos},
	}
	if o.Clusters != "" {
		var err error
		if w.around.Clusters, err = appset.ReadClusters(files.Disk{}, o.Clusters); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// destination returns the cluster that an Application goes to. The addresses of names are known where the Secrets that
// register clusters are.
func (w *World) destination(a *apps.Application) app.Destination {
	to := a.Spec.Destination
	return app.NewDestination(to.Server, to.Name, w.around.Clusters.Addresses())
}

// Parts returns the sources of an Application.
func (w *World) Parts(ctx context.Context, a *apps.Application) ([]apps.Part, error) {
	return a.Parts(ctx, &w.instance)
}

// Applications returns the Applications among objects, and those that their ApplicationSets generate. One that fails
// does not stop the others.
func (w *World) Applications(ctx context.Context, objects ...*appset.Objects) (out []*apps.Application, errs []error) {
	for _, o := range objects {
		made, more := o.All(ctx, &w.around)
		out, errs = append(out, made...), append(errs, more...)
	}
	return out, errs
}

// OfSet returns the Applications that an ApplicationSet generates.
func (w *World) OfSet(ctx context.Context, set *appset.Set) ([]*apps.Application, error) {
	made, errs := w.Applications(ctx, &appset.Objects{Sets: []*appset.Set{set}})
	return made, errors.Join(errs...)
}
