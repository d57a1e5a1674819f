package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
)

// object is what stamps are about.
type object struct{ kind, name string }

// withoutRefresh returns the policy that no operator is told to fetch what is adopted wherever it is read: nothing has
// changed since, and no pod restarts that could be too early. What is written into a producer besides stays, and so
// does the stamp beside it.
func withoutRefresh(holds []plan.Hold, all []plan.Wanted, prefix hashing.Prefix) Func {
	refreshes := func(w plan.Wanted) bool { return w.Reason == plan.Refresh }
	if !slices.ContainsFunc(all, refreshes) {
		return func(_ []plan.Place, wanted []plan.Wanted) []plan.Wanted { return wanted }
	}
	open := map[object]int{} // stamps that change something, and are not held; none where the adoption is settled
	for i := range holds {
		if h := &holds[i]; h.Held == plan.Adopted && h.Stamp == "" {
			open[object{h.Kind, h.Name}]--
		}
	}
	isStamp := func(w *plan.Wanted) bool { return prefix.Has(w.Key) && w.Key != prefix.TargetName() }
	for i := range all {
		w := &all[i]
		_, adopted := open[object{w.Kind, w.Name}]
		if adopted && (w.Reason != plan.Refresh || !isStamp(w)) {
			open[object{w.Kind, w.Name}]++
		}
	}
	return func(_ []plan.Place, wanted []plan.Wanted) []plan.Wanted {
		if len(open) == 0 {
			return wanted
		}
		out := make([]plan.Wanted, 0, len(wanted))
		for _, w := range wanted {
			rest, adopted := open[object{w.Kind, w.Name}]
			if adopted && rest == 0 && w.Reason == plan.Refresh {
				continue
			}
			out = append(out, w)
		}
		return out
	}
}
