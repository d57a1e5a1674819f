package rounds

import (
	"path"
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// bootstrapName is the name of the source that flux bootstrap makes for the repository itself.
const bootstrapName = "flux-system"

// isItself reports whether a source is the repository itself: by its name, or because flux-operator makes it of a
// FluxInstance that lies in the folder which that applies.
func (f *finder) isItself(r objects.Reference) bool {
	if isBootstrap(r) {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.synced[r.Kind+"/"+r.Namespace+"/"+r.Name]
}

// isBootstrap reports whether a source is the repository itself by its name, in the namespace that Flux lies in by
// default.
func isBootstrap(r objects.Reference) bool {
	return r.Kind == "GitRepository" && r.Name == bootstrapName && r.Namespace == bootstrapName
}

// addSynced makes the sources known that are the repository itself because a FluxInstance says so.
func (f *finder) addSynced(all []*objects.Instance) {
	for _, i := range all {
		if f.liesInItsFolder(i) {
			r := i.Source()
			f.synced[r.Kind+"/"+r.Namespace+"/"+r.Name] = true
		}
	}
}

// liesInItsFolder reports whether a FluxInstance lies in the folder of the repository that it has Flux apply. All of a
// repository is no such folder: any FluxInstance lies in it, also one that is about another repository.
func (f *finder) liesInItsFolder(i *objects.Instance) bool {
	dir := path.Join("/", i.Spec.Sync.Path)
	if dir == "/" || i.Pos.File == "" || i.Pos.File == "-" {
		return false
	}
	return files.Within(filepath.Join(f.root, filepath.FromSlash(dir)), absolute(i.Pos.File))
}
