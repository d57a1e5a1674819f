package diff

import "github.com/rollstamp/rollstamp/refs"

// rolloutOf returns how a workload of the side, applied in a way, goes over to a changed template, which
// a Rollout may take from it.
func (in *inventory) rolloutOf(by applier, o *object, table map[string]any, way refs.Rollout) Rollout {
	if hook, ok := upgradeHookOf(table); by.release && ok {
		return hook
	}
	r := by.rolloutOf(table, way)
	if r.Effect != Nothing {
		return r
	}
	rollout, spec := in.rolloutFor(o)
	if rollout == nil {
		return r
	}
	if r = by.rolloutOf(spec, refs.BySteps); r.Effect == Progressive {
		r.Detail = "its pods are those of " + rollout.Name.String()
	}
	return r
}

// rolloutFor returns the Rollout of Argo that takes its pod template from a workload, and what it holds; nil where none
// does.
func (in *inventory) rolloutFor(o *object) (*object, map[string]any) {
	for _, by := range in.all {
		if by.Group != "argoproj.io" || by.Kind != "Rollout" || !in.sameSpace(by, o) {
			continue
		}
		table, err := by.table()
		if err != nil {
			continue // it is reported where it changes
		}
		if ref := at(table, "spec", "workloadRef"); ref["kind"] == o.Kind && ref["name"] == o.Name.Name {
			return by, table
		}
	}
	return nil, nil
}
