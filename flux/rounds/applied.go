package rounds

import (
	"cmp"
	"fmt"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// applied is an object that a member applies, and the cluster it lies in.
type applied struct {
	group, kind, namespace, name string
	in                           app.Destination
}

// String names the object with the namespace that it is applied to, as most of a chart name none.
func (a applied) String() string {
	if refs.IsOfCluster(a.group, a.kind) {
		return manifest.Describe(a.kind, "", a.name)
	}
	return manifest.Describe(a.kind, a.namespace, a.name)
}

// need is a ConfigMap or Secret that a workload of a member refers to and the member does not apply as it is.
type need struct {
	values.Ref
	workload string
}

// readApplied goes once through what the members apply. It reports objects that two of them apply, which would take
// them from each other in the cluster, and returns what the workloads of each need of others.
func (s *Source) readApplied() map[*member][]need {
	all, needs := newAppliers(), map[*member][]need{}
	tables := map[int]*refs.Table{}
	for _, m := range s.members {
		if m.output == nil {
			continue
		}
		table, own := m.table(tables), map[values.Ref]bool{}
		var refers []need
		to := m.destination()
		for r := manifest.NewReader(m.output.Text); ; {
			d, err := r.Next()
			if err != nil || d == nil {
				break
			}
			for o := range d.Objects() {
				key := applied{o.Group(), o.Kind, cmp.Or(o.Namespace, m.namespace()), o.Name, to}
				all.add(key, m, o, d)
				if key.kind == "ConfigMap" || key.kind == "Secret" {
					own[values.Ref{Kind: key.kind, Namespace: key.namespace, Name: key.name}] = true
				} else if table != nil {
					refers = appendNeeds(refers, o, table, key.namespace)
				}
			}
		}
		for _, n := range refers {
			if !own[n.Ref] {
				needs[m] = append(needs[m], n)
			}
		}
	}
	all.report()
	return needs
}

// bothApply returns the beginning of a sentence about what two members apply, with the place of the one that the
// position of the finding does not have.
func bothApply(other, m *member) string {
	return fmt.Sprintf("%s (%s) and %s both apply", other, other.Pos, m)
}

// table returns the kinds of workloads of a member that is stamped, else nil.
func (m *member) table(known map[int]*refs.Table) *refs.Table {
	if m.app.Stamping() == nil {
		return nil
	}
	set := m.app.Settings()
	level := cmp.Or(int(set.Level.Value), config.MaxLevel)
	if len(set.Kinds.Value) > 0 {
		return refs.NewTable(level, set.Kinds.Value)
	}
	if known[level] == nil {
		known[level] = refs.NewTable(level, nil)
	}
	return known[level]
}

// appendNeeds adds what a workload refers to.
func appendNeeds(all []need, o manifest.Object, table *refs.Table, namespace string) []need {
	for _, row := range table.Rows(o) {
		for _, t := range table.Find(o, row) {
			for i := range t.References {
				r := &t.References[i]
				ref := values.Ref{Kind: r.Kind, Namespace: cmp.Or(r.Namespace, namespace), Name: r.Name}
				all = append(all, need{ref, manifest.Describe(o.Kind, o.Namespace, o.Name)})
			}
		}
	}
	return all
}
