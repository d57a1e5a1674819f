package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
)

// Exclude is the policy that places which are not to be stamped get nothing.
func Exclude(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
	return slices.DeleteFunc(wanted, func(w plan.Wanted) bool { return places[w.Place].Excluded })
}
