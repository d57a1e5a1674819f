package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// rendered are kinds of which a controller renders others: what these restart is not known from the objects
// themselves.
var rendered = []kindsOf{
	{"helm.toolkit.fluxcd.io", []string{"HelmRelease"}},
	{"kustomize.toolkit.fluxcd.io", []string{"Kustomization"}},
	{sourceGroup, []string{"GitRepository", "OCIRepository", "HelmRepository", "HelmChart", "Bucket"}},
	{"fluxcd.controlplane.io", []string{"FluxInstance", "ResourceSet"}},
	{"argoproj.io", []string{"Application", "ApplicationSet"}},
	{"helm.cattle.io", []string{"HelmChart", "HelmChartConfig"}},
	{"fleet.cattle.io", []string{"GitRepo", "Bundle"}},
	{"helm.crossplane.io", []string{"Release"}},
	{"kubernetes.crossplane.io", []string{"Object"}},
	{"kappctrl.k14s.io", []string{"App"}},
	{"packaging.carvel.dev", []string{"PackageInstall"}},
	{"addons.cluster.x-k8s.io", []string{"ClusterResourceSet", "HelmChartProxy", "HelmReleaseProxy"}},
	{"config.projectsveltos.io", []string{"ClusterProfile", "Profile"}},
	{"work.open-cluster-management.io", []string{"ManifestWork"}},
	{"core.oam.dev", []string{"Application"}},
}

// sourceGroup is that of Flux's sources: a new one brings nothing by itself.
const sourceGroup = "source.toolkit.fluxcd.io"

// isRendered reports whether a controller renders the object.
func isRendered(o *object) bool { return isIn(o.Name, rendered) }

// withoutRendered removes the objects that describe applications of the sides: these are compared.
func withoutRendered(all []Unknown, from, to Side) []Unknown {
	before, now := described(from), described(to)
	return slices.DeleteFunc(all, func(u Unknown) bool {
		switch {
		case u.Reason != Elsewhere:
			return false
		case u.Change == Removal && u.Via == "":
			return before[u.Object.String()]
		}
		return now[u.Object.String()]
	})
}

// replacing reports the objects that describe applications which are there on both sides, and whose engine begins or
// ceases to replace what it applies: what that restarts is not seen from what they render.
func replacing(old, now map[string]*App) (out []Unknown) {
	for name, is := range now {
		was := old[name]
		if was == nil || was.Render == nil || is.Render == nil || was.Replacing == is.Replacing || len(is.By) == 0 {
			continue
		}
		object := Name{File: is.Described.File, Line: is.Described.Line}
		object.Kind, object.Name, _ = strings.Cut(is.By[0], " ")
		if namespace, name, ok := strings.Cut(object.Name, "/"); ok {
			object.Namespace, object.Name = namespace, name
		}
		out = append(out, Unknown{Reason: Elsewhere, Object: &object})
	}
	return out
}

// described returns the objects that describe applications of a side.
func described(s Side) map[string]bool {
	out := map[string]bool{}
	for _, a := range s.Apps {
		for _, object := range a.By {
			out[object] = true
		}
	}
	for _, object := range s.Rendered {
		out[object] = true
	}
	return out
}

// isElsewhere reports whether an object changes of which a controller renders what runs, or runs it.
func isElsewhere(c *compared, rows []*refs.Kind) bool {
	isChanged := func(f FieldChange) bool { return isContent(f.Path) }
	isOfSpec := func(f FieldChange) bool { return f.Path == "spec" || strings.HasPrefix(f.Path, "spec.") }
	if isForeign(c.now, rows) && slices.ContainsFunc(c.fields, isOfSpec) {
		return true
	}
	return slices.ContainsFunc(c.fields, isChanged) &&
		(isRendered(c.now) || hasPods(c.now, rows, c.from.table, c.to.table))
}

// elsewhereVia reports objects that a controller renders with values of ConfigMaps and Secrets that change, and these.
func elsewhereVia(in *inventory, configs *configs) (out []Unknown, values map[*object]bool) {
	if len(configs.all) == 0 {
		return nil, nil
	}
	values = map[*object]bool{}
	for _, o := range in.all {
		if !isRendered(o) {
			continue
		}
		c, err := o.content(configs.mask)
		if err != nil {
			continue // it is reported where it changes
		}
		for _, name := range valuesFrom(c.table) {
			config := in.find(name[0], o.Namespace, name[1])
			if d := configs.byNow[config]; d != nil && len(d.keys) > 0 {
				values[config] = true
				out = append(out, Unknown{Reason: Elsewhere, App: o.App, Object: &o.Name, Via: config.Name.String()})
			}
		}
	}
	return out, values
}

// valuesGone reports objects that a controller renders with values of a ConfigMap or Secret that the application had,
// and has no more.
func valuesGone(old, now *inventory, m mask) (out []Unknown) {
	for _, o := range now.all {
		if !isRendered(o) {
			continue
		}
		c, err := o.content(m)
		if err != nil {
			continue // it is reported where it changes
		}
		for _, name := range valuesFrom(c.table) {
			was := old.find(name[0], o.Namespace, name[1])
			if was != nil && now.find(name[0], o.Namespace, name[1]) == nil {
				out = append(out, Unknown{Reason: Elsewhere, App: o.App, Object: &o.Name, Via: was.Name.String(),
					Change: Removal})
			}
		}
	}
	return out
}

// valuesFrom returns kind and name of what Flux's objects read values from.
func valuesFrom(table map[string]any) (out [][2]string) {
	values, _ := at(table, "spec")["valuesFrom"].([]any)
	substitutes, _ := at(table, "spec", "postBuild")["substituteFrom"].([]any)
	for _, list := range [][]any{values, substitutes} {
		for _, v := range list {
			from, _ := v.(map[string]any)
			kind, _ := from["kind"].(string)
			name, _ := from["name"].(string)
			if name != "" {
				out = append(out, [2]string{kind, name})
			}
		}
	}
	return out
}
