package rounds

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/release"
)

// finder finds the files of sources.
type finder struct {
	Options
	root  string            // of the repository itself
	given map[string]string // folders of others, by KIND/NAMESPACE/NAME; dirOf looks one up

	kustomized func() []kustomized // looks for them once

	mu        sync.Mutex
	asked     map[string]bool            // the sources that something refers to, by the same
	known     map[string]*objects.Source // by the same
	generated map[string]generated       // likewise
	synced    map[string]bool            // likewise, those that are the repository itself by a FluxInstance
	tops      map[string][]kustomized    // by the paths that were looked through, as they are written

	packing   sync.Mutex
	artifacts map[packed]files.System
}

// packed is what the artifact of a source depends on.
type packed struct{ root, ignore string }

// newFinder returns what finds sources.
func newFinder(o Options) (*finder, error) {
	f := &finder{Options: o, given: map[string]string{}, asked: map[string]bool{}, known: map[string]*objects.Source{},
		generated: map[string]generated{}, synced: map[string]bool{}, tops: map[string][]kustomized{}}
	f.kustomized = sync.OnceValue(f.findKustomized)
	for _, one := range o.Sources {
		name, dir, ok := strings.Cut(one, "=")
		if !ok || dir == "" || strings.Count(name, "/") != 2 {
			return nil, diag.Usage(fmt.Errorf("--source %q is not KIND/NAMESPACE/NAME=DIR", one), "")
		}
		kind, _, _ := strings.Cut(name, "/")
		if kinds := objects.SourceKinds(); !slices.Contains(kinds, kind) {
			hint := "Kinds of sources are " + strings.Join(kinds, ", ") + "."
			if near := config.Nearest(kind, kinds, len(kind)/2+1); near != "" {
				hint = "Did you mean " + near + strings.TrimPrefix(name, kind) + "? " + hint
			}
			return nil, diag.Usage(fmt.Errorf("--source %s: %s is no kind of source", name, kind), hint)
		}
		if f.given[name] != "" {
			return nil, diag.Usage(fmt.Errorf("--source names %s twice", name), "")
		}
		real, err := f.folder("--source", dir)
		if err != nil {
			return nil, err
		}
		f.given[name] = real
	}
	if o.Root != "" {
		var err error
		f.root, err = f.folder("--source-root", o.Root)
		return f, err
	}
	return f, f.findRoot()
}

// findRoot takes the top of the repository that the first path lies in, or else the working folder.
func (f *finder) findRoot() error {
	path := "."
	if len(f.Paths) > 0 && f.Paths[0] != "-" {
		path = f.Paths[0]
	}
	place, err := f.At.Roots.Locate(path)
	if err == nil {
		if root, ok := f.At.Roots.Repository(place.Dir); ok {
			f.root = root
			return nil
		}
	}
	f.root, err = f.folder("find", ".")
	return err
}

// folder returns a folder as it is everywhere.
func (f *finder) folder(what, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, err)
	}
	system := files.OrDisk(f.At.Files)
	real, err := system.Real(abs)
	if err != nil {
		return "", diag.Usage(fmt.Errorf("%s: find %s: %w", what, dir, files.Cause(err)), "")
	}
	if info, err := system.Stat(real); err != nil || !info.IsDir() {
		return "", diag.Usage(fmt.Errorf("%s: %s is no folder", what, dir), "")
	}
	return real, nil
}

// add makes the sources among objects known. What was found in a render counts before what lies in a file, and before
// both counts what lies in the cluster itself: what is applied to a remote one fills in what is not known yet.
func (f *finder) add(o *objects.Objects, remote bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range o.Sources {
		if key := keyOf(s.Meta); !remote || f.known[key] == nil {
			f.known[key] = s
		}
	}
	for _, g := range o.Generators {
		for i := range g.Spec.Artifacts {
			made := objects.Meta{Kind: externalArtifact, Namespace: g.Namespace, Name: g.Spec.Artifacts[i].Name}
			f.generated[keyOf(made)] = generated{g, &g.Spec.Artifacts[i]}
		}
	}
	if !remote {
		f.addSynced(o.Instances)
	}
}

// knows reports whether the source of a member is known.
func (f *finder) knows(m *member) bool {
	for _, ref := range m.sources() {
		_, given := f.dirOf(ref.Kind + "/" + ref.Namespace + "/" + ref.Name)
		_, known := f.source(ref.Kind, ref.Namespace, ref.Name)
		if !given && !known && !f.isItself(ref) && f.generatedBy(ref) == nil {
			return false
		}
	}
	return true
}

// source returns a source that is known, or nil.
func (f *finder) source(kind, namespace, name string) (*objects.Source, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.known[kind+"/"+namespace+"/"+name]
	return s, ok
}

// Source is release.Sources'.
func (f *finder) Source(ref objects.Reference) (*objects.Source, error) {
	if s, ok := f.source(ref.Kind, ref.Namespace, ref.Name); ok {
		return s, nil
	}
	if _, given := f.dirOf(ref.Kind + "/" + ref.Namespace + "/" + ref.Name); given || f.isItself(ref) {
		return &objects.Source{Meta: objects.Meta{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}}, nil
	}
	err := f.unknown(ref)
	return nil, diag.Input(diag.Position{}, err.err, err.hint)
}

// elsewhere returns a namespace with a source of that kind and name, "" where there is none.
func (f *finder) elsewhere(ref objects.Reference) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []string
	for _, s := range f.known {
		if s.Kind == ref.Kind && s.Name == ref.Name {
			found = append(found, s.Namespace)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.Min(found)
}

// Tree is release.Sources'. A chart is made of what the artifact has, so of no link, and of nothing that is ignored.
func (f *finder) Tree(ctx context.Context, s *objects.Source) (release.Tree, error) {
	t, err := f.of(ctx, s)
	var unknown *sourceError
	if errors.As(err, &unknown) {
		err = diag.Source(&diag.Shared{Err: unknown.err}, unknown.hint)
	}
	if err != nil || s.Kind == "HelmChart" { // the user has named the folder of a chart
		return release.Tree{Files: t.files, Root: t.root, Revision: t.revision}, err
	}
	t.ignore = s.Spec.Ignore
	artifact, err := f.artifact(t)
	if err != nil {
		return release.Tree{}, err
	}
	return release.Tree{Files: artifact, Root: t.root, Revision: t.revision, Rules: build.Rules(artifact)}, nil
}

// Folder is release.Sources'.
func (f *finder) Folder(s *objects.Source) string {
	dir, _ := f.dirOf(keyOf(s.Meta))
	return dir
}

// dirOf returns the folder that the user names for a source which something refers to.
func (f *finder) dirOf(key string) (dir string, given bool) {
	f.mu.Lock()
	f.asked[key] = true
	f.mu.Unlock()
	dir, given = f.given[key]
	return dir, given
}

// system returns the files of the repository itself.
func (f *finder) system() files.System { return files.OrDisk(f.At.Files) }

// unknown returns the error of a source that is not among the objects.
func (f *finder) unknown(r objects.Reference) *sourceError {
	key := r.Kind + "/" + r.Namespace + "/" + r.Name
	if other := f.elsewhere(r); other != "" {
		return &sourceError{err: fmt.Errorf("%s is not among the objects", r), hint: fmt.Sprintf(
			"There is one in the namespace %s. Flux looks for it in %s only: name the other one in the reference.",
			other, r.Namespace)}
	}
	hint := "Name the path of the file that holds it, too, or pass "
	if r.Kind == "HelmRepository" {
		hint += "a folder with its charts with --source " + key + "=DIR."
	} else {
		hint += "its files with --source " + key + "=DIR; DIR is " + files.FromHere(f.root) +
			" where it is the repository itself."
	}
	return &sourceError{err: fmt.Errorf("%s is not among the objects", r), hint: hint}
}

// keyOf returns what distinguishes an object: KIND/NAMESPACE/NAME.
func keyOf(m objects.Meta) string { return m.Kind + "/" + m.Namespace + "/" + m.Name }

// tree returns the files that a reference leads to.
func (f *finder) tree(ctx context.Context, r objects.Reference) (tree, error) {
	t, err := f.find(ctx, r)
	if s, ok := f.source(r.Kind, r.Namespace, r.Name); ok {
		t.ignore = s.Spec.Ignore
	}
	return t, err
}

// find returns the files, with what the source says of them left out of account.
func (f *finder) find(ctx context.Context, r objects.Reference) (tree, error) {
	key := r.Kind + "/" + r.Namespace + "/" + r.Name
	if dir, ok := f.dirOf(key); ok {
		return tree{files: f.At.Files, root: dir}, nil
	}
	if f.isItself(r) {
		return f.repository(), nil
	}
	if g := f.generatedBy(r); g != nil {
		return f.generate(ctx, g)
	}
	s, ok := f.source(r.Kind, r.Namespace, r.Name)
	if !ok {
		return tree{}, f.unknown(r)
	}
	return f.of(ctx, s)
}

// repository returns the files of the repository itself.
func (f *finder) repository() tree { return tree{files: f.At.Files, root: f.root} }

// of returns the files of a source.
func (f *finder) of(ctx context.Context, s *objects.Source) (tree, error) {
	key := keyOf(s.Meta)
	if dir, ok := f.dirOf(key); ok {
		return tree{files: f.At.Files, root: dir}, nil
	}
	hint := "Pass its files with --source " + key + "=DIR."
	switch {
	case f.isItself(objects.Reference{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}):
		return f.repository(), nil
	case s.Kind != "GitRepository":
		return tree{}, &sourceError{err: fmt.Errorf("the files of %s are not on this machine", s), hint: hint}
	case s.Kind == "GitRepository" && s.Name == bootstrapName:
		return f.repository(), nil
	case len(s.Spec.Include) > 0:
		return tree{}, &sourceError{err: fmt.Errorf("%s includes files of other sources", s), hint: hint}
	}
	revision, err := revisionOf(s)
	if err != nil {
		return tree{}, &sourceError{err: err, hint: hint}
	}
	checkout, err := f.Repositories.Find(ctx, s.Spec.URL, revision)
	if err != nil {
		var known *diag.Error
		if errors.As(err, &known) && known.Exit == diag.ExitSource && !f.Repositories.Network {
			return tree{}, &sourceError{err: fmt.Errorf("the files of %s are not on this machine", s),
				hint: hint[:len(hint)-1] + ", or allow the network with --allow network."}
		}
		return tree{}, err
	}
	if checkout.Work { // as the run sees it: some files may have other contents
		return tree{files: f.At.Files, root: checkout.Root, revision: checkout.Revision}, nil
	}
	return tree{files: checkout.Files, root: checkout.Root, revision: checkout.Revision}, nil
}

// artifact returns what of a source reaches a cluster.
func (f *finder) artifact(t tree) (files.System, error) {
	key := packed{root: t.root}
	if t.ignore != nil {
		key.ignore = "=" + *t.ignore
	}
	f.packing.Lock()
	defer f.packing.Unlock()
	if known := f.artifacts[key]; known != nil {
		return known, nil
	}
	made, err := build.Artifact(t.files, t.root, t.ignore)
	if err != nil {
		return nil, err
	}
	if f.artifacts == nil {
		f.artifacts = map[packed]files.System{}
	}
	f.artifacts[key] = made
	return made, nil
}
