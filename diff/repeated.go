package diff

import "slices"

// Repeated is a workload whose pod template, or name, is another in each render of the same input: each render that is
// applied restarts it, or is refused where the template is immutable.
type Repeated struct {
	Name
	Rollout Rollout  `json:"rollout"`
	Paths   []string `json:"paths"` // places in the pod template; metadata.name for the name
}

// dropRepeated takes out of what is refused of a pair what is different in each render, and returns it for a workload.
func (d *delta) dropRepeated(isWorkload bool) (out []Repeated) {
	var paths []string
	d.refused = slices.DeleteFunc(d.refused, func(r refusal) bool {
		if r.path == "" || !d.unstable[r.path] {
			return false
		}
		paths = append(paths, r.path)
		return true
	})
	if len(paths) == 0 || !isWorkload {
		return nil
	}
	return []Repeated{{Name: d.now.Name, Rollout: Rollout{Effect: Rejected}, Paths: paths}}
}

// repeated adds the workloads of a side that restart at each render.
func (c comparer) repeated(out *Comparison, now *inventory) error {
	for _, o := range now.all {
		if o.workload == nil || len(o.workload.Unstable) == 0 ||
			slices.ContainsFunc(out.Repeated, func(r Repeated) bool { return r.Name == o.Name }) {
			continue
		}
		table, err := o.table()
		if err != nil {
			return err
		}
		if now.applier.leaves(table) != "" {
			continue
		}
		for _, row := range rowsOf(c.kinds, o) {
			if rollout := now.rolloutOf(now.applier, o, table, row.Rollout); rollout.Replaces() || rollout.Effect == Rejected {
				out.Repeated = append(out.Repeated, Repeated{Name: o.Name, Rollout: rollout, Paths: o.workload.Unstable})
				break
			}
		}
	}
	return nil
}

// withoutRepeated leaves out of the restarts without effect those of workloads that restart, or are refused, at each
// render.
func (c *Comparison) withoutRepeated() {
	if len(c.Repeated) == 0 {
		return
	}
	each := map[[2]string]bool{}
	for _, r := range c.Repeated {
		each[[2]string{r.App, r.Name.String()}] = true
	}
	c.Restarts = slices.DeleteFunc(c.Restarts, func(r Restart) bool {
		replaced := r.Rollout.Replaces() || r.Rollout.Effect == Rejected
		return r.Noise && replaced && each[[2]string{r.App, r.Name.String()}]
	})
}
