package rounds

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// declared returns the object of a member as lines of locks name it: by the folder that declares it, and by that of the
// first Kustomization that leads to it, as two clusters may share what lies below.
func (s *Source) declared(m *member) lock.Declared {
	out := lock.Declared{Engine: lock.Flux, Name: keyOf(*m.Meta), In: s.declaredIn(m), From: s.declaredIn(s.first(m))}
	top, known := s.finder.At.Roots.Repository(out.In)
	if known && m.app != nil && !files.Within(top, m.app.Settings().Place().Dir) {
		out.Top = top
	}
	return out
}

// first returns the member that leads to one, and to which nothing leads. A Kustomization that applies the folder with
// its own file, as that of flux bootstrap, does not count: a run of that folder has it or not.
func (s *Source) first(m *member) *member {
	for m.parent != nil && !s.appliesItself(m.parent) {
		m = m.parent
	}
	return m
}

func (s *Source) appliesItself(m *member) bool {
	return m.kustomization != nil && m.folder != "" && files.Within(m.folder, s.declaredIn(m))
}

// declaredIn returns the folder of the file that declares a member: that of what renders it where it lies in no file of
// the repository.
func (s *Source) declaredIn(m *member) string {
	for ; m != nil; m = m.parent {
		if m.Pos.File == "" || m.Pos.File == "-" {
			continue
		}
		dir := filepath.Dir(absolute(m.Pos.File))
		if _, err := s.finder.system().Stat(dir); m.parent == nil || err == nil && files.Within(s.finder.root, dir) {
			return dir
		}
	}
	return s.finder.root
}
