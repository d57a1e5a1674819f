package kustomize

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// plan is what is known of a kustomization before it is built: every kustomization file that the build will read.
type plan struct {
	root       *kustomization
	read       kustomizations
	ownSchema  bool             // one of them brings an OpenAPI schema
	configs    []configFolder   // deepest first
	withCharts []*kustomization // each once
}

// configFolder is a kustomization that holds the configuration of plugins, for the one that names it.
type configFolder struct {
	dir   string
	of    *kustomization
	field string
	entry string
}

// readPlan reads the tree of kustomizations in the order in which kustomize will. It refuses what is not allowed, and
// what cannot be found or read with a position that kustomize does not name; all else is left to kustomize.
func readPlan(t *tree, f *fetcher) (*plan, error) {
	w := walker{tree: t, fetch: f, gate: gate{t}, plan: &plan{read: kustomizations{}}}
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
	fetch  *fetcher
	gate   gate
	plan   *plan
	order  []string          // the folders in the order in which they were come to
	above  []string          // the folders on the way down
	config int               // how many of them make the configuration of plugins
	keep   func(error) error // of an entry, whether the walk ends with it; nil where it does
}

// walk reads the kustomization in dir and all below it.
func (w *walker) walk(dir string, v visit) (*kustomization, error) {
	k, seen := w.plan.read[dir]
	if seen && !k.anyChart {
		return k, nil
	}
	if !seen {
		var err error
		if k, err = w.inspect(dir); err != nil {
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
	return k, w.addVisit(k, v, seen)
}

// inspect reads the kustomization in dir, refuses one that is not allowed what it asks for, and fetches the files that
// it names by URL.
func (w *walker) inspect(dir string) (*kustomization, error) {
	k, err := inspect(w.tree, dir)
	if err != nil {
		return nil, err
	}
	w.plan.read[dir] = k
	w.order = append(w.order, dir)
	if err := w.gate.checkRemote(k); err != nil {
		return nil, err
	}
	for _, f := range k.files() {
		if remote.IsURL(f.path) {
			if err := w.fetch.file(k, f.path, f.field); err != nil {
				return nil, err
			}
		}
	}
	return k, w.gate.checkClone(k, slices.Concat(k.folders(), k.files()))
}

// below follows the entries of a kustomization in kustomize's order.
func (w *walker) below(k *kustomization, v visit, seen bool) error {
	for _, path := range k.kust.Resources {
		if err := w.endWith(w.resource(k, v, "resources", path)); err != nil {
			return err
		}
	}
	if err := w.plugins(k, v, "generators", k.kust.Generators, seen); err != nil {
		return err
	}
	for _, path := range k.kust.Components {
		if err := w.endWith(w.folder(k, v, "components", path)); err != nil {
			return err
		}
	}
	if err := w.plugins(k, v, "transformers", k.kust.Transformers, seen); err != nil {
		return err
	}
	return w.plugins(k, v, "validators", k.kust.Validators, seen)
}

// endWith returns the error of an entry if the walk ends with it.
func (w *walker) endWith(err error) error {
	if err == nil || w.keep == nil {
		return err
	}
	return w.keep(err)
}

// addVisit remembers the visit of a kustomization with charts.
func (w *walker) addVisit(k *kustomization, v visit, seen bool) error {
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
	if w.gate.isRemote(k, path) {
		return w.remote(k, v, field, path)
	}
	if _, file, err := w.tree.CleanedAbs(k.path(path)); err == nil && file != "" {
		return nil
	}
	return w.folder(k, v, field, path)
}

// remote fetches an entry and, if it is a repository, follows it.
func (w *walker) remote(k *kustomization, v visit, field, entry string) error {
	dir, err := w.fetch.entry(k, field, entry)
	if err != nil || dir == "" {
		return err
	}
	repo, _ := remote.Parse(entry)
	v.origin = placeIn(repo)
	return w.descend(k, v, field, entry, dir)
}

// folder follows an entry that can only be a folder.
func (w *walker) folder(k *kustomization, v visit, field, path string) error {
	if w.gate.isRemote(k, path) {
		return w.remote(k, v, field, path)
	}
	v.origin.path = filepath.Join(v.origin.path, path)
	return w.descend(k, v, field, path, k.path(path))
}

// descend walks the folder that an entry names.
func (w *walker) descend(k *kustomization, v visit, field, entry, dir string) error {
	if err := k.wrongEntry(entry, field); err != nil {
		return err
	}
	found, file, err := w.tree.CleanedAbs(dir)
	dir = found.String()
	switch {
	case w.tree.refusal != nil:
		return w.tree.refusal
	case err != nil:
		return k.errorf(entry, "find %q of %s: %w", entry, field, files.Cause(err))
	case file != "":
		return k.errorf(entry, "open %q of %s: %w", entry, field, errNotFolder)
	case filepath.IsAbs(entry):
		return k.errorf(entry, "open %q of %s: kustomize takes no folder by its absolute path", entry, field)
	case slices.ContainsFunc(w.above, func(above string) bool { return files.Within(dir, above) }):
		return k.errorf(entry, "open %q of %s: the kustomization leads back to itself", entry, field)
	case !w.gate.staysInClone(k.dir, dir):
		return k.errorf(entry, "open %q of %s: it leads out of the repository that it was fetched from", entry, field)
	}
	below, err := w.walk(dir, v)
	if err == nil {
		err = checkKind(k, below, field, entry)
	}
	if err == nil && below.anyChart {
		k.anyChart = true
	}
	return err
}

// checkKind refuses a component as a resource, and the other way round, as kustomize does without a line.
func checkKind(k, below *kustomization, field, entry string) error {
	is := below.kust.Kind == types.ComponentKind
	switch {
	case field == "resources" && is:
		return diag.Input(k.atEntry(field, entry), fmt.Errorf("open %q of %s: %s is a Component", entry, field, below.shown),
			"Name it under components.")
	case field == "components" && !is:
		return diag.Input(k.atEntry(field, entry), fmt.Errorf("open %q of %s: %s is no Component", entry, field, below.shown),
			"Name it under resources, or give it apiVersion: kustomize.config.k8s.io/v1alpha1 and kind: Component.")
	}
	return nil
}

// plugins follows the entries of generators, transformers and validators. An entry is the configuration of a plugin, or
// the path of a file with such, or of a kustomization that builds such. What is in it is looked at the first time only.
func (w *walker) plugins(k *kustomization, v visit, field string, entries []string, seen bool) error {
	for _, entry := range entries {
		where := inline
		rs, err := parse([]byte(entry))
		if err != nil {
			if err := k.wrongEntry(entry, field); err != nil {
				return err
			}
			where = inFile
			path := filepath.Join(k.dir, entry)
			if _, name, err := w.tree.CleanedAbs(path); err != nil || name == "" {
				if err := w.endWith(w.configs(k, v, field, entry, seen)); err != nil {
					return err
				}
				continue
			}
			b, err := w.tree.ReadFile(path)
			if err != nil {
				return k.errorf(entry, "read %q of %s: %w", entry, field, files.Cause(err))
			}
			if rs, err = parse(b); err != nil {
				rs = nil // kustomize says what is wrong with it
			}
		}
		if seen {
			continue
		}
		if err := w.gate.checkPlugins(k, field, entry, rs); err != nil {
			return err
		}
		if field == "generators" {
			if err := k.addGenerators(entry, where, rs); err != nil {
				return err
			}
		}
	}
	// kustomize runs inline ones before those in files.
	slices.SortStableFunc(k.generators, func(a, b generator) int { return cmp.Compare(a.form, b.form) })
	return nil
}

// configs follows an entry that is a kustomization.
func (w *walker) configs(k *kustomization, v visit, field, entry string, seen bool) error {
	if w.gate.isRemote(k, entry) {
		return k.errorf(entry, "fetch %s of %s: the configuration of plugins is not fetched", remote.Display(entry), field)
	}
	w.config++
	err := w.folder(k, v, field, entry)
	w.config--
	if err != nil || seen {
		return err
	}
	w.plan.configs = append(w.plan.configs, configFolder{filepath.Join(k.dir, entry), k, field, entry})
	if field == "generators" {
		k.generators = append(k.generators, generator{entry: entry, form: inFile})
	}
	return nil
}
