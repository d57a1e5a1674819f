package diff

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// RemovedWorkloads counts the workloads that are on the old side only. Those that move with their application, or come
// to another one, are not removed.
func (c *Comparison) RemovedWorkloads() int {
	moves := map[string]bool{}
	for _, a := range c.Apps {
		moves[a.Name] = a.Move != nil
	}
	key := func(o ObjectChange) id {
		if moves[o.App] {
			return id{o.Group, o.Kind, o.App + "\x00", o.Name.Name}
		}
		return id{o.Group, o.Kind, o.Namespace, o.Name.Name}
	}
	added := map[id]bool{}
	for _, o := range c.Objects {
		if o.Change == Addition {
			added[key(o)] = true
		}
	}
	kinds, n := refs.NewTable(config.MaxLevel, nil), 0
	for _, o := range c.Objects {
		if o.Change == Removal && o.Stays == "" && !added[key(o)] && isWorkload(kinds, o) {
			n++
		}
	}
	return n
}

func isWorkload(kinds *refs.Table, o ObjectChange) bool {
	return len(kinds.Rows(manifest.Object{APIVersion: o.Group + "/v1", Kind: o.Kind})) > 0
}
