package rounds

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// sourceTree is what the source of a Kustomization elsewhere may be.
type sourceTree struct {
	tree
	by      string            // the file of what generates it, "" for other sources
	unknown objects.Reference // the source, where its files are not known and taken for the repository's
	isAway  bool              // the files are not the repository's
}

// trees returns what the source of a Kustomization may be: the artifacts of the generators that lie nearest to what
// leads to it, as each cluster has those of its own folder, or else what the run knows of it.
func (e *Elsewhere) trees(ctx context.Context, r reader, k *objects.Kustomization) (out []sourceTree) {
	f := e.source.finder
	ref := k.Spec.SourceRef.In(k.Namespace)
	key := ref.Kind + "/" + ref.Namespace + "/" + ref.Name
	if _, given := f.dirOf(key); !given {
		for _, g := range nearest(e.generators[key], r.from) {
			if t, err := f.generate(ctx, &g); err == nil {
				out = append(out, sourceTree{tree: t, by: absolute(g.by.Pos.File)})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	t, err := f.tree(ctx, ref)
	switch {
	case err == nil:
		return []sourceTree{{tree: t, isAway: !files.Within(f.root, t.root)}}
	case e.isAnother(ref):
		return nil
	}
	return []sourceTree{{tree: f.repository(), unknown: ref}}
}

// isAnother reports whether a source that is not known by its files is another repository, as the addresses say of all
// sources of its name: those of a cluster elsewhere may lie in any namespace.
func (e *Elsewhere) isAnother(ref objects.Reference) bool {
	f := e.source.finder
	if s, ok := f.source(ref.Kind, ref.Namespace, ref.Name); ok {
		return f.isAnother(s)
	}
	found := false
	for _, s := range e.sources {
		if s.Kind != ref.Kind || s.Name != ref.Name {
			continue
		}
		if found = true; !f.isAnother(s) {
			return false
		}
	}
	return found
}

// isAnother reports whether a source is a repository of another name than this one has anywhere.
func (f *finder) isAnother(s *objects.Source) bool {
	return s.Kind == "GitRepository" && len(s.Spec.Include) == 0 && f.Repositories.IsAnother(s.Spec.URL)
}

// nearest returns those of the artifacts whose generators have most folders in common with a path.
func nearest(all []generated, path string) (out []generated) {
	most := -1
	for _, g := range all {
		common := commonFolders(absolute(g.by.Pos.File), path)
		if common > most {
			most, out = common, nil
		}
		if common == most {
			out = append(out, g)
		}
	}
	return out
}

// commonFolders returns how many folders two paths begin with.
func commonFolders(a, b string) (n int) {
	left, right := strings.Split(a, string(filepath.Separator)), strings.Split(b, string(filepath.Separator))
	for n < min(len(left), len(right)) && left[n] == right[n] {
		n++
	}
	return n
}

// visitPatched visits the Kustomizations whose spec.path the overlays patch that no application of the run reads.
func (e *Elsewhere) visitPatched(ctx context.Context) {
	system := e.source.finder.system()
	ours := map[string]bool{}
	for _, m := range e.source.members {
		for _, file := range m.read {
			if render.IsKustomizationFile(file) {
				ours[filepath.Dir(absolute(file))] = true
			}
		}
	}
	for _, dir := range e.overlays {
		if ours[dir] {
			continue
		}
		w := walk{system: system, found: map[string]bool{}}
		paths := w.pathsIn(dir)
		if len(paths) == 0 {
			continue
		}
		w.folder(dir)
		for _, file := range sortedKeys(w.found) {
			for _, k := range e.inFile[file] {
				for _, path := range paths {
					e.visit(ctx, newReader(k, filepath.Join(dir, render.KustomizationFiles[0])), withPath(k, path), nil)
				}
			}
		}
	}
}

// withPath returns a Kustomization with another spec.path.
func withPath(k *objects.Kustomization, path string) *objects.Kustomization {
	out := *k
	out.Spec.Path = path
	return &out
}

// pathsIn returns what the patches of a folder's kustomization set as spec.path.
func (w *walk) pathsIn(dir string) (out []string) {
	_, text := w.kustomization(dir)
	d, err := manifest.Parse(text)
	if len(text) == 0 || err != nil {
		return nil
	}
	addFile := func(name string) {
		if text, err := w.system.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); name != "" && err == nil {
			out = append(out, pathsSetBy(text)...)
		}
	}
	for _, field := range []string{"patches", "patchesJson6902"} {
		for item := range d.Root().Get(field).Items() {
			out = append(out, pathsSetBy([]byte(item.Get("patch").StringValue()))...)
			addFile(item.Get("path").StringValue())
		}
	}
	for item := range d.Root().Get("patchesStrategicMerge").Items() {
		out = append(out, pathsSetBy([]byte(item.StringValue()))...)
		addFile(item.StringValue())
	}
	return out
}

// pathsInPatches returns what the patches of a Kustomization set as spec.path of others.
func pathsInPatches(all []objects.Patch) (out []string) {
	for _, p := range all {
		out = append(out, pathsSetBy([]byte(p.Patch))...)
	}
	return out
}

// pathsSetBy returns what a patch sets as spec.path.
func pathsSetBy(patch []byte) (out []string) {
	add := func(n manifest.Node) {
		if path := n.StringValue(); path != "" {
			out = append(out, strings.Clone(path))
		}
	}
	for d, err := range manifest.Documents(patch, "") {
		if err != nil {
			return out
		}
		add(d.Root().At("spec", "path"))
		for op := range d.Root().Items() {
			switch op.Get("path").StringValue() {
			case "/spec/path":
				add(op.Get("value"))
			case "/spec":
				add(op.Get("value").Get("path"))
			}
		}
	}
	return out
}
