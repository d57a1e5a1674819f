package fleet

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// OrderFindings reports where the i-th application is applied before another one that renders what its workloads refer
// to: they restart, and the new content is not there yet.
func (n *Neighbours) OrderFindings(i int) (out []diag.Finding) {
	m := n.members[i]
	if m == nil || len(m.needs()) == 0 {
		return nil
	}
	after := n.appliedAfter(i)
	for _, one := range m.needs() {
		p, ok := n.Provider(i, one.Kind, one.Namespace, one.Name)
		if !ok || p.Doubtful != "" || !after[p.App] {
			continue
		}
		out = append(out, diag.New(diag.FluxOrder, one.Workload.String(), fmt.Sprintf(
			"it reads %s, which %s renders, and that is applied after %s", one.About, p.App, m.name)).WithAbout(one.About))
	}
	return m.settings.Severity(out)
}

// appliedAfter returns the names of the applications that wait for the i-th one, or for one that does.
func (n *Neighbours) appliedAfter(i int) map[string]bool {
	after := map[string]bool{}
	for round := []string{n.members[i].name}; len(round) > 0; {
		var next []string
		for _, m := range n.members {
			if m == nil || after[m.name] {
				continue
			}
			if slices.ContainsFunc(m.dependsOn, func(name string) bool { return slices.Contains(round, name) }) {
				after[m.name] = true
				next = append(next, m.name)
			}
		}
		round = next
	}
	delete(after, n.members[i].name) // a cycle is an error of its own
	return after
}
