package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// Exclude is the policy that places which are not to be stamped get nothing.
func Exclude(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	first := slices.IndexFunc(wanted, func(w plan.Wanted) bool { return places[w.Place].Excluded })
	if first < 0 {
		return wanted
	}
	out := append(make([]plan.Wanted, 0, len(wanted)-1), wanted[:first]...)
	for _, w := range wanted[first+1:] {
		if !places[w.Place].Excluded {
			out = append(out, w)
		}
	}
	return out
}
