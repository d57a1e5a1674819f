package kustomize

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// plan is what is known of a kustomization before it is built: every kustomization file that the build will read.
type plan struct {
	root       *kustomization
	ownSchema  bool             // one of them brings an OpenAPI schema
	configs    []configFolder   // deepest first
	withCharts []*kustomization // each once
}

// configFolder is a kustomization that makes the configuration of plugins, for the one that names it.
type configFolder struct {
	dir   string
	of    *kustomization
	field string
	entry string
}

// plan reads the tree of kustomizations in the order in which kustomize will. It refuses what is not allowed, and what
// cannot be found or read with a position that kustomize does not give; all else is left to kustomize.
func (t *tree) plan() (*plan, error) {
	w := walker{tree: t, plan: &plan{}}
	root, err := w.walk(t.app, visit{})
	if err != nil {
		return nil, err
	}
	w.plan.root = root
	return w.plan, nil
}

// walker goes down the tree of kustomizations.
type walker struct {
	tree   *tree
	plan   *plan
	above  []string // the folders on the way down
	config int      // how many of them make the configuration of plugins
}

// visit is one reading of a kustomization: a base may be used several times.
type visit struct {
	namespace string // set by the nearest kustomization above that sets one
	origin    place
}

// walk reads the kustomization in dir and all below it.
func (w *walker) walk(dir string, v visit) (*kustomization, error) {
	k, seen := w.tree.kusts[dir]
	if seen && !k.anyChart {
		return k, nil
	}
	if !seen {
		var err error
		if k, err = w.tree.inspect(dir); err != nil {
			return nil, err
		}
		k.generators = k.charts()
		w.plan.ownSchema = w.plan.ownSchema || len(k.kust.OpenAPI) > 0
	}
	w.above = append(w.above, dir)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	below := visit{cmp.Or(k.kust.Namespace, v.namespace), v.origin}
	if err := w.below(k, below, seen); err != nil {
		return nil, err
	}
	return k, w.note(k, v, seen)
}

// below follows the entries of a kustomization in kustomize's order.
func (w *walker) below(k *kustomization, v visit, seen bool) error {
	for _, path := range k.kust.Resources {
		if err := w.resource(k, v, "resources", path); err != nil {
			return err
		}
	}
	if err := w.plugins(k, v, "generators", k.kust.Generators, seen); err != nil {
		return err
	}
	for _, path := range k.kust.Components {
		if err := w.folder(k, v, "components", path); err != nil {
			return err
		}
	}
	if err := w.plugins(k, v, "transformers", k.kust.Transformers, seen); err != nil {
		return err
	}
	return w.plugins(k, v, "validators", k.kust.Validators, seen)
}

// note remembers the visit of a kustomization with charts.
func (w *walker) note(k *kustomization, v visit, seen bool) error {
	if !slices.ContainsFunc(k.generators, func(g generator) bool { return g.chart != nil }) {
		return nil
	}
	if w.config > 0 {
		return k.errorf("", "read kustomization: charts cannot make the configuration of plugins")
	}
	k.anyChart = true
	k.visits = append(k.visits, v)
	if !seen {
		w.plan.withCharts = append(w.plan.withCharts, k)
	}
	return nil
}

// resource follows an entry that is a file or a folder.
func (w *walker) resource(k *kustomization, v visit, field, path string) error {
	if w.tree.isRemote(k, path) {
		return w.remote(k, v, field, path)
	}
	if _, file, err := w.tree.CleanedAbs(filepath.Join(k.dir, path)); err == nil && file != "" {
		return nil
	}
	return w.folder(k, v, field, path)
}

// remote fetches an entry and, if it is a repository, follows it.
func (w *walker) remote(k *kustomization, v visit, field, entry string) error {
	dir, err := w.tree.fetch(k, field, entry)
	if err != nil || dir == "" {
		return err
	}
	repo, _ := remote.Parse(entry)
	v.origin = placeIn(repo)
	return w.descend(k, v, field, entry, dir)
}

// folder follows an entry that can only be a folder.
func (w *walker) folder(k *kustomization, v visit, field, path string) error {
	if w.tree.isRemote(k, path) {
		return w.remote(k, v, field, path)
	}
	v.origin.path = filepath.Join(v.origin.path, path)
	return w.descend(k, v, field, path, filepath.Join(k.dir, path))
}

// descend walks the folder that an entry stands for.
func (w *walker) descend(k *kustomization, v visit, field, entry, dir string) error {
	found, file, err := w.tree.CleanedAbs(dir)
	dir = found.String()
	switch {
	case w.tree.refusal != nil:
		return w.tree.refusal
	case err != nil:
		return k.errorf(entry, "find %q of %s: %w", entry, field, files.Cause(err))
	case file != "":
		return k.errorf(entry, "open %q of %s: %w", entry, field, errNotFolder)
	case slices.ContainsFunc(w.above, func(above string) bool { return files.Within(dir, above) }):
		return k.errorf(entry, "open %q of %s: the kustomization leads back to itself", entry, field)
	case !w.tree.overlay.sameClone(k.dir, dir):
		return k.errorf(entry, "open %q of %s: it leads out of the repository that it was fetched from", entry, field)
	}
	below, err := w.walk(dir, v)
	if err == nil && below.anyChart {
		k.anyChart = true
	}
	return err
}

var errNotFolder = errors.New("not a folder")
