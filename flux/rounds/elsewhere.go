package rounds

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/render"
)

// Elsewhere is what the Kustomizations of the repository read that are not among the applications of a source, such as
// those of another cluster. Nothing of it is rendered.
type Elsewhere struct {
	source     *Source
	readers    map[string][]Reader                 // by the absolute path of a file
	appliers   map[string][]*objects.Kustomization // likewise, those that read it themselves, of all
	inFile     map[string][]*objects.Kustomization // those that lie in it
	generators map[string][]generated              // by the keys of the artifacts
	sources    []*objects.Source                   // of the repository
	overlays   []string                            // the folders with a kustomization
	visited    map[visit]found
}

// visit is a Kustomization with a path that it may have.
type visit struct {
	at   diag.Position // of the Kustomization
	path string
	by   string // the file of what generates its source, "" for other sources
}

// found is whether the path of a visit is a folder of its source.
type found bool

// Elsewhere returns what Kustomizations read that are not among the applications. It is called after Names.
func (s *Source) Elsewhere(ctx context.Context) *Elsewhere {
	e := newElsewhere(s)
	var others []reader
	members := s.kustomizationsIn()
	for _, file := range sortedKeys(e.inFile) {
		for i, k := range e.inFile[file] {
			rendered, failed := among(members[file], k, e.inFile[file][i+1:])
			switch {
			case rendered:
			case failed != nil: // which knows its namespace and its patches
				others = append(others, newReader(failed.kustomization, file))
			default:
				others = append(others, newReader(k, file))
			}
		}
	}
	e.visitAll(ctx, others)
	return e
}

// newElsewhere returns what is filled with what Kustomizations of the repository read.
func newElsewhere(s *Source) *Elsewhere {
	e := &Elsewhere{source: s, readers: map[string][]Reader{}, appliers: map[string][]*objects.Kustomization{},
		inFile: map[string][]*objects.Kustomization{}, generators: map[string][]generated{}, visited: map[visit]found{}}
	e.index()
	return e
}

// visitAll visits Kustomizations, and what they lead to.
func (e *Elsewhere) visitAll(ctx context.Context, all []reader) {
	isOpen := func(k reader) bool { return strings.Contains(k.Spec.Path, "${") }
	for _, takes := range []func(reader) bool{
		func(k reader) bool { return !isOpen(k) }, // and what these lead to, whose variables they may say
		func(k reader) bool { return isOpen(k) && !e.isVisited(k.Kustomization) },
	} {
		for _, k := range all {
			if takes(k) {
				e.visit(ctx, k, k.Kustomization, nil)
			}
		}
	}
	e.visitPatched(ctx)
}

// index reads the objects of the repository.
func (e *Elsewhere) index() {
	f := e.source.finder
	for _, o := range f.Parsed.ReadReadable(f.system(), f.root) { // what is no YAML applies nothing
		o.Settle(bootstrapName)
		for _, k := range o.Kustomizations {
			file := absolute(k.Pos.File)
			e.inFile[file] = append(e.inFile[file], k)
		}
		e.sources = append(e.sources, o.Sources...)
		for _, g := range o.Generators {
			for i := range g.Spec.Artifacts {
				key := keyOf(objects.Meta{Kind: externalArtifact, Namespace: g.Namespace, Name: g.Spec.Artifacts[i].Name})
				e.generators[key] = append(e.generators[key], generated{g, &g.Spec.Artifacts[i]})
			}
		}
		for _, file := range o.Files {
			if render.IsKustomizationFile(file) {
				e.overlays = append(e.overlays, filepath.Dir(absolute(file)))
			}
		}
	}
}

// Readers returns the Kustomizations elsewhere that read a file, in the order of the files that they lie in.
func (e *Elsewhere) Readers(file string) []Reader { return e.readers[absolute(file)] }

// Unresolved returns the Kustomizations elsewhere of whose paths none is a folder of their source, so that it is not
// known what they read.
func (e *Elsewhere) Unresolved() (out []*objects.Kustomization) {
	isFound := map[diag.Position]found{}
	for v, ok := range e.visited {
		isFound[v.at] = isFound[v.at] || ok
	}
	for _, file := range sortedKeys(e.inFile) {
		for _, k := range e.inFile[file] {
			if ok, visited := isFound[k.Pos]; visited && !bool(ok) {
				out = append(out, k)
			}
		}
	}
	return out
}

// isVisited reports whether the files of a Kustomization are known.
func (e *Elsewhere) isVisited(k *objects.Kustomization) bool {
	for v := range e.visited {
		if v.at == k.Pos {
			return true
		}
	}
	return false
}

// kustomizationsIn returns the Kustomizations among the members, by the files that they lie in.
func (s *Source) kustomizationsIn() map[string][]*member {
	out, known := map[string][]*member{}, map[string]string{}
	for _, m := range s.members {
		if m.kustomization == nil || m.Pos.File == "" {
			continue
		}
		if known[m.Pos.File] == "" {
			known[m.Pos.File] = absolute(m.Pos.File)
		}
		file := known[m.Pos.File]
		out[file] = append(out[file], m)
	}
	return out
}

// among reports whether a Kustomization is one of the members in its file that were rendered, or returns one that
// failed; those that a render has may have another name there. Behind are those that follow in the file.
func among(
	members []*member, k *objects.Kustomization, behind []*objects.Kustomization,
) (isRendered bool, failed *member) {
	end := 0
	if len(behind) > 0 {
		end = behind[0].Pos.Line
	}
	for _, m := range members {
		switch {
		case m.Pos.Line < k.Pos.Line || end != 0 && m.Pos.Line >= end:
		case m.err == nil:
			return true, nil
		case failed == nil:
			failed = m
		}
	}
	return false, failed
}

// visit notes what a Kustomization reads for the one elsewhere that leads to it, and what the Kustomizations read that
// it applies.
func (e *Elsewhere) visit(ctx context.Context, r reader, k *objects.Kustomization, variables map[string]string) {
	for _, t := range e.trees(ctx, r, k) {
		r := r
		if r.Unknown == (objects.Reference{}) {
			r.Unknown = t.unknown
		}
		for _, path := range t.paths(k, variables) {
			e.read(ctx, r, k, t, path)
		}
	}
}

// read is visit for one of the paths that a Kustomization may have.
func (e *Elsewhere) read(ctx context.Context, r reader, k *objects.Kustomization, t sourceTree, path string) {
	v := visit{k.Pos, path, t.by}
	if _, known := e.visited[v]; known {
		return
	}
	dir, err := t.inside(path)
	e.visited[v] = found(err == nil || t.isAway || t.unknown != (objects.Reference{}))
	if err != nil {
		return
	}
	var known map[string]string
	if k.Spec.PostBuild != nil {
		known = k.Spec.PostBuild.Substitute
	}
	for _, file := range e.files(k, t.tree, dir) {
		e.addReader(file, r.Reader)
		e.appliers[file] = append(e.appliers[file], k)
		for _, inner := range e.inFile[file] {
			if inner.Pos == k.Pos {
				continue
			}
			e.visit(ctx, r, inner, known)
			for _, path := range pathsInPatches(k.Spec.Patches) {
				e.visit(ctx, r, withPath(inner, path), known)
			}
		}
	}
}

// variable is a variable of postBuild, with its name and what follows it.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{(\w+)([^}]*)\}`) })

// paths returns the paths that spec.path may be: a variable that is not known may be the name of any folder.
func (t sourceTree) paths(k *objects.Kustomization, variables map[string]string) []string {
	isKnown := true
	replaced := variable().ReplaceAllStringFunc(k.Spec.Path, func(written string) string {
		parts := variable().FindStringSubmatch(written)
		if value, ok := variables[parts[1]]; ok {
			return value
		}
		if value, ok := strings.CutPrefix(strings.TrimPrefix(parts[2], ":"), "-"); ok && variables != nil {
			return value
		}
		isKnown = false
		return "*"
	})
	if isKnown {
		return []string{replaced}
	}
	found, err := files.Glob(files.OrDisk(t.files), filepath.Join(t.root, filepath.FromSlash(path.Join("/", replaced))))
	if err != nil {
		return nil
	}
	var out []string
	for _, dir := range found {
		if rel, ok := files.Rel(t.root, dir); ok {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// files returns the files of manifests that a Kustomization reads below a folder, as they lie in the repository.
func (e *Elsewhere) files(k *objects.Kustomization, t tree, dir string) (out []string) {
	w := walk{system: files.OrDisk(t.files), found: map[string]bool{}}
	w.build(k, dir)
	for _, file := range sortedKeys(w.found) {
		if t.copies != nil {
			file = t.copies.original(file)
		}
		if real, err := e.source.finder.system().Real(file); err == nil {
			file = real
		}
		out = append(out, file)
	}
	return out
}

// absolute returns a path as it is everywhere.
func absolute(file string) string {
	path, _ := files.RealPath(nil, file)
	return path
}
