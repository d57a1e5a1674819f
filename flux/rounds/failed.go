package rounds

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// failedNames are the names in the files of Kustomizations that failed, each read once: many workloads may lack what
// one of many may apply. Each name has the file that it is in, "" where several have it.
type failedNames map[*member]map[string]string

// has reports whether the files of a member have a name by itself, not as a part of another one or of a file's name.
func (f failedNames) has(m *member, system files.System, name string) bool {
	_, is := f.of(m, system)[name]
	return is
}

// of returns the names in the files of a member.
func (f failedNames) of(m *member, system files.System) map[string]string {
	if f[m] == nil {
		f[m] = namesIn(m.folder, system)
	}
	return f[m]
}

// namesIn returns all that may be a name in the files of manifests that a folder leads to.
func namesIn(folder string, system files.System) map[string]string {
	out := map[string]string{}
	w := walk{system: system, found: map[string]bool{}}
	w.folder(folder)
	for file := range w.found {
		text, err := files.OrDisk(system).ReadFile(file)
		if err != nil {
			continue
		}
		mentions(string(text), func(name string) {
			if in, is := out[name]; is && in != file {
				out[name] = ""
			} else {
				out[name] = file
			}
		})
	}
	return out
}

// namesOf returns all that may be a name in a text.
func namesOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._/", r)
	})
}

// failedWith returns a Kustomization of a cluster that failed and whose files have a name; nil where none has.
func (s *Source) failedWith(cluster app.Destination, name string) *member {
	for _, f := range s.members {
		if f.kustomization == nil || f.err == nil || f.folder == "" ||
			f.destination().Like(cluster) != app.SameCluster {
			continue
		}
		if s.failed.has(f, s.finder.system(), name) {
			return f
		}
	}
	return nil
}

// MayName reports whether an object's name is in the files of an application that failed.
func (s *Source) MayName(application, object string) bool {
	m := s.named[application]
	return m != nil && m.folder != "" && s.failed.has(m, s.finder.system(), object)
}

const unappliedHint = "Mend that first: what this one is in the cluster is not known without."

// findUnapplied has members that fail as they are written fail for a Kustomization which failed, where that is to
// replace variables in them, or they lack what lies elsewhere, such as a chart or values: what they are in the cluster,
// and in which namespace, is not known.
func (s *Source) findUnapplied() {
	for _, m := range s.members {
		if m.err == nil || m.Meta == nil {
			continue
		}
		by := s.unappliedBy(m)
		switch {
		case hasVariables(m.Fields()) && by != nil && by.kustomization != nil && by.kustomization.Spec.PostBuild != nil:
			err := fmt.Errorf("%s replaces its variables, and that fails", by)
			m.err, m.isUnproven = m.Fail(&diag.Shared{Err: err}, unappliedHint), true
		case m.unapplied != nil && m.unapplied.err != nil && m.repeats == nil && diag.IsShared(m.err):
			err := fmt.Errorf("%s applies it, and that fails", m.unapplied)
			m.err, m.isUnproven = m.Fail(&diag.Shared{Err: err}, unappliedHint), true
		}
	}
}

// unappliedBy returns the Kustomization whose failure leaves a member as it is written: the first one above it that has
// no variables itself, or that nothing above it replaces; nil where there is none, and where they apply each other, as
// then the cause would be nobody's.
func (s *Source) unappliedBy(m *member) *member {
	at := m
	for seen := map[*member]bool{}; at.Meta != nil && hasVariables(at.Fields()); {
		above := at.unapplied
		if above == nil {
			above = s.failedOver(at)
		}
		if above == nil {
			break
		}
		if seen[at] = true; seen[above] {
			return nil
		}
		at = above
	}
	if at == m {
		return nil
	}
	return at
}

// failedOver returns a Kustomization that failed and builds a folder whose kustomization leads to the file of a member;
// nil where none does.
func (s *Source) failedOver(m *member) *member {
	for _, dir := range s.finder.kustomized() {
		if m.parent != nil || !dir.names[absolute(m.Pos.File)] {
			continue
		}
		for _, by := range s.members {
			folder := cmp.Or(by.folder, by.undrafted)
			isOver := by.kustomization != nil && folder != "" && files.Within(folder, filepath.Dir(dir.file))
			if isOver && by.err != nil && by != m {
				return by
			}
		}
	}
	return nil
}

// hasVariables reports whether a text in a value has a variable of Flux's.
func hasVariables(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, "${")
	case []any:
		return slices.ContainsFunc(v, hasVariables)
	case map[string]any:
		for _, inner := range v {
			if hasVariables(inner) {
				return true
			}
		}
	}
	return false
}
