package diff

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// immutable is why most changes are refused.
const immutable = "it is immutable"

// objectRefusals reports what of an object that is no workload and no configuration cannot be changed.
func objectRefusals(group, kind string, from, to map[string]any) []refusal {
	switch group + "/" + kind {
	case roles + "/RoleBinding", roles + "/ClusterRoleBinding":
		return bindingRefusals(from, to)
	case "/" + claims:
		return claimRefusals(from, to)
	case "/Service":
		return serviceRefusals(from, to)
	case "storage.k8s.io/StorageClass":
		return storageClassRefusals(from, to)
	case "scheduling.k8s.io/PriorityClass":
		return priorityClassRefusals(from, to)
	}
	return nil
}

// claimRefusals reports a claim that asks for less than before, or for anything else. A class and a volume that were
// not named are not known here: the cluster may have set what is named now.
func claimRefusals(from, to map[string]any) (out []refusal) {
	old, okOld := decodeAs[corev1.PersistentVolumeClaim](withoutMetadata(from))
	now, okNow := decodeAs[corev1.PersistentVolumeClaim](withoutMetadata(to))
	if !okOld || !okNow {
		return nil
	}
	const storage = corev1.ResourceStorage
	had, has := old.Spec.Resources.Requests[storage], now.Spec.Resources.Requests[storage]
	if has.Cmp(had) < 0 {
		out = append(out, refusal{"spec.resources.requests.storage", "a claim does not shrink"})
	}
	for _, c := range []*corev1.PersistentVolumeClaim{&old, &now} {
		fillClaim(c)
		delete(c.Spec.Resources.Requests, storage)
		c.Spec.VolumeAttributesClassName = nil
		if len(c.Spec.Resources.Requests) == 0 {
			c.Spec.Resources.Requests = nil
		}
	}
	if old.Spec.StorageClassName == nil {
		now.Spec.StorageClassName = nil
	}
	if old.Spec.VolumeName == "" {
		now.Spec.VolumeName = ""
	}
	if !equality.Semantic.DeepEqual(old.Spec, now.Spec) {
		out = append(out, refusal{"spec", "all but the requested size is immutable"})
	}
	return out
}

// withoutMetadata returns an object without what its names may spoil: YAML reads some of them as switches.
func withoutMetadata(table map[string]any) map[string]any {
	out := maps.Clone(table)
	delete(out, "metadata")
	return out
}

// serviceRefusals reports a Service that gets another address, or becomes headless. One that names none has that which
// the cluster chose, or keeps the one that it had.
func serviceRefusals(from, to map[string]any) []refusal {
	old, now := at(from, "spec"), at(to, "spec")
	const external = "ExternalName"
	had, _ := old["clusterIP"].(string)
	has, _ := now["clusterIP"].(string)
	const none = corev1.ClusterIPNone
	hasPorts := now["type"] == "NodePort" || now["type"] == "LoadBalancer"
	switch isHeadless := had == none; {
	case old["type"] == external, now["type"] == external, has == had && has != none,
		has == "" && !(isHeadless && hasPorts), has == none && isHeadless && !hasPorts, had == "" && has != none:
		return nil
	}
	return []refusal{{"spec.clusterIP", immutable}}
}

// storageClassRefusals reports what of a StorageClass cannot be changed: what volumes are made by.
func storageClassRefusals(from, to map[string]any) (out []refusal) {
	old, okOld := decodeAs[storagev1.StorageClass](withoutMetadata(from))
	now, okNow := decodeAs[storagev1.StorageClass](withoutMetadata(to))
	if !okOld || !okNow {
		return nil
	}
	for _, c := range []*storagev1.StorageClass{&old, &now} {
		setDefault(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		setDefault(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	}
	if !equality.Semantic.DeepEqual(old.Parameters, now.Parameters) {
		out = append(out, refusal{"parameters", "they are immutable"})
	}
	for _, f := range []struct{ path, old, now string }{
		{"provisioner", old.Provisioner, now.Provisioner},
		{"reclaimPolicy", string(*old.ReclaimPolicy), string(*now.ReclaimPolicy)},
		{"volumeBindingMode", string(*old.VolumeBindingMode), string(*now.VolumeBindingMode)},
	} {
		if f.old != f.now {
			out = append(out, refusal{f.path, immutable})
		}
	}
	return out
}

// priorityClassRefusals reports a PriorityClass that comes to another value.
func priorityClassRefusals(from, to map[string]any) (out []refusal) {
	old, okOld := decodeAs[schedulingv1.PriorityClass](withoutMetadata(from))
	now, okNow := decodeAs[schedulingv1.PriorityClass](withoutMetadata(to))
	if !okOld || !okNow {
		return nil
	}
	if old.Value != now.Value {
		out = append(out, refusal{"value", immutable})
	}
	lower := corev1.PreemptLowerPriority
	if *cmp.Or(old.PreemptionPolicy, &lower) != *cmp.Or(now.PreemptionPolicy, &lower) {
		out = append(out, refusal{"preemptionPolicy", immutable})
	}
	return out
}
