package main

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

// withoutUnkeyed has outcomes not count digests that were made without a hash key and are not written, because the
// stamps that are there have keyed ones. Somebody has that key then, so a new one is not what the others lack.
func withoutUnkeyed(outcomes []fleet.Outcome, members []*fluxMember) {
	if !slices.ContainsFunc(members, func(m *fluxMember) bool { return m != nil && len(m.keyed) > 0 }) {
		return
	}
	for i, m := range members {
		for k, f := range outcomes[i].Findings {
			if f.Code != diag.UnkeyedSecret || m == nil || m.plan == nil {
				continue
			}
			found := slices.Clone(outcomes[i].Findings)
			if n := m.unkeyed(); n > 0 {
				found[k].Message = diag.Count(n, "digest") + " of Secrets without a hash key"
				found[k].Hint = diag.RowOf(diag.StampUnchecked).Hint
			} else {
				found = slices.Delete(found, k, k+1)
			}
			outcomes[i] = outcomes[i].WithFindings(found)
			break
		}
	}
}

// unkeyed counts the digests of Secrets that are written and were made without a hash key.
func (m *fluxMember) unkeyed() (n int) {
	for i := range m.plan.Workloads {
		for k := range m.plan.Workloads[i].References {
			r := &m.plan.Workloads[i].References[k]
			if r.Unkeyed && !slices.Contains(m.keyed, stampAt{i, r.Annotation}) {
				n++
			}
		}
	}
	return n
}

// stampAt is a stamp of a workload, by its index.
type stampAt struct {
	workload int
	key      string
}
