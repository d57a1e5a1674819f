package output

import (
	"cmp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// Sort sorts resources as kustomize build does unless another order is asked for: some kinds first, some last, and
// within a kind by group, version, namespace and name. kustomize sorts likewise and then compares each object with
// every other again.
func Sort(rs []*resource.Resource) []*resource.Resource {
	return SortBy(rs, (*resource.Resource).CurId)
}

// SortBy sorts whatever has an id as Sort does.
func SortBy[T any](all []T, idOf func(T) resid.ResId) []T {
	type entry struct {
		one  T
		rank int
		id   resid.ResId
		gvk  string
		key  string
	}
	entries := make([]entry, len(all))
	for i, one := range all {
		id := idOf(one)
		entries[i] = entry{one, kindRank(id.Kind), id, gvkKey(id.Gvk), idKey(id)}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.id.Gvk.Equals(b.id.Gvk) {
			return strings.Compare(a.key, b.key)
		}
		if c := cmp.Compare(a.rank, b.rank); c != 0 {
			return c
		}
		c := strings.Compare(a.gvk, b.gvk)
		if a.id.Kind == types.NamespaceKind && b.id.Kind == types.NamespaceKind && (a.id.Group == "" || b.id.Group == "") {
			return -c // the core Namespace comes before those of other groups
		}
		return c
	})
	sorted := make([]T, len(entries))
	for i, e := range entries {
		sorted[i] = e.one
	}
	return sorted
}

// kindRank is negative for kinds that others need, positive for those that may refuse others, and 0 for the rest.
func kindRank(kind string) int {
	if i := slices.Index(kindsFirst[:], kind); i >= 0 {
		return i - len(kindsFirst)
	}
	return slices.Index(kindsLast[:], kind) + 1
}

var kindsFirst = [...]string{
	"Namespace", "ResourceQuota", "StorageClass", "CustomResourceDefinition", "ServiceAccount", "PodSecurityPolicy",
	"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ConfigMap", "Secret", "Endpoints", "Service",
	"LimitRange", "PriorityClass", "PersistentVolume", "PersistentVolumeClaim", "Deployment", "StatefulSet",
	"CronJob", "PodDisruptionBudget",
}

var kindsLast = [...]string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

// gvkKey and idKey spell what is missing so that it sorts after what is there.
func gvkKey(g resid.Gvk) string {
	return cmp.Or(g.Group, "~G") + "_" + cmp.Or(g.Version, "~V") + "_" + cmp.Or(g.Kind, "~K")
}

func idKey(id resid.ResId) string {
	return id.Gvk.String() + "|" + cmp.Or(id.Namespace, "~X") + "|" + cmp.Or(id.Name, "~N")
}
