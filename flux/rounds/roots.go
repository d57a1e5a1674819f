package rounds

import (
	"bytes"
	"context"
	"path/filepath"

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

// findBesideRoot looks for an object beside the one in a file that leads to a member. The error is that of the other
// places where the object was looked for, or says what is known of the object here.
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
		folder = newRootFolder(s.finder.system(), dir)
		s.roots[dir] = folder
	}
	data, here := folder.values.Find(ctx, "", ref, values.Around{Decrypter: around.Decrypter})
	switch {
	case here == nil:
		return data, nil
	case values.IsKnown(here):
		return nil, here
	}
	return nil, err
}

// newRootFolder reads a folder. One with a kustomization is built elsewhere, and text with variables becomes another
// one where it is applied.
func newRootFolder(system files.System, dir string) *rootFolder {
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
		if filepath.Dir(file) != dir {
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
