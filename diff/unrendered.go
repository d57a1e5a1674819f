package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// fails reports whether an application could not be rendered on the new side: what it had there is not known.
func (n neighbours) fails(name string) bool {
	a := n.after.apps[name]
	return a != nil && a.Err != nil
}

// unrendered is what an application refers to of others that could not be rendered on the new side.
type unrendered struct {
	by   map[string]string  // the application that had it, by how findings name it
	lack map[[2]string]bool // workloads and the objects that they refer to
	all  []Unknown          // of the references
}

// unrendered returns what workloads refer to that another application had, and that is not known as it fails.
func (n neighbours) unrendered(now *inventory) unrendered {
	out := unrendered{by: map[string]string{}, lack: map[[2]string]bool{}}
	if !n.anyFails {
		return out
	}
	for _, o := range now.all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			if r.Source != objects.Absent {
				continue
			}
			was, before := n.old.Provider(n.index, r.Kind, r.Namespace, r.Name)
			if !before || was.Doubtful != "" || !n.fails(was.App) {
				continue
			}
			object := r.Kind + " " + r.Name
			out.by[manifest.Describe(r.Kind, r.Namespace, r.Name)] = was.App
			out.lack[[2]string{o.Name.String(), object}] = true
			out.all = append(out.all, Unknown{Reason: Uncertain, App: o.App, Object: &o.Name, Gone: object,
				Via: OfApplication + was.App})
		}
	}
	return out
}

// isOf reports whether a finding is about something that is missing as another application could not be rendered.
func (u unrendered) isOf(f diag.Finding) bool {
	return (f.Code == diag.MissingObject || f.Code == diag.MissingOptional) && u.by[f.About] != ""
}

// isFor reports whether all causes of a restart are of what is not known.
func (u unrendered) isFor(r Restart) bool {
	return len(u.lack) > 0 && !slices.ContainsFunc(r.Causes, func(c Cause) bool {
		object, _, _ := strings.Cut(c.Object, " (")
		return !c.Noise && !u.lack[[2]string{r.Name.String(), object}]
	})
}
