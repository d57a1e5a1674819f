package check

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// otherNamespaces returns the findings of the plan with those about references to objects that the application has in
// other namespaces only, each instead of the one that says that its object is not there.
func (c *checker) otherNamespaces(found []diag.Finding) []diag.Finding {
	spaces := map[kindName][]string{}
	for _, o := range c.configs {
		if name := (kindName{o.kind, o.name}); o.namespace != "" && !slices.Contains(spaces[name], o.namespace) {
			spaces[name] = append(spaces[name], o.namespace)
		}
	}
	for i := range c.result.Plan.Workloads {
		w := &c.result.Plan.Workloads[i]
		for k := range w.References {
			r := &w.References[k]
			in := spaces[kindName{r.Kind, r.Name}]
			if r.Source != objects.Absent || r.Namespace == "" || len(in) == 0 || slices.Contains(in, r.Namespace) ||
				objects.IsInEachNamespace(r.Kind, r.Name) {
				continue
			}
			f, at := otherNamespace(w, r, in), w.Position
			found = slices.DeleteFunc(found, func(o diag.Finding) bool {
				missing := isMissing(o) && o.Object == f.Object && o.About == f.About
				if missing {
					at = o.Position()
				}
				return missing
			})
			c.find(f, at)
		}
	}
	return found
}

// isMissing reports whether a finding is about an object that is not there.
func isMissing(f diag.Finding) bool {
	return f.Code == diag.MissingObject || f.Code == diag.MissingOptional
}

// otherNamespace returns the finding about a reference to an object that is in these namespaces.
func otherNamespace(w *plan.Workload, r *plan.Reference, in []string) diag.Finding {
	slices.Sort(in)
	where := "namespace " + in[0]
	if len(in) > 1 {
		where = "the namespaces " + strings.Join(in, ", ")
	}
	message := r.Kind + " " + r.Name + " lies in " + where + ", and a pod reads its own namespace only"
	return diag.New(diag.OtherNamespace, describe(*w), message).
		WithAbout(manifest.Describe(r.Kind, r.Namespace, r.Name))
}
