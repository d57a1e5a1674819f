package policy_test

import (
	"fmt"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// A policy of one's own goes with those of the settings: here, no more than one stamp is written into a place.
func ExampleApply() {
	onePerPlace := func(_ []plan.Place, wanted []plan.Wanted) (out []plan.Wanted) {
		taken := map[int]bool{}
		for _, w := range wanted {
			if !taken[w.Place] {
				out = append(out, w)
			}
			taken[w.Place] = true
		}
		return out
	}
	places := []plan.Place{{Workload: 0}, {Workload: 1, Excluded: true}}
	wanted := []plan.Wanted{
		{Place: 0, Kind: "ConfigMap", Name: "shop", Reason: plan.Digest},
		{Place: 0, Kind: "Secret", Name: "db", Reason: plan.Digest},
		{Place: 1, Kind: "Secret", Name: "db", Reason: plan.Digest},
	}
	for _, w := range policy.Apply(places, wanted, append(policy.Of(nil), onePerPlace)) {
		fmt.Println(w.Place, w.Kind, w.Name, w.Reason)
	}
	// Output:
	// 0 ConfigMap shop digest
}
