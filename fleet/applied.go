package fleet

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
)

// Applied is which objects an application applies to a cluster that is known.
type Applied struct {
	application *app.Application
	at          diag.Position // where it is described
	objects     []appliedObject
}

// appliedObject is an object in a cluster, and its namespace as it is written.
type appliedObject struct {
	appliedAs
	written string
}

// appliedAs is what an object is in the clusters of a run.
type appliedAs struct{ cluster, group, kind, namespace, name string }

func (o appliedObject) String() string { return manifest.Describe(o.kind, o.written, o.name) }

// AppliedBy returns the objects of an application that is described at a position. It has none where the cluster is not
// known: overlays for several clusters have the same objects.
func AppliedBy(ctx context.Context, a *app.Application, at diag.Position, result *pipeline.Result) (Applied, error) {
	out, cluster := Applied{application: a, at: at}, a.Destination().Cluster()
	if cluster == "" {
		return out, nil
	}
	space := result.Output.Namespace
	if space == standIn(a, result.Output.Kind, true) {
		space = ""
	}
	err := result.EachObject(ctx, func(o manifest.Object, _ diag.Position) {
		namespace, isOfCluster := cmp.Or(o.Namespace, space), refs.IsOfCluster(o.Group(), o.Kind)
		if isOfCluster {
			namespace = ""
		}
		if o.Name == "" || namespace == "" && !isOfCluster {
			return // which object it becomes is not known
		}
		out.objects = append(out.objects, appliedObject{appliedAs{cluster, strings.Clone(o.Group()),
			strings.Clone(o.Kind), strings.Clone(namespace), strings.Clone(o.Name)}, strings.Clone(o.Namespace)})
	})
	return out, err
}

// SharedFindings reports the objects that several applications apply to one cluster, each at the later ones. What an
// engine has reported itself is among the findings before, and is not reported again.
func SharedFindings(all []Applied, before []diag.Finding) (out []diag.Finding) {
	known := map[string]bool{}
	for _, f := range before {
		if f.Code == diag.DuplicateObject {
			known[f.Object] = true
		}
	}
	first := map[appliedAs]int{}
	for i, one := range all {
		var found []diag.Finding
		for _, o := range one.objects {
			k, again := first[o.appliedAs]
			if !again {
				first[o.appliedAs] = i
			}
			inCluster := manifest.Describe(o.kind, o.namespace, o.name)
			if again && k != i && !known[o.String()] && !known[inCluster] {
				found = append(found, one.sharing(o, all[k]))
			}
		}
		if len(found) > 0 {
			out = append(out, one.application.Settings().Severity(found)...)
		}
	}
	return out
}

// sharing returns the finding about an object that another application applies, too.
func (a Applied) sharing(o appliedObject, other Applied) diag.Finding {
	name := other.application.Name()
	if at := other.at.String(); at != "" && at != name {
		name += " (" + at + ")"
	}
	text := fmt.Sprintf("%s and %s both apply it: what is applied last counts", name, a.application.Name())
	return diag.New(diag.DuplicateObject, o.String(), text).At(a.at)
}
