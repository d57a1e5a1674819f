package diff

import (
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/plan"
)

// settleLeaves has applications of the old side leave in the cluster what those of the new one do: that is how what is
// gone from them is applied. What is gone as a whole leaves what it says itself.
func settleLeaves(old, now map[string]*App) {
	for name, was := range old {
		leaves := was.Leaves.All
		if is := now[name]; is != nil {
			leaves = is.Leaves.Objects
		}
		if leaves != was.Leaves.Objects {
			a := *was
			a.Leaves.Objects, old[name] = leaves, &a
		}
	}
}

// remains reports whether an object stays in the cluster when its manifest goes.
func (o *object) remains() bool { return o.remainsBy() != "" }

// remainsBy returns why an object stays in the cluster when its manifest goes; "" where it does not.
func (o *object) remainsBy() string {
	if o.left != "" {
		return o.left
	}
	table, err := o.table()
	if err != nil {
		return ""
	}
	notes := at(table, "metadata", "annotations")
	options, _ := notes["argocd.argoproj.io/sync-options"].(string)
	switch {
	case hasEntry(at(table, "metadata"), "kustomize.toolkit.fluxcd.io/prune", "disabled"):
		return "kustomize.toolkit.fluxcd.io/prune is disabled"
	case o.applier.by == app.KustomizeController:
		return ""
	case notes["helm.sh/resource-policy"] == "keep":
		return "helm.sh/resource-policy is keep"
	case strings.Contains(options, "Prune=false"):
		return "its sync option is Prune=false"
	}
	return ""
}

// stays returns why what a reference leads to by an object stays in the cluster without that; "" where it goes.
func (o *object) stays() string {
	switch {
	case !o.isConfig():
		return o.productStays()
	default:
		return o.remainsBy()
	}
}

// productStays returns why what an object produces stays in the cluster without it; "" where it goes with it.
func (o *object) productStays() string {
	table, err := o.table()
	switch {
	case err != nil:
		return ""
	case o.remains():
		return o.Kind + " " + o.Name.Name + " stays, too"
	case o.Group == "external-secrets.io" && o.Kind == "ExternalSecret":
		policy, _ := at(table, "spec", "target")["creationPolicy"].(string)
		if policy == "Orphan" || policy == "Merge" || policy == "None" {
			return "creationPolicy is " + policy
		}
	case o.Group == "secrets.hashicorp.com" && at(table, "spec", "destination")["create"] != true:
		return "destination.create is not true"
	case leavesSecrets(o.Kind):
		return "cert-manager leaves it"
	}
	return ""
}

// keeps reports whether what a reference is to stays in the cluster when its manifest goes.
func (in *inventory) keeps(r *plan.Reference) bool {
	o := in.find(r.Kind, r.Namespace, r.Name)
	return o != nil && o.remains()
}
