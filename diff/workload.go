package diff

import (
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// rowsOf returns the rows of the table of kinds for an object.
func rowsOf(kinds *refs.Table, o *object) []*refs.Kind {
	return kinds.Rows(manifest.Object{APIVersion: o.Group + "/v1", Kind: o.Kind})
}

// restartOf compares the pod templates of a workload; nil where Kubernetes sees no difference.
func restartOf(c *compared, rows []*refs.Kind, old, now *inventory, configs *configs) *Restart {
	var out *Restart
	for _, row := range rows {
		from, to := at(c.from.table, row.Template...), at(c.to.table, row.Template...)
		if from == nil || to == nil {
			continue
		}
		changes := templateChanges(from, to)
		if len(changes) == 0 {
			continue
		}
		why := newCauses(old, now, configs, c.pair, below(c.unstable, row.Template))
		found := make([]Cause, len(changes))
		for i, f := range changes {
			found[i] = why.of(f)
		}
		if out == nil {
			out = &Restart{Name: c.now.Name, Rollout: rolloutOf(c.to.table, row.Rollout)}
		}
		out.add(found)
	}
	return out
}

// below returns the paths below another path, as seen from there.
func below(paths map[string]bool, path []string) map[string]bool {
	if len(path) == 0 || len(paths) == 0 {
		return paths
	}
	prefix := ""
	for _, field := range path {
		prefix = join(prefix, field)
	}
	out := map[string]bool{}
	for p := range paths {
		if len(p) > len(prefix) && p[:len(prefix)] == prefix {
			rest := p[len(prefix):]
			if rest[0] == '.' {
				rest = rest[1:]
			}
			out[rest] = true
		}
	}
	return out
}
