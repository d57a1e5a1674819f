package rounds

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// Above returns the Kustomizations of the repository that what was read begins with, and that lie elsewhere: each leads
// to an object in these files, and nothing leads to it. There are none where an object in the files themselves leads to
// the others, as one of a cluster's folder does, or in those that the kustomization of such a folder names. It needs no
// Names.
func (s *Source) Above(ctx context.Context) (out []*objects.Kustomization) {
	f := s.finder
	named := s.filesWithObjects()
	isWhole := func(path string) bool { return path == "-" || files.Within(absolute(path), f.root) }
	if len(named) == 0 || slices.ContainsFunc(f.Paths, isWhole) {
		return nil
	}
	e := newElsewhere(&Source{finder: f})
	var all []reader
	for _, file := range sortedKeys(e.inFile) {
		for _, k := range e.inFile[file] {
			all = append(all, newReader(k, file))
		}
	}
	e.visitAll(ctx, all)
	isNamed := func(k *objects.Kustomization) bool {
		file := absolute(k.Pos.File)
		return named[file] || slices.ContainsFunc(f.kustomized(), func(dir kustomized) bool { return dir.names[file] })
	}
	for _, file := range sortedKeys(named) {
		if slices.ContainsFunc(e.appliers[file], isNamed) {
			continue // it comes with that
		}
		for _, k := range e.topsOf(file, map[string]bool{}) {
			if !isNamed(k) && !slices.ContainsFunc(out, func(o *objects.Kustomization) bool { return o.Pos == k.Pos }) {
				out = append(out, k)
			}
		}
	}
	return out
}

// filesWithObjects returns the files that were read and hold a Kustomization or HelmRelease, and the kustomizations of
// folders that the user names, whose objects may lie anywhere.
func (s *Source) filesWithObjects() map[string]bool {
	out := map[string]bool{}
	for _, o := range s.read {
		for _, m := range newMembers(o, nil) {
			out[absolute(m.Pos.File)] = true
		}
	}
	for _, dir := range s.finder.kustomized() {
		out[dir.file] = true
	}
	return out
}

// topsOf returns the Kustomizations that lead to a file, and to which nothing leads but themselves. Seen are
// the files on the way.
func (e *Elsewhere) topsOf(file string, seen map[string]bool) (out []*objects.Kustomization) {
	seen[file] = true
	defer delete(seen, file) // there may be another way to it
	for _, k := range e.appliers[file] {
		from := absolute(k.Pos.File)
		if seen[from] {
			continue
		}
		if above := e.topsOf(from, seen); len(above) > 0 {
			out = append(out, above...)
		} else {
			out = append(out, k)
		}
	}
	return out
}

// IsIn reports whether the object of an application lies at one of the paths, or in a file that the kustomization of
// such a folder names, or in what one renders that does.
func (s *Source) IsIn(name string, paths []string) bool {
	for m := s.named[name]; m != nil; m = m.parent {
		file := absolute(m.Pos.File)
		if m.Pos.File != "" && slices.ContainsFunc(paths, func(p string) bool { return files.Within(absolute(p), file) }) {
			return true
		}
		if slices.ContainsFunc(s.finder.kustomized(), func(dir kustomized) bool {
			return slices.Contains(paths, dir.path) && dir.names[file]
		}) {
			return true
		}
	}
	return false
}

// IsAround reports whether an application is built from a folder that one of the paths lies in.
func (s *Source) IsAround(name string, paths []string) bool {
	folder := s.Folder(name)
	return folder != "" && slices.ContainsFunc(paths, func(p string) bool {
		return files.Within(absolute(folder), absolute(p))
	})
}
