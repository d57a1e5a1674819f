package rounds

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
)

// finish orders the members, names them, and completes their applications.
func (s *Source) finish() {
	s.findUnapplied()
	s.failUnproven()
	s.findCycles()
	s.findBeside(s.readApplied())
	s.sort()
	s.setNames()
	s.setValuesRead()
	s.reportUnnamed()
	s.reportStrays()
	s.reportSets()
	s.reportUnusedSources()
	for _, m := range s.members {
		m.beside.setNames()
		m.err = objects.AtField(m.err, s.finder.system())
		s.names = append(s.names, m.name)
		s.named[m.name] = m
		for _, to := range m.dependsOn() {
			if other := s.dependency(m, to); other != nil {
				m.after = append(m.after, other.name)
			}
		}
		if m.Suspend {
			m.report(diag.FluxSuspended, "it is suspended: Flux does not apply it")
		}
		if why := m.left(); why != "" {
			m.report(diag.FluxObjectLeft, "Flux leaves it in the cluster as it is: "+why)
		}
		m.reportFields()
		s.reportVersions(m)
		s.reportPausedValues(m)
		m.reportLeftValues()
		if m.kubeConfig() != nil {
			m.report(diag.FluxRemote,
				"it is applied to "+m.destination().String()+", and nothing here knows what else lies there")
		}
	}
}

// reportUnusedSources reports the folders of sources that nothing refers to, as where a name is misspelled, at the
// first member. While one fails it is not known what it would refer to.
func (s *Source) reportUnusedSources() {
	failed := func(m *member) bool { return m.err != nil }
	if s.finder.ForElsewhere || len(s.members) == 0 || slices.ContainsFunc(s.members, failed) {
		return
	}
	asked := slices.Sorted(maps.Keys(s.finder.asked))
	for _, key := range slices.Sorted(maps.Keys(s.finder.given)) {
		if s.finder.asked[key] {
			continue
		}
		text := "nothing that is rendered here refers to it"
		if near := config.Nearest(key, asked, 4); near != "" {
			text += "; did you mean " + near + "?"
		}
		m := s.members[0]
		m.findings = append(m.findings, diag.New(diag.FluxSourceUnused, "--source "+key, text))
	}
}

// reportFields reports fields of the object that its kind does not have. An error may well follow from them.
func (m *member) reportFields() {
	fields := m.UnknownFields()
	if known, ok := m.err.(*diag.Error); ok && len(fields) > 0 { //nolint:errorlint // one that is wrapped keeps its words
		with := *known
		with.Hint = strings.TrimSpace(fmt.Sprintf("%s at %s has %s, which is no field of its kind. %s", m, m.Pos,
			strings.Join(fields, ", "), known.Hint))
		m.err = &with
	}
	for _, field := range fields {
		m.findings = append(m.findings,
			diag.New(diag.FluxField, m.String(), "it has "+field+", which is no field of its kind").WithKey(field).At(m.Pos))
	}
}

// reportVersions reports where the object, or the source that it names, has another version than the current one.
func (s *Source) reportVersions(m *member) {
	all := []objects.Meta{*m.Meta}
	for _, ref := range m.sources() {
		if source, known := s.finder.source(ref.Kind, ref.Namespace, ref.Name); known {
			all = append(all, source.Meta)
		}
	}
	for _, one := range all {
		if what := one.OtherVersion(); what != "" {
			m.findings = append(m.findings,
				diag.New(diag.FluxField, one.String(), what).WithKey("apiVersion").At(one.Pos))
		}
	}
}

// application returns the application of a member as the run has it.
func (s *Source) application(m *member) (*app.Application, error) {
	if m.err != nil {
		return nil, m.err
	}
	origin := app.Origin{Pos: m.Pos, Suspended: m.Suspend, Fetched: m.isFetched(), Replacing: m.replacing()}
	if m.kustomization != nil {
		origin.Applier = app.KustomizeController
	}
	if m.parent != nil {
		origin.Parent = m.parent.name
	}
	origin.Declared = s.declared(m)
	a := m.app
	if len(m.beside.outputs) > 0 || m.beside.err != nil {
		a = a.WithTransform(m.beside.transform)
	}
	return a.WithName(m.name).WithOrigin(origin).WithDestination(m.destination()).WithDependsOn(m.after...).
		WithLeaves(m.leaves()).WithValuesRead(m.valuesRead).WithFindings(m.findings...), nil
}

// isFetched reports whether what a release renders is a chart that lies in no file of this machine: an archive or a
// part of the cache.
func (m *member) isFetched() bool {
	path := m.app.Path()
	if m.release == nil || m.folder == path || !filepath.IsAbs(path) {
		return false
	}
	_, err := os.Stat(path)
	return err != nil
}

// Takes returns the objects that a member takes values from.
func (s *Source) Takes(name string) (out []app.Object) {
	if m := s.named[name]; m != nil && m.Meta != nil {
		for _, r := range m.references() {
			out = append(out, app.Object{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
		}
	}
	return out
}

// setValuesRead has each member know what the others take from its cluster, those that fail among them.
func (s *Source) setValuesRead() {
	byCluster := map[string]app.Objects{}
	for _, m := range s.members {
		for _, r := range m.references() {
			at := m.home().String()
			if byCluster[at] == nil {
				byCluster[at] = app.Objects{}
			}
			byCluster[at][manifest.Describe(r.Kind, r.Namespace, r.Name)] = true
		}
	}
	for _, m := range s.members {
		m.valuesRead = byCluster[m.destination().String()]
	}
}

// dependency returns the member that another one depends on, which lies in the same cluster; nil where it is not known.
func (s *Source) dependency(of *member, to objects.Meta) *member {
	return s.byKey[of.home().String()+" "+keyOf(to)]
}

// findCycles has those fail that wait for each other, and reports what waits for something that is not there.
func (s *Source) findCycles() {
	for _, m := range s.members {
		for i, to := range m.dependsOn() {
			if s.dependency(m, to) == nil {
				m.reportAt(m.FieldPos(s.finder.system(), "dependsOn", i), diag.FluxDependency,
					"it depends on "+to.String()+", which is not among the applications")
			}
		}
		if cycle := s.cycleOf(m); cycle != nil {
			m.fail(m.FailAt(fmt.Errorf("spec.dependsOn leads in a circle: %s", strings.Join(cycle, " -> ")),
				"Flux applies none of them; take one of these dependencies away.", "dependsOn"))
		}
	}
}

// cycleOf returns the way from a member back to itself, nil where there is none.
func (s *Source) cycleOf(m *member) []string {
	seen := map[*member]bool{}
	var walk func(at *member) []string
	walk = func(at *member) []string {
		for _, to := range at.dependsOn() {
			next := s.dependency(at, to)
			switch {
			case next == nil:
			case next == m:
				return []string{at.Namespace + "/" + at.Name, m.Namespace + "/" + m.Name}
			case !seen[next]:
				seen[next] = true
				if rest := walk(next); rest != nil {
					return append([]string{at.Namespace + "/" + at.Name}, rest...)
				}
			}
		}
		return nil
	}
	return walk(m)
}

// sort puts members behind what they depend on and what they were found in; else they stay in the order of the rounds.
func (s *Source) sort() {
	sorted, seen := make([]*member, 0, len(s.members)), map[*member]bool{}
	var visit func(m *member)
	visit = func(m *member) {
		if seen[m] {
			return
		}
		seen[m] = true
		if m.parent != nil {
			visit(m.parent)
		}
		for _, to := range m.dependsOn() {
			if before := s.dependency(m, to); before != nil {
				visit(before)
			}
		}
		sorted = append(sorted, m)
	}
	for _, m := range s.members {
		visit(m)
	}
	s.members = sorted
}

// setNames names the members NAMESPACE/NAME. A HelmRelease has its kind in front where a Kustomization has that name:
// the name of a Kustomization stays the same whatever is put beside it.
func (s *Source) setNames() {
	kustomizations := map[string]bool{}
	for _, m := range s.members {
		if m.Kind == "Kustomization" {
			kustomizations[m.Namespace+"/"+m.Name] = true
		}
	}
	taken := map[string]bool{}
	for _, m := range s.members {
		if m.name == "" {
			if m.name = m.Namespace + "/" + m.Name; m.Kind != "Kustomization" && kustomizations[m.name] {
				m.name = m.Kind + "/" + m.name
			}
		}
		base := m.name
		for i := 2; taken[m.name]; i++ {
			m.name = fmt.Sprintf("%s (%d)", base, i)
		}
		taken[m.name] = true
	}
}

// sortedKeys returns the keys of a map, sorted.
func sortedKeys[V any](all map[string]V) []string { return slices.Sorted(maps.Keys(all)) }
