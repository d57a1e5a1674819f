package kustomize

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// checkRemote refuses a kustomization that names something to fetch, unless that is allowed; then it fetches the files.
// kustomize would fetch it as it comes across it, with a client of its own and a git binary; so nothing remote may ever
// reach it.
func (t *tree) checkRemote(k *kustomization) error {
	for _, f := range k.folders() {
		if !t.req.Allow.Network && t.isRemote(k, f.path) {
			return t.remote(k, f.path, f.field, f.path)
		}
	}
	for _, f := range k.files() {
		switch {
		case !remote.IsURL(f.path):
		case !t.req.Allow.Network:
			return t.remote(k, f.path, f.field, f.path)
		default:
			if err := t.fetchFile(k, f.path, f.field); err != nil {
				return err
			}
		}
	}
	return t.checkClone(k, slices.Concat(k.folders(), k.files()))
}

// checkClone holds a kustomization that was fetched, and its plugins, to the files in and below its folder, as kustomize
// always does, whatever the load restrictor is for one's own.
func (t *tree) checkClone(k *kustomization, named loads) error {
	if t.overlay.around(k.dir) == "" {
		return nil
	}
	for _, f := range named {
		if remote.IsURL(f.path) {
			continue
		}
		dir, file, err := t.CleanedAbs(filepath.Join(k.dir, f.path))
		if err == nil && file != "" && !files.Within(k.dir, dir.String()) {
			return k.errorf(f.path, "read %q of %s: it is not in or below the kustomization, which was fetched", f.path, f.field)
		}
	}
	return nil
}

// remote refuses to fetch path.
func (t *tree) remote(k *kustomization, entry, what, path string) error {
	if t.req.Allow.Network {
		return k.errorf(entry, "fetch %s of %s: only what kustomizations themselves name is fetched", remote.Shown(path), what)
	}
	return &diag.Error{Exit: diag.ExitSource, Pos: k.at(entry),
		Err:  fmt.Errorf("fetch %s of %s: the network is not allowed", remote.Shown(path), what),
		Hint: "Allow it with --allow network, or keep a copy in the repository."}
}

// isRemote reports whether kustomize would fetch an entry that may be a folder. A file on disk comes before a repository,
// if it is one that kustomize can read.
func (t *tree) isRemote(k *kustomization, path string) bool {
	if remote.IsURL(path) {
		return true
	}
	if _, ok := remote.Parse(path); !ok {
		return false
	}
	b, err := t.ReadFile(filepath.Join(k.dir, path))
	if err == nil {
		_, err = parse(b)
	}
	return err != nil
}

// loads are entries of a kustomization that name something to read.
type loads []load

type load struct{ field, path string }

func (l *loads) add(field string, paths ...string) {
	for _, p := range paths {
		*l = append(*l, load{field, p})
	}
}

// folders lists the entries that kustomize takes for a file, a URL, a repository or a folder.
func (k *kustomization) folders() loads {
	var all loads
	all.add("resources", k.kust.Resources...)
	all.add("generators", k.kust.Generators...)
	all.add("components", k.kust.Components...)
	all.add("transformers", k.kust.Transformers...)
	all.add("validators", k.kust.Validators...)
	return all
}

// files lists the entries that kustomize takes for a file or a URL.
func (k *kustomization) files() loads {
	var all loads
	c := k.kust
	all.add("openapi", c.OpenAPI["path"])
	all.add("crds", c.Crds...)
	all.add("configurations", c.Configurations...)
	for _, g := range c.ConfigMapGenerator {
		all.add("configMapGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, g := range c.SecretGenerator {
		all.add("secretGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, p := range c.PatchesStrategicMerge {
		all.add("patchesStrategicMerge", string(p))
	}
	for _, p := range slices.Concat(c.Patches, c.PatchesJson6902) {
		all.add("patches", p.Path)
	}
	for _, r := range c.Replacements {
		all.add("replacements", r.Path)
	}
	return all
}
