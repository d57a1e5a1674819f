package diff

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/refs"
)

// renaming is an application that may have another name on the new side.
type renaming struct {
	was, now     string
	shared, same int  // objects that both have, and of these the ones that are written alike
	base         bool // the last part of the names is one
}

// renamings returns the old names of the applications of the new side that were renamed, by the new ones: an
// application that is on one side only is taken for one of the other side of which it has at least half of the objects,
// where that can only be one.
func renamings(old, now map[string]*App) (map[string]string, error) {
	gone, err := without(old, now)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	come, err := without(now, old)
	if err != nil {
		return nil, err
	}
	out, taken := map[string]string{}, map[string]bool{}
	all := candidates(gone, come)
	for len(all) > 0 {
		n := 1 // how many are as good as the first
		for n < len(all) && all[0].compare(all[n]) == 0 {
			n++
		}
		for i, r := range all[:n] {
			rival := func(other renaming) bool { return other != r && (other.was == r.was || other.now == r.now) }
			if taken[r.was] || out[r.now] != "" || slices.ContainsFunc(all[:n], rival) {
				continue
			}
			out[all[i].now], taken[all[i].was] = r.was, true
		}
		all = slices.DeleteFunc(all[n:], func(r renaming) bool { return taken[r.was] || out[r.now] != "" })
	}
	return out, nil
}

// without returns the objects of the applications that one side has and the other has not.
func without(side, other map[string]*App) (map[string]*inventory, error) {
	out := map[string]*inventory{}
	for name, a := range side {
		if other[name] != nil || a.Err != nil {
			continue
		}
		in, err := take(a, nil)
		if err != nil {
			return nil, err
		}
		if len(in.all) > 0 {
			out[name] = in
		}
	}
	return out, nil
}

// common is how many applications may have an object before it says nothing of any.
const common = 20

// candidates returns what may have been renamed, the most alike first.
func candidates(gone, come map[string]*inventory) []renaming {
	holders := map[id][]string{}
	for name, in := range gone {
		for key := range in.by {
			holders[key] = append(holders[key], name)
		}
	}
	var out []renaming
	for name, in := range come {
		found := map[string]*renaming{}
		for key, o := range in.by {
			if len(holders[key]) > common {
				continue
			}
			for _, was := range holders[key] {
				if found[was] == nil {
					found[was] = &renaming{was: was, now: name, base: path.Base(was) == path.Base(name)}
				}
				found[was].shared++
				if same(o, gone[was].by[key]) {
					found[was].same++
				}
			}
		}
		for was, r := range found {
			if 2*r.shared >= max(len(in.by), len(gone[was].by)) {
				out = append(out, *r)
			}
		}
	}
	slices.SortFunc(out, func(a, b renaming) int {
		return cmp.Or(a.compare(b), cmp.Compare(a.now, b.now), cmp.Compare(a.was, b.was))
	})
	return out
}

func (r renaming) compare(o renaming) int {
	bases := 0
	if r.base != o.base {
		bases = 1
		if r.base {
			bases = -1
		}
	}
	return cmp.Or(cmp.Compare(o.shared, r.shared), cmp.Compare(o.same, r.same), bases)
}

// movedWorkloads returns the workloads that are gone from one application and have come to another. What they are on
// both sides was not compared.
func movedWorkloads(objects []ObjectChange) []Unknown {
	kinds := refs.NewTable(config.MaxLevel, nil)
	gone := map[id][]string{}
	key := func(o ObjectChange) id { return id{o.Group, o.Kind, o.Namespace, o.Name.Name} }
	for _, o := range objects {
		if o.Change == Removal {
			gone[key(o)] = append(gone[key(o)], o.App)
		}
	}
	var out []Unknown
	for _, o := range objects {
		was := gone[key(o)]
		if o.Change != Addition || len(was) == 0 || slices.Contains(was, o.App) {
			continue
		}
		if isWorkload(kinds, o) {
			via := strings.Join(was[:min(len(was), 3)], " or ")
			out = append(out, Unknown{Reason: Moved, App: o.App, Object: &o.Name, Via: via})
		}
	}
	return out
}
