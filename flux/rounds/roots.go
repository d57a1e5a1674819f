package rounds

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render"
)

// rootFolder is a folder with objects of Flux that nothing of the run applies. What does apply them, such as the
// Kustomization of flux bootstrap, applies the ConfigMaps and Secrets beside them, too.
type rootFolder struct {
	files  []string // that values may be in
	values values.Store
}

// findBesideRoot looks for an object beside the one in a file that leads to a member, and in the folder with that file
// that the user names, as the whole of what a cluster has applied. The error is that of the other places where the
// object was looked for, or says what is known of the object here.
func (s *Source) findBesideRoot(
	ctx context.Context, m *member, ref values.Ref, around values.Around, err error,
) (*values.Data, error) {
	root := m
	for root.parent != nil {
		root = root.parent
	}
	if root.Pos.File == "" || root.Pos.File == "-" || m.home() != root.home() {
		return nil, err
	}
	dir := filepath.Dir(absolute(root.Pos.File))
	if root.kustomization != nil && root.folder != "" && files.Within(root.folder, dir) {
		return nil, err // it applies itself, and its render is the whole
	}
	folder := s.roots[dir]
	if folder == nil {
		folder = newRootFolder(s.finder.system(), dir, func(file string) bool { return filepath.Dir(file) == dir })
		s.roots[dir] = folder
	}
	for _, folder := range append([]*rootFolder{folder}, s.namedFolders(ctx, dir, ref)...) {
		data, here := folder.values.Find(ctx, "", ref, values.Around{Decrypter: around.Decrypter})
		switch {
		case here == nil && !data.Mentions("${"):
			return data, nil
		case here != nil && values.IsKnown(here):
			return nil, here
		}
	}
	return nil, err
}

// namedFolders returns what the controller would apply of the folders that the user names and a folder lies in, where
// an object of a name may be in it: their manifests, and what each topmost kustomization in them builds. What the
// Kustomizations of the run apply is not among it.
func (s *Source) namedFolders(ctx context.Context, dir string, ref values.Ref) (out []*rootFolder) {
	for _, path := range s.finder.Paths {
		named := absolute(path)
		w := walk{system: s.finder.system()}
		file, _ := w.kustomization(named)
		if path == "-" || named == s.finder.root || file != "" || !files.Within(named, dir) || s.isApplied(named) {
			continue
		}
		tops := s.finder.topsOf(path)
		if s.roots[named+"/..."] == nil {
			s.roots[named+"/..."] = newRootFolder(s.finder.system(), named, func(file string) bool {
				return !s.isApplied(filepath.Dir(file)) && !slices.ContainsFunc(tops, func(top kustomized) bool {
					return files.Within(filepath.Dir(top.file), file)
				})
			})
		}
		out = append(out, s.roots[named+"/..."])
		for _, top := range tops {
			if folder := s.built(ctx, top, ref); folder != nil {
				out = append(out, folder)
			}
		}
	}
	return out
}

// isApplied reports whether a Kustomization builds a folder.
func (s *Source) isApplied(dir string) bool {
	return slices.ContainsFunc(s.members, func(m *member) bool {
		return m.kustomization != nil && m.folder != "" && files.Within(m.folder, dir)
	})
}

// built returns what a folder with a kustomization builds; nil where that is known already, fails, or has no object of
// the name.
func (s *Source) built(ctx context.Context, top kustomized, ref values.Ref) *rootFolder {
	if folder := s.roots[top.file]; folder != nil {
		return folder
	}
	isKnown := func(k kustomized) bool { return k.file == top.file }
	if s.isApplied(filepath.Dir(top.file)) || slices.ContainsFunc(s.finder.kustomized(), isKnown) {
		return nil
	}
	w := walk{system: s.finder.system(), found: map[string]bool{}}
	w.folder(filepath.Dir(top.file))
	mayHave := func(file string) bool {
		text, err := w.system.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte(ref.Name))
	}
	if !slices.ContainsFunc(sortedKeys(w.found), mayHave) {
		return nil
	}
	folder := &rootFolder{files: sortedKeys(w.found)}
	m := s.memberOf(top)
	if m.build(ctx, s, lookup{}); m.err == nil {
		folder.values.Add("", m.String(), m.output, "", m.app.Settings().Producers.Value)
	}
	s.roots[top.file] = folder
	return folder
}

// newRootFolder reads the files of a folder that are taken. One with a kustomization is built elsewhere, and text with
// variables becomes another one where it is applied.
func newRootFolder(system files.System, dir string, takes func(file string) bool) *rootFolder {
	f := &rootFolder{}
	w := walk{system: system}
	if file, _ := w.kustomization(dir); file != "" {
		return f
	}
	place, err := typed.Find(system, dir)
	if err != nil {
		return f
	}
	for _, file := range place.Files {
		if !takes(file) {
			continue
		}
		text, err := system.ReadFile(file)
		if err != nil || bytes.Contains(text, []byte("${")) {
			continue
		}
		if found, err := typed.ParseOnly(text, file, isOfValues); err != nil || len(found) == 0 {
			continue // what is wrong is reported where the file is read for Flux's objects
		}
		f.files = append(f.files, file)
		f.values.Add("", files.FromHere(file), &render.Output{Text: text, ByFlux: true}, "", nil)
	}
	return f
}

// isOfValues reports whether a kind is one that values are taken from.
func isOfValues(group, kind string) bool {
	return group == "" && (kind == "ConfigMap" || kind == "Secret")
}
