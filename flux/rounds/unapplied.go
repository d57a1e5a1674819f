package rounds

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// failUnproven has members fail that were rendered as they are written, and that a Kustomization which failed may make
// others of: nobody knows what the cluster has. So does what was found in their renders.
func (s *Source) failUnproven() {
	leads := leadsOf{}
	for again := true; again; {
		again = false
		for _, m := range s.members {
			by := m.unapplied
			if m.parent != nil && m.parent.isUnproven {
				by = m.parent
			}
			if m.isUnproven || m.err != nil || by == nil || by.err == nil ||
				!by.isUnproven && !s.mayChange(by, m, leads) {
				continue
			}
			err := fmt.Errorf("%s applies it, may change it, and fails", by)
			m.fail(m.Fail(&diag.Shared{Err: err}, unappliedHint))
			m.isUnproven, again = true, true
		}
	}
}

// mayChange reports whether a Kustomization that failed may make another object of one in its files: by its spec, by
// variables, or by the kustomizations that lead to the file.
func (s *Source) mayChange(by, m *member, leads leadsOf) bool {
	k := by.kustomization
	if k == nil {
		return true
	}
	spec := &k.Spec
	switch {
	case len(spec.Patches) > 0, len(spec.Components) > 0, spec.NamePrefix != "", spec.NameSuffix != "",
		spec.TargetNamespace != "" && spec.TargetNamespace != m.Namespace,
		spec.PostBuild != nil && hasVariables(m.Fields()):
		return true
	}
	folder, file := by.folder, absolute(m.Pos.File)
	if folder == "" {
		folder = by.undrafted
	}
	if folder == "" {
		return true
	}
	for at := range leads.from(s, folder) {
		if leads.changes(s, at) && leads.from(s, filepath.Dir(at))[file] {
			return true
		}
	}
	return false
}

// leadsOf has the files that folders lead to, and whether kustomizations do more than to list resources.
type leadsOf map[string]map[string]bool

// from returns the files that a folder leads to.
func (l leadsOf) from(s *Source, dir string) map[string]bool {
	if l[dir] == nil {
		w := walk{system: s.finder.system(), found: map[string]bool{}}
		w.folder(dir)
		l[dir] = w.found
	}
	return l[dir]
}

// changes reports whether a file is a kustomization that does more than to list resources.
func (l leadsOf) changes(s *Source, file string) bool {
	if !slices.Contains(render.KustomizationFiles[:], filepath.Base(file)) {
		return false
	}
	text, err := s.finder.system().ReadFile(file)
	if err != nil {
		return true
	}
	d, err := manifest.Parse(text)
	if err != nil {
		return true
	}
	for key := range d.Root().Entries() {
		switch key.Text() {
		case "apiVersion", "kind", "metadata", "resources":
		default:
			return true
		}
	}
	return false
}
