package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
)

// refusedContents returns what the API server refuses of ConfigMaps and Secrets by new findings about their values.
// What an annotation has ignored may be filled in by another tool.
func (in *inventory) refusedContents(found []diag.Finding) (out []Blocked, err error) {
	isInvalid := func(f diag.Finding) bool { return f.Code == diag.InvalidContent }
	if !slices.ContainsFunc(found, isInvalid) {
		return nil, nil
	}
	named := in.named()
	for _, f := range found {
		o := named[f.Object]
		if o == nil || !isInvalid(f) {
			continue
		}
		table, err := o.table()
		if err != nil {
			return nil, err
		}
		if at(table, "metadata", "annotations")[policy.SkipAnnotation] != "true" {
			b := Blocked{Name: o.Name, Reason: Refused, Why: f.Message}
			if f.File != "" {
				b.File, b.Line = f.File, f.Line
			}
			out = append(out, b)
		}
	}
	return out, nil
}

// refuse takes what the API server refuses of ConfigMaps and Secrets by new findings: nobody reads what changes of
// these.
func (c *Comparison) refuse(now *inventory) error {
	refused, err := now.refusedContents(c.Findings)
	if len(refused) == 0 {
		return err
	}
	c.Blocked = append(c.Blocked, refused...)
	names := map[string]bool{}
	for _, b := range refused {
		names[b.Name.String()] = true
	}
	c.Quiet = slices.DeleteFunc(c.Quiet, func(q Quiet) bool { return names[q.Name.String()] })
	return nil
}

// dropStamps takes out of the changed places the stamps of what the API server does not take, and of what differs in
// its name only, which is another one in each render.
func (p prefixes) dropStamps(deltas []*delta, configs *configs) {
	for _, d := range deltas {
		if d.now.workload == nil {
			continue
		}
		p := p.of(d.pair)
		stamped := []map[string]*plan.Reference{p.references(d.old), p.references(d.now)}
		d.fields = slices.DeleteFunc(d.fields, func(f FieldChange) bool {
			if !f.Stamp {
				return false
			}
			name, _ := p.stamp(f.Path)
			for _, references := range stamped {
				r := references[name]
				if r == nil {
					continue
				}
				if other := configs.renamed[[2]string{r.Kind, r.Name}]; other != nil && other.isRandomName() &&
					len(other.keys) == 0 {
					return true // its name differs, too
				}
			}
			r := stamped[1][name]
			return r != nil && r.Refused
		})
	}
}

// isRefused reports whether a cause is that an object has no digest which the API server does not take: no pod is
// replaced for it.
func (c *causes) isRefused(cause Cause) bool {
	if cause.Object == "" {
		return false
	}
	for _, r := range c.after {
		if r.Refused && r.Kind+" "+r.Name == cause.Object {
			return true
		}
	}
	return false
}
