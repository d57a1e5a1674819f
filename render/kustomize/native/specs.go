package native

import (
	"sort"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// The fields that kustomize's transformers write unless a configuration says otherwise. A test holds each to what the
// library does.

// on returns the fields at paths of one kind, which are created where they are missing.
func on(group, version, kind string, paths ...string) types.FsSlice {
	return fields(true, group, version, kind, paths)
}

// where returns the fields at paths of one kind, which are written only where they are.
func where(group, kind string, paths ...string) types.FsSlice {
	return fields(false, group, "", kind, paths)
}

func fields(create bool, group, version, kind string, paths []string) (all types.FsSlice) {
	for _, path := range paths {
		all = append(all, types.FieldSpec{Gvk: resid.Gvk{Group: group, Version: version, Kind: kind}, Path: path,
			CreateIfNotPresent: create})
	}
	return all
}

func join(parts ...types.FsSlice) (all types.FsSlice) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// inOrder orders fields as the library does, by a sort that is not stable and that it runs twice. Fields that are
// missing are created in this order, which the hash of an object that is no ConfigMap or Secret depends on.
func inOrder(all types.FsSlice) types.FsSlice {
	sort.Sort(all)
	sort.Sort(all)
	return all
}

func nameFields() types.FsSlice { return where("", "", "metadata/name") }

func namespaceFields() types.FsSlice {
	return inOrder(join(
		on("", "", "Namespace", "metadata/name"),
		on("apiregistration.k8s.io", "", "APIService", "spec/service/namespace"),
		where("apiextensions.k8s.io", "CustomResourceDefinition", "spec/conversion/webhook/clientConfig/service/namespace")))
}

// templateFields are the labels of objects and of their templates.
func templateFields() types.FsSlice { return inOrder(metadata("labels", "apps")) }

// annotationFields are the annotations of objects and of their templates.
func annotationFields() types.FsSlice { return inOrder(metadata("annotations", "")) }

// metadata returns a field of the metadata of all objects and of the templates in workloads.
func metadata(field, statefulSets string) types.FsSlice {
	field = "metadata/" + field
	template := "spec/template/" + field
	return join(
		on("", "", "", field),
		on("", "v1", "ReplicationController", template),
		on("", "", "Deployment", template),
		on("", "", "ReplicaSet", template),
		on("", "", "DaemonSet", template),
		on(statefulSets, "", "StatefulSet", template),
		on("batch", "", "Job", template),
		on("batch", "", "CronJob", "spec/jobTemplate/"+field, "spec/jobTemplate/spec/template/"+field))
}

func claimTemplateFields() types.FsSlice {
	return on("apps", "", "StatefulSet", "spec/volumeClaimTemplates[]/metadata/labels")
}

// selectorFields are the labels of objects, of their templates and of what selects these.
func selectorFields() types.FsSlice {
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
		"preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels"
	scheduling := []string{
		"spec/template/spec/affinity/podAffinity/" + preferred, "spec/template/spec/affinity/podAffinity/" + required,
		"spec/template/spec/affinity/podAntiAffinity/" + preferred, "spec/template/spec/affinity/podAntiAffinity/" + required,
		"spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels",
	}
	return inOrder(join(
		on("", "v1", "Service", "spec/selector"),
		on("", "v1", "ReplicationController", "spec/selector"),
		on("", "", "Deployment", "spec/selector/matchLabels"),
		where("apps", "Deployment", scheduling...),
		on("", "", "ReplicaSet", "spec/selector/matchLabels"),
		on("", "", "DaemonSet", "spec/selector/matchLabels"),
		on("apps", "", "StatefulSet", "spec/selector/matchLabels"),
		where("apps", "StatefulSet", scheduling...),
		where("batch", "Job", "spec/selector/matchLabels"),
		where("batch", "CronJob", "spec/jobTemplate/spec/selector/matchLabels"),
		where("policy", "PodDisruptionBudget", "spec/selector/matchLabels"),
		where("networking.k8s.io", "NetworkPolicy", "spec/podSelector/matchLabels",
			"spec/ingress/from/podSelector/matchLabels", "spec/egress/to/podSelector/matchLabels"),
		metadata("labels", "apps"), claimTemplateFields()))
}

func imageFields() types.FsSlice {
	return on("", "", "", "spec/containers[]/image", "spec/initContainers[]/image", "spec/volumes[]/image/reference",
		"spec/template/spec/containers[]/image", "spec/template/spec/initContainers[]/image",
		"spec/template/spec/volumes[]/image/reference", "spec/jobTemplate/spec/template/spec/volumes[]/image/reference")
}

func replicaFields() types.FsSlice {
	const path = "spec/replicas"
	return inOrder(join(on("", "", "Deployment", path), on("", "", "ReplicationController", path),
		on("", "", "ReplicaSet", path), on("", "", "StatefulSet", path)))
}
