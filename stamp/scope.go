package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// scope is what a workload consumes of one object.
type scope struct {
	all  bool
	keys []string // sorted; nil with all
}

// scopeOf returns the union over the references that counts reports true of.
func scopeOf(group []refs.Reference, counts func(*refs.Reference) bool) (s scope) {
	n := 0
	for i := range group {
		if r := &group[i]; counts(r) {
			s.all, n = s.all || r.All, n+len(r.Keys)
		}
	}
	if s.all || n == 0 {
		return s
	}
	s.keys = make([]string, 0, n)
	for i := range group {
		if r := &group[i]; counts(r) {
			s.keys = append(s.keys, r.Keys...)
		}
	}
	slices.Sort(s.keys)
	s.keys = slices.Compact(s.keys)
	return s
}

// requiredKeys returns the keys without which a pod does not start, sorted.
func requiredKeys(group []refs.Reference) (keys []string) {
	for i := range group {
		if g := &group[i]; !g.All && !g.Shared && !g.Optional && !g.BySubPath && readByPod(g) {
			keys = append(keys, g.Keys...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (s scope) has(key string) bool {
	if s.all {
		return true
	}
	_, ok := slices.BinarySearch(s.keys, key)
	return ok
}

func (s scope) empty() bool { return !s.all && len(s.keys) == 0 }

// beyond reports whether the scope has a key that the content does not name.
func (s scope) beyond(c *objects.Content) bool {
	return s.all || slices.ContainsFunc(s.keys, func(key string) bool { return !c.Has(key) })
}

func readByPod(r *refs.Reference) bool { return r.Form != refs.FormPull }

func readOnlyAtStart(r *refs.Reference) bool { return readByPod(r) && !r.Live }
