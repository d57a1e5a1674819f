// Package policy decides what people decide: whether a workload is stamped, which objects restart nothing, what
// counts of volumes that the kubelet keeps up to date, and what becomes of other tools' checksums. Verdicts are about
// one workload or object while it is read; policies are functions over the list of wanted stamps.
package policy

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
)

// Func is a policy: it returns the stamps that are wanted after it. It leaves the list that it gets as it is, and
// returns that one where nothing changes.
type Func func(places []plan.Place, wanted []plan.Wanted) []plan.Wanted

// policies are those that there are, in their order.
var policies = []struct {
	applies func(*config.Settings) bool
	policy  Func
}{
	{always, Exclude},
	{replacesForeign, KeepForeign},
}

func always(*config.Settings) bool { return true }

// Of returns the policies that are in force, in their order. Settings that are nil are the defaults.
func Of(s *config.Settings) (out []Func) {
	if s == nil {
		s = config.New()
	}
	for _, row := range policies {
		if row.applies(s) {
			out = append(out, row.policy)
		}
	}
	return out
}

// Apply returns what is wanted after all policies.
func Apply(places []plan.Place, wanted []plan.Wanted, policies []Func) []plan.Wanted {
	for _, policy := range policies {
		wanted = policy(places, wanted)
	}
	return wanted
}

// Report takes a finding about what is at an offset of the text.
type Report func(f diag.Finding, offset int)
