package values

import "slices"

// applied are the renders that are applied to one cluster. A nil one has none.
type applied struct {
	renders []*rendered      // in the order in which they were first added
	at      map[string]int   // where that of an application is among them
	named   map[string][]int // those that have had an object of a name
	unread  []int            // those that could not be read to their end
	added   []int            // those that are not in the lists yet
}

func newApplied() *applied { return &applied{at: map[string]int{}, named: map[string][]int{}} }

// add adds a render, in place of what the application rendered before.
func (a *applied) add(r *rendered) {
	i, known := a.at[r.of]
	if known {
		a.renders[i] = r
	} else {
		i = len(a.renders)
		a.renders, a.at[r.of] = append(a.renders, r), i
	}
	a.added = append(a.added, i)
}

// of returns the render of an application; nil where there is none.
func (a *applied) of(name string) *rendered {
	if a == nil {
		return nil
	}
	if i, known := a.at[name]; known {
		return a.renders[i]
	}
	return nil
}

// having returns the renders that may have objects of a name, in their order.
func (a *applied) having(name string) (out []*rendered) {
	if a == nil {
		return nil
	}
	for _, i := range a.added {
		r := a.renders[i]
		r.once.Do(r.read)
		if r.err != nil {
			a.unread = append(a.unread, i)
		}
		for o := range r.index.All() {
			if all := a.named[o.Name]; len(all) == 0 || all[len(all)-1] != i {
				a.named[o.Name] = append(all, i)
			}
		}
	}
	a.added = nil
	all := slices.Concat(a.named[name], a.unread)
	slices.Sort(all)
	for _, i := range slices.Compact(all) {
		if r := a.renders[i]; r.err == nil || r.mayHave(name) {
			out = append(out, r)
		}
	}
	return out
}
