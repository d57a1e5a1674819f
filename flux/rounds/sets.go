package rounds

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
)

// reportSets reports the ResourceSets in files that no Kustomization of the run builds, with the first application.
func (s *Source) reportSets() {
	if len(s.members) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(s.members, func(m *member) bool { return m.err == nil && m.parent == nil }))
	for _, set := range s.sets() {
		if set.Pos.File == "-" || !s.isApplied(filepath.Dir(absolute(set.Pos.File))) {
			f := lint.OfResourceSet(manifest.Describe(set.Kind, set.Namespace, set.Name)).At(set.Pos)
			s.members[at].findings = append(s.members[at].findings, f)
		}
	}
}

// sets returns the ResourceSets in the files that were read.
func (s *Source) sets() (out []objects.Meta) {
	for _, o := range s.read {
		out = append(out, o.Sets...)
	}
	return out
}

// ofOperator returns which objects of flux-operator the files have, and what to do where they have nothing else; ""
// where they have none.
func (s *Source) ofOperator() (what, hint string) {
	var kinds, hints []string
	isInstance := func(o *objects.Objects) bool { return len(o.Instances) > 0 }
	if i := slices.IndexFunc(s.read, isInstance); i >= 0 {
		kinds = append(kinds, s.read[i].Instances[0].String())
		hints = append(hints, "Name the folder that its spec.sync.path names: what lies there is what Flux applies first.")
	}
	if sets := s.sets(); len(sets) > 0 {
		kinds = append(kinds, sets[0].String())
		hints = append(hints, diag.RowOf(diag.FluxResourceSet).Hint)
	}
	return strings.Join(kinds, " and "), strings.Join(hints, " ")
}
