package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/plan"
)

// madeOf is a key of a ConfigMap or Secret, and the ExternalSecret that makes a Secret with what it holds.
type madeOf struct {
	key   string
	maker *object
}

// templatesOf lists the templates of a side's ExternalSecrets that lie in what changes.
func templatesOf(in *inventory, configs *configs) map[*object][]madeOf {
	if len(configs.all) == 0 {
		return nil
	}
	out := map[*object][]madeOf{}
	for _, o := range in.all {
		if o.Kind != "ExternalSecret" || !strings.HasPrefix(o.Group, "external-secrets.io") {
			continue
		}
		c, err := o.content(configs.mask)
		if err != nil {
			continue // it is reported where it changes
		}
		from, _ := at(c.table, "spec", "target", "template")["templateFrom"].([]any)
		for _, entry := range from {
			for field, kind := range map[string]string{"configMap": "ConfigMap", "secret": "Secret"} {
				of, _ := entry.(map[string]any)
				name, _ := at(of, field)["name"].(string)
				config := in.find(kind, o.Namespace, name)
				if d := configs.byNow[config]; config == nil || d == nil || len(d.keys) == 0 {
					continue
				}
				for _, key := range keysOf(at(of, field)) {
					out[config] = append(out[config], madeOf{key, o})
				}
			}
		}
	}
	return out
}

// keysOf returns the keys that a reference of templateFrom names.
func keysOf(reference map[string]any) (out []string) {
	items, _ := reference["items"].([]any)
	for _, item := range items {
		one, _ := item.(map[string]any)
		if key, _ := one["key"].(string); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// withoutTemplates returns the change without the keys for which workloads restart because of Secrets that are made
// with them: these are not quiet.
func (n neighbours) withoutTemplates(d *delta, templates []madeOf, in *inventory, r *restarts) *delta {
	if len(templates) == 0 {
		return d
	}
	out := *d
	out.keys = slices.DeleteFunc(slices.Clone(d.keys), func(k KeyChange) bool {
		return slices.ContainsFunc(templates, func(t madeOf) bool {
			return t.key == k.Key && (r.madeBy(t.maker) || n.stampedBy(t.maker, in.space))
		})
	})
	return &out
}

// madeBy reports whether a workload of the application restarts because of what the object makes.
func (r *restarts) madeBy(maker *object) bool {
	for workload, causes := range r.causes {
		for i := range workload.workload.References {
			ref := &workload.workload.References[i]
			_, is := causes[ref.Kind+" "+ref.Name]
			if is && ref.Source == maker.Kind+"/"+maker.Name.Name {
				return true
			}
		}
	}
	return false
}

// stampedBy reports whether a workload of another application has a stamp of what the object makes.
func (n neighbours) stampedBy(maker *object, space string) bool {
	here, namespace := n.after.apps[n.names[n.index]], cmp.Or(maker.Namespace, space)
	for i, name := range n.names {
		a := n.after.apps[name]
		if i == n.index || here == nil || a == nil || a.Render == nil || !a.Render.MayProduce() || a.result().Plan == nil ||
			here.Destination.Like(a.Destination) == app.OtherCluster {
			continue
		}
		for k := range a.result().Plan.Workloads {
			w := &a.result().Plan.Workloads[k]
			isOf := func(r plan.Reference) bool {
				return r.Digest != "" && r.Namespace == namespace && r.Source == maker.Kind+"/"+maker.Name.Name
			}
			if w.Stamped && slices.ContainsFunc(w.References, isOf) {
				return true
			}
		}
	}
	return false
}
