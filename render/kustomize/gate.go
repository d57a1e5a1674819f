package kustomize

import (
	"fmt"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/fn/runtime/runtimeutil"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// gate decides what a kustomization may ask for.
type gate struct{ tree *tree }

// checkRemote refuses a kustomization that names something to fetch, unless that is allowed. kustomize would fetch it
// as it comes across it, with a client of its own and a git binary; so nothing remote may ever reach it.
func (g gate) checkRemote(k *kustomization) error {
	for _, f := range k.folders() {
		if !g.tree.req.Allow.Network && g.isRemote(k, f.path) {
			return g.refuseRemote(k, f.path, f.field, f.path)
		}
	}
	for _, f := range k.files() {
		if remote.IsURL(f.path) && !g.tree.req.Allow.Network {
			return g.refuseRemote(k, f.path, f.field, f.path)
		}
	}
	return nil
}

// checkClone holds a kustomization that was fetched, and its plugins, to the files in and below its folder, as
// kustomize always does, whatever the load restrictor is for one's own.
func (g gate) checkClone(k *kustomization, named loads) error {
	if g.tree.overlay.Root(k.dir) == "" {
		return nil
	}
	for _, f := range named {
		if remote.IsURL(f.path) {
			continue
		}
		dir, file, err := g.tree.CleanedAbs(filepath.Join(k.dir, f.path))
		if err == nil && file != "" && !files.Within(k.dir, dir.String()) {
			return k.errorf(f.path, "read %q of %s: it is not in or below the kustomization, which was fetched", f.path, f.field)
		}
	}
	return nil
}

// refuseRemote refuses to fetch path.
func (g gate) refuseRemote(k *kustomization, entry, what, path string) error {
	if g.tree.req.Allow.Network {
		return k.errorf(entry, "fetch %s of %s: only what kustomizations themselves name is fetched",
			remote.Display(path), what)
	}
	return &diag.Error{Exit: diag.ExitSource, Pos: k.at(entry),
		Err:  fmt.Errorf("fetch %s of %s: the network is not allowed", remote.Display(path), what),
		Hint: "Allow it with --allow network, or keep a copy in the repository."}
}

// isRemote reports whether kustomize would fetch an entry that may be a folder. A file on disk comes before a
// repository, if it is one that kustomize can read.
func (g gate) isRemote(k *kustomization, path string) bool {
	if remote.IsURL(path) {
		return true
	}
	if _, ok := remote.Parse(path); !ok {
		return false
	}
	b, err := g.tree.ReadFile(filepath.Join(k.dir, path))
	if err == nil {
		_, err = parse(b)
	}
	return err != nil
}

// checkPlugins refuses plugins that run programs, and built-in ones that would fetch something, unless that is allowed.
func (g gate) checkPlugins(k *kustomization, field, entry string, rs []*resource.Resource) error {
	for _, r := range rs {
		id := r.GetKind() + " " + r.GetName()
		if r.GetApiVersion() != konfig.BuiltinPluginApiVersion {
			if err := g.checkProgram(k, field, entry, r); err != nil {
				return err
			}
			continue
		}
		var named loads
		named.add(id, pluginFiles(r)...) // a chart's are checked with the chart
		for _, f := range named {
			if remote.IsURL(f.path) {
				return g.refuseRemote(k, entry, id, f.path)
			}
		}
		if err := g.checkClone(k, named); err != nil {
			return err
		}
	}
	return nil
}

// checkProgram decides on a plugin that is not kustomize's own: another program, in a container or on this machine.
func (g gate) checkProgram(k *kustomization, field, entry string, r *resource.Resource) error {
	refuse := func(why, hint string) error {
		return diag.Input(k.at(entry), fmt.Errorf("load %s %s of %s: %s", r.GetKind(), r.GetName(), field, why), hint)
	}
	switch f, err := runtimeutil.GetFunctionSpec(&r.RNode); {
	case !g.tree.req.Allow.ExecPlugins:
		return refuse("it runs another program, which is not allowed",
			"Allow it with --allow exec-plugins, if you trust what is in this folder.")
	case !g.tree.req.Kustomize.EnableAlphaPlugin:
		return refuse("plugins are not enabled", "Pass --enable-alpha-plugins, and --enable-exec for an exec function.")
	// kustomize leaves out what follows, in silence
	case err == nil && f != nil && f.Exec.Path != "" && !g.tree.req.Kustomize.EnableExec:
		return refuse("exec functions are not enabled", "Pass --enable-exec.")
	default:
		return nil
	}
}

// staysInClone reports whether a kustomization in the folder from may have a base in the folder to: one that was
// fetched stays in its repository; what lies in another was fetched for itself.
func (g gate) staysInClone(from, to string) bool {
	return g.tree.overlay.Root(from) == "" || g.tree.overlay.Root(to) != ""
}
