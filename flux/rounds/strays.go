package rounds

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// stray is an object in a file that lies in the folder of a Kustomization and that no kustomization there names.
type stray struct {
	object string
	pos    diag.Position
	by     *member // the Kustomization
}

// strays finds them in the folders of Kustomizations.
type strays struct {
	finder  *finder
	folders *folders
	applied func() map[string]bool // the files that the folders lead to, looked for once
}

// newStrays returns what finds strays.
func newStrays(f *finder, in *folders) *strays {
	return &strays{finder: f, folders: in, applied: sync.OnceValue(func() map[string]bool {
		w := walk{system: f.system(), found: map[string]bool{}}
		for m, dir := range in.of {
			w.build(m.kustomization, dir)
		}
		return w.found
	})}
}

// over returns the Kustomization in whose folder a file lies that none applies; nil where there is none, one may apply
// it, or the user names the file, or a folder within that folder.
func (s *strays) over(file string) *member {
	if file == "" || file == "-" {
		return nil
	}
	abs := absolute(file)
	by := s.folders.covering(abs, nil)
	if by == nil {
		return nil
	}
	dir := s.folders.of[by]
	w := walk{system: s.finder.system()}
	isMeant := slices.ContainsFunc(s.finder.Paths, func(path string) bool {
		within := absolute(path)
		return within != dir && files.Within(dir, within) && files.Within(within, abs)
	})
	if kustomization, _ := w.kustomization(dir); kustomization == "" || isMeant || s.applied()[abs] {
		return nil
	}
	return by
}

// addErrors adds the errors of reading files, but for those of strays, which are no part of the cluster.
func (s *Source) addErrors(found *strays) {
	for _, err := range s.errs {
		for _, one := range diag.Unjoin(err) {
			var known *diag.Error
			if errors.As(one, &known) && known.Object != "" {
				if by := found.over(known.Pos.File); by != nil {
					s.strays = append(s.strays, stray{known.Object, known.Pos, by})
					continue
				}
			}
			s.addError(one)
		}
	}
}

// withoutStrays returns the members but for strays that have the name of another one.
func (s *Source) withoutStrays(all []*member, found *strays) []*member {
	named := map[string][]*member{}
	for _, m := range all {
		named[m.key()] = append(named[m.key()], m)
	}
	return slices.DeleteFunc(all, func(m *member) bool {
		others := named[m.key()]
		if len(others) == 1 {
			return false
		}
		by := found.over(m.Pos.File)
		if by == nil {
			return false
		}
		isApplied := func(o *member) bool { return found.over(o.Pos.File) == nil }
		if !slices.ContainsFunc(others, isApplied) && others[0] == m {
			return false // it is reported as what no render has
		}
		s.strays = append(s.strays, stray{m.String(), m.Pos, by})
		return true
	})
}

// reportStrays reports the strays of Kustomizations that were built.
func (s *Source) reportStrays() {
	for _, one := range s.strays {
		if by := s.byKey[one.by.key()]; by != nil {
			by.reportLeftOut(one.object, one.pos)
		}
	}
}

// reportLeftOut reports an object in the folder of a Kustomization that does not apply it, where it stands.
func (m *member) reportLeftOut(object string, pos diag.Position) {
	message := fmt.Sprintf("it lies in the folder of %s (%s), which does not apply it", m, m.Pos)
	m.findings = append(m.findings, diag.New(diag.FluxNotApplied, object, m.Secrets.Values.In(message)).At(pos))
}

// coveredBy returns the Kustomization whose folder the file of a member lies in; nil where there is none but itself.
func coveredBy(m *member, in *folders) *member {
	file, err := filepath.Abs(m.Pos.File)
	if err != nil || m.Pos.File == "-" {
		return nil
	}
	return in.covering(file, m)
}
