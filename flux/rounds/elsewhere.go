package rounds

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// Elsewhere is what the Kustomizations of the repository read that are not among the applications of a source, such as
// those of another cluster. Nothing of it is rendered.
type Elsewhere struct {
	source  *Source
	readers map[string][]*objects.Kustomization // by the absolute path of a file
	inFile  map[string][]*objects.Kustomization // those that lie in it
	ours    map[*objects.Kustomization]bool
	visited map[visit]bool
}

// visit is a Kustomization with a folder that it may read.
type visit struct {
	*objects.Kustomization
	path string
}

// Elsewhere returns what Kustomizations read that are not among the applications. It is called after Names.
func (s *Source) Elsewhere(ctx context.Context) *Elsewhere {
	e := &Elsewhere{source: s, readers: map[string][]*objects.Kustomization{},
		inFile: map[string][]*objects.Kustomization{}, ours: map[*objects.Kustomization]bool{}, visited: map[visit]bool{}}
	all, _ := objects.ReadAll(s.finder.system(), s.finder.root, func(error) {}) // what is no YAML applies nothing
	var others []*objects.Kustomization
	for _, o := range all {
		o.Settle(bootstrapName)
		for _, k := range o.Kustomizations {
			file := absolute(k.Pos.File)
			e.inFile[file] = append(e.inFile[file], k)
		}
	}
	members := s.kustomizationsIn()
	for _, file := range sortedKeys(e.inFile) {
		for i, k := range e.inFile[file] {
			if e.ours[k] = isAmong(members[file], k, e.inFile[file][i+1:]); !e.ours[k] {
				others = append(others, k)
			}
		}
	}
	isOpen := func(k *objects.Kustomization) bool { return strings.Contains(k.Spec.Path, "${") }
	for _, takes := range []func(*objects.Kustomization) bool{
		func(k *objects.Kustomization) bool { return !isOpen(k) }, // and what these lead to, whose variables they may say
		func(k *objects.Kustomization) bool { return isOpen(k) && !e.isVisited(k) },
	} {
		for _, k := range others {
			if takes(k) {
				e.visit(ctx, k, k, nil)
			}
		}
	}
	return e
}

// Readers returns the Kustomizations elsewhere that read a file, in the order of the files that they lie in.
func (e *Elsewhere) Readers(file string) []*objects.Kustomization { return e.readers[absolute(file)] }

// isVisited reports whether the files of a Kustomization are known.
func (e *Elsewhere) isVisited(k *objects.Kustomization) bool {
	for v := range e.visited {
		if v.Kustomization == k {
			return true
		}
	}
	return false
}

// kustomizationsIn returns the Kustomizations among the members that did not fail, by the files that they lie in.
func (s *Source) kustomizationsIn() map[string][]*member {
	out, known := map[string][]*member{}, map[string]string{}
	for _, m := range s.members {
		if m.kustomization == nil || m.err != nil || m.Pos.File == "" {
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

// isAmong reports whether a Kustomization is one of the members in its file; those that a render has may have another
// name there. Behind are those that follow in the file.
func isAmong(members []*member, k *objects.Kustomization, behind []*objects.Kustomization) bool {
	end := 0
	if len(behind) > 0 {
		end = behind[0].Pos.Line
	}
	return slices.ContainsFunc(members, func(m *member) bool {
		return m.Pos.Line >= k.Pos.Line && (end == 0 || m.Pos.Line < end)
	})
}

// visit notes what a Kustomization reads for the one elsewhere that leads to it, and what the Kustomizations read that
// it applies.
func (e *Elsewhere) visit(ctx context.Context, reader, k *objects.Kustomization, variables map[string]string) {
	for _, path := range e.paths(k, variables) {
		if v := (visit{k, path}); e.visited[v] {
			continue
		} else {
			e.visited[v] = true
		}
		for _, file := range e.files(ctx, k, path) {
			if !slices.Contains(e.readers[file], reader) {
				e.readers[file] = append(e.readers[file], reader)
			}
			for _, inner := range e.inFile[file] {
				if inner == k {
					continue
				}
				var known map[string]string
				if k.Spec.PostBuild != nil {
					known = k.Spec.PostBuild.Substitute
				}
				e.visit(ctx, reader, inner, known)
			}
		}
	}
}

// variable is a variable of postBuild, with its name and what follows it.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{(\w+)([^}]*)\}`) })

// paths returns the paths that spec.path may be: a variable that is not known may be the name of any folder.
func (e *Elsewhere) paths(k *objects.Kustomization, variables map[string]string) []string {
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
	root := e.source.finder.root
	found, err := files.Glob(e.source.finder.system(), filepath.Join(root, filepath.FromSlash(path.Join("/", replaced))))
	if err != nil {
		return nil
	}
	var out []string
	for _, dir := range found {
		if rel, ok := files.Rel(root, dir); ok {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// files returns the files of manifests that a Kustomization reads below a path, as they lie in the repository. Where
// its source is not known, it is taken for the repository.
func (e *Elsewhere) files(ctx context.Context, k *objects.Kustomization, path string) (out []string) {
	f := e.source.finder
	t, err := f.tree(ctx, k.Spec.SourceRef.In(k.Namespace))
	if err != nil {
		t = f.repository()
	}
	dir, err := t.inside(path)
	if err != nil {
		return nil
	}
	w := walk{system: files.OrDisk(t.files), found: map[string]bool{}}
	w.folder(dir)
	for _, component := range k.Spec.Components {
		w.add(dir, component)
	}
	for _, file := range sortedKeys(w.found) {
		if t.copies != nil {
			file = t.copies.original(file)
		}
		if real, err := f.system().Real(file); err == nil {
			file = real
		}
		out = append(out, file)
	}
	return out
}

// absolute returns a path as it is everywhere.
func absolute(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}
