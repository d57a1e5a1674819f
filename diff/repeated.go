package diff

import "slices"

// Repeated is a workload whose pod template, or name, is another in each render of the same input: each render that is
// applied restarts it, or is refused where the template is immutable.
type Repeated struct {
	Name
	Rollout Rollout  `json:"rollout"`
	Paths   []string `json:"paths"` // places in the pod template; metadata.name for the name
}

// repeated returns the workloads of a side that restart at each render.
func (c comparer) repeated(now *inventory) (out []Repeated, err error) {
	for _, o := range now.all {
		if o.workload == nil || len(o.workload.Unstable) == 0 {
			continue
		}
		table, err := o.table()
		if err != nil {
			return nil, err
		}
		for _, row := range rowsOf(c.kinds, o) {
			if rollout := rolloutOf(table, row.Rollout); rollout.Replaces() || rollout.Effect == Rejected {
				out = append(out, Repeated{Name: o.Name, Rollout: rollout, Paths: o.workload.Unstable})
				break
			}
		}
	}
	return out, nil
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
