package kustomize

import (
	"errors"
	"path/filepath"
	"slices"
)

// plan is what is known of a kustomization before it is built: every kustomization file that the build will read.
type plan struct {
	root      *kustomization
	ownSchema bool           // one of them brings an OpenAPI schema
	configs   []configFolder // deepest first
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
	root, err := w.visit(t.app)
	if err != nil {
		return nil, err
	}
	w.plan.root = root
	return w.plan, nil
}

// walker goes down the tree of kustomizations.
type walker struct {
	tree  *tree
	plan  *plan
	above []string // the folders on the way down
}

// visit reads the kustomization in dir and all below it.
func (w *walker) visit(dir string) (*kustomization, error) {
	if k, seen := w.tree.kusts[dir]; seen {
		return k, nil
	}
	k, err := w.tree.inspect(dir)
	if err != nil {
		return nil, err
	}
	w.above = append(w.above, dir)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	if len(k.kust.OpenAPI) > 0 {
		w.plan.ownSchema = true
	}
	for _, path := range k.kust.Resources {
		if err := w.resource(k, "resources", path); err != nil {
			return nil, err
		}
	}
	if err := w.plugins(k, "generators", k.kust.Generators); err != nil {
		return nil, err
	}
	for _, path := range k.kust.Components {
		if _, err := w.folder(k, "components", path); err != nil {
			return nil, err
		}
	}
	if err := w.plugins(k, "transformers", k.kust.Transformers); err != nil {
		return nil, err
	}
	return k, w.plugins(k, "validators", k.kust.Validators)
}

// resource follows an entry that is a file or a folder.
func (w *walker) resource(k *kustomization, field, path string) error {
	if _, file, err := w.tree.CleanedAbs(filepath.Join(k.dir, path)); err == nil && file != "" {
		return nil
	}
	_, err := w.folder(k, field, path)
	return err
}

// folder follows an entry that can only be a folder.
func (w *walker) folder(k *kustomization, field, path string) (dir string, err error) {
	found, file, err := w.tree.CleanedAbs(filepath.Join(k.dir, path))
	dir = found.String()
	switch {
	case w.tree.refusal != nil:
		return "", w.tree.refusal
	case err != nil:
		return "", k.errorf(path, "find %q of %s: %w", path, field, pathless(err))
	case file != "":
		return "", k.errorf(path, "open %q of %s: %w", path, field, errNotFolder)
	case slices.ContainsFunc(w.above, func(above string) bool { return within(dir, above) }):
		return "", k.errorf(path, "open %q of %s: the kustomization leads back to itself", path, field)
	}
	_, err = w.visit(dir)
	return dir, err
}

var errNotFolder = errors.New("not a folder")
