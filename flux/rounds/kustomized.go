package rounds

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
)

// kustomized is a folder that the user names, or one in it, that has a kustomization of its own: what it has is what
// that builds, with its patches, from wherever its manifests lie.
type kustomized struct {
	path  string          // as the user names it, or would
	file  string          // its kustomization, as an absolute path
	names map[string]bool // the files that this leads to, likewise
}

// findKustomized returns those of the folders whose kustomizations lead to Kustomizations of Flux or to HelmReleases.
func (f *finder) findKustomized() (out []kustomized) {
	for _, path := range f.Paths {
		if path == "-" || !files.Within(f.root, absolute(path)) {
			continue
		}
		for _, one := range f.topsOf(path) {
			w := walk{system: f.system(), found: map[string]bool{}}
			w.folder(absolute(one.path))
			isKnown := func(k kustomized) bool { return k.file == one.file }
			if one.names = w.found; f.leadsToObjects(w.found) && !slices.ContainsFunc(out, isKnown) {
				out = append(out, one)
			}
		}
	}
	return out
}

// topsOf is topKustomizations, which goes through folders once for each path.
func (f *finder) topsOf(path string) []kustomized {
	f.mu.Lock()
	defer f.mu.Unlock()
	tops, known := f.tops[path]
	if !known {
		tops = f.topKustomizations(path)
		f.tops[path] = tops
	}
	return tops
}

// topKustomizations returns the folder of a path, where it has a kustomization, else the topmost folders in it that
// have one: the kustomization that the controller generates for a folder has each of these as a resource. Nobody has
// all of a repository applied, so that there is none in the folders of that.
func (f *finder) topKustomizations(path string) (out []kustomized) {
	w, dir := walk{system: f.system()}, absolute(path)
	if file, text := w.kustomization(dir); file != "" {
		if d, err := manifest.Parse(text); err != nil || d.Root().Get("kind").StringValue() == "Component" {
			return nil
		}
		return []kustomized{{path: path, file: file}}
	}
	if dir == f.root {
		return nil
	}
	entries, err := f.system().ReadDir(dir)
	if err != nil {
		return nil // of a file, or an error of reading it
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, f.topKustomizations(filepath.Join(path, e.Name()))...)
		}
	}
	return out
}

// leadsToObjects reports whether one of the files holds a Kustomization of Flux or a HelmRelease.
func (f *finder) leadsToObjects(found map[string]bool) bool {
	for file := range found {
		text, err := f.system().ReadFile(file)
		if err != nil || !objects.MayHold(text) {
			continue
		}
		if o, _ := objects.Parse(text, file); len(newMembers(o, nil)) > 0 {
			return true
		}
	}
	return false
}

// isRead reports whether something of a file of such a folder counts here: of what it builds, Flux's objects do, and
// what values are in. What is no object, as a kustomization or a patch in JSON, may change these.
func (f *finder) isRead(file string) bool {
	text, err := f.system().ReadFile(file)
	if err != nil {
		return true
	}
	for d, err := range manifest.Documents(text, file) {
		if err != nil {
			return true
		}
		isObject := false
		for o := range d.Objects() {
			if isObject = true; counts(o) {
				return true
			}
		}
		if !isObject && d.Root().Valid() {
			return true
		}
	}
	return false
}

// counts reports whether an object in a folder that is built is one of Flux's, one that values are in, or one that
// kustomize reads: a kustomization, a component, a transformer.
func counts(o manifest.Object) bool {
	group := o.Group()
	return strings.HasSuffix(group, ".fluxcd.io") || isOfValues(group, o.Kind) ||
		strings.HasSuffix(group, ".config.k8s.io") || group == "builtin"
}

// buildFolders returns the objects to begin with: those that were read, and of folders with a kustomization those that
// it builds instead. A folder is not built by itself where a Kustomization does it that was read, or where the user
// names it as a part of something else.
func (s *Source) buildFolders(ctx context.Context) []*objects.Objects {
	read := s.read
	for _, dir := range s.finder.kustomized() {
		isPart := func(part string) bool { return files.Within(absolute(part), absolute(dir.path)) }
		if slices.ContainsFunc(s.finder.Parts, isPart) || s.isBuiltBy(ctx, read, dir) {
			continue
		}
		m := s.memberOf(dir)
		m.build(ctx, s, lookup{})
		if m.err != nil {
			s.addError(m.err)
			continue
		}
		s.values.Add(m.destination().String(), m.String(), m.output, "", m.app.Settings().Producers.Value)
		found, err := within(ctx, m)
		for _, one := range diag.Unjoin(err) {
			s.addError(one)
		}
		settlePositions(found, read)
		read = append([]*objects.Objects{found}, s.notBuilt(ctx, read, found, dir)...)
	}
	return read
}

// settlePositions sets the lines of objects that were built to those of the files, where these were read.
func settlePositions(built *objects.Objects, read []*objects.Objects) {
	for _, meta := range built.Metas() {
		for _, o := range read {
			for _, have := range o.Metas() {
				isSame := have.Kind == meta.Kind && have.Name == meta.Name
				if isSame && meta.Pos.File != "" && absolute(have.Pos.File) == absolute(meta.Pos.File) {
					meta.Pos = have.Pos
				}
			}
		}
	}
}

// isBuiltBy reports whether a folder lies in the one that a Kustomization builds.
func (s *Source) isBuiltBy(ctx context.Context, read []*objects.Objects, dir kustomized) bool {
	var all []*member
	for _, o := range read {
		o.Settle(bootstrapName)
		s.finder.add(o, false)
		all = append(all, newMembers(o, nil)...)
	}
	for _, folder := range s.folders(ctx, all).of {
		if files.Within(folder, filepath.Dir(dir.file)) {
			return true
		}
	}
	return false
}

// memberOf returns a member that builds a folder, as a Kustomization without any options does.
func (s *Source) memberOf(dir kustomized) *member {
	rel, _ := files.Rel(s.finder.root, filepath.Dir(dir.file))
	k := &objects.Kustomization{Meta: objects.Meta{Kind: "Kustomization", Name: dir.path,
		Pos: diag.Position{File: files.FromHere(dir.file), Line: 1}}}
	k.Spec.Path = "./" + path.Clean(filepath.ToSlash(rel))
	k.Spec.SourceRef = objects.Reference{Kind: "GitRepository", Namespace: bootstrapName, Name: bootstrapName}
	return &member{Meta: &k.Meta, kustomization: k}
}
