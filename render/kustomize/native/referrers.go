package native

import (
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// target is a kind of objects, and the fields that hold names of such.
type target struct {
	resid.Gvk
	fields types.FsSlice
}

// pods are the kinds with pods, and where the pods' specs are.
var pods = [...]struct{ version, kind, spec string }{
	{"v1", "Pod", "spec/"},
	{"", "PodTemplate", "template/spec/"},
	{"", "Deployment", "spec/template/spec/"},
	{"", "ReplicaSet", "spec/template/spec/"},
	{"", "DaemonSet", "spec/template/spec/"},
	{"", "StatefulSet", "spec/template/spec/"},
	{"", "Job", "spec/template/spec/"},
	{"", "CronJob", "spec/jobTemplate/spec/template/spec/"},
}

// inPods returns fields of the specs of pods. A job's are the same in any order.
func inPods(paths ...string) (all types.FsSlice) {
	for _, p := range pods {
		for _, path := range paths {
			all = append(all, types.FieldSpec{Gvk: resid.Gvk{Version: p.version, Kind: p.kind}, Path: p.spec + path})
		}
	}
	return all
}

// inWorkloads returns a field of the specs of those kinds with pods for which kustomize follows names of less common
// objects.
func inWorkloads(path string) types.FsSlice {
	return join(where("", "Pod", "spec/"+path), where("", "StatefulSet", "spec/template/spec/"+path),
		where("", "Deployment", "spec/template/spec/"+path), where("", "ReplicationController", "spec/template/spec/"+path),
		where("", "CronJob", "spec/jobTemplate/spec/template/spec/"+path), where("", "Job", "spec/template/spec/"+path),
		where("", "DaemonSet", "spec/template/spec/"+path))
}

// targets are the kinds of which kustomize follows names, in its order.
func targets() []target {
	const rbac, admission = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"
	const nginx = "metadata/annotations/nginx.ingress.kubernetes.io\\/"
	scaled := where("", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name")
	named := join(where("", "Role", "rules/resourceNames"), where("", "ClusterRole", "rules/resourceNames"))
	all := []target{
		{resid.Gvk{Kind: "Deployment"}, scaled},
		{resid.Gvk{Kind: "ReplicationController"}, scaled},
		{resid.Gvk{Kind: "ReplicaSet"}, scaled},
		{resid.Gvk{Kind: "StatefulSet"}, scaled},
		{resid.Gvk{Version: "v1", Kind: "ConfigMap"}, join(
			inPods("volumes/configMap/name", "containers/env/valueFrom/configMapKeyRef/name",
				"initContainers/env/valueFrom/configMapKeyRef/name", "containers/envFrom/configMapRef/name",
				"initContainers/envFrom/configMapRef/name", "volumes/projected/sources/configMap/name"),
			where("", "Node", "spec/configSource/configMap"), named,
			where("", "Ingress", nginx+"fastcgi-params-configmap"))},
		{resid.Gvk{Version: "v1", Kind: "Secret"}, join(
			inPods("volumes/secret/secretName", "containers/env/valueFrom/secretKeyRef/name",
				"initContainers/env/valueFrom/secretKeyRef/name", "containers/envFrom/secretRef/name",
				"initContainers/envFrom/secretRef/name", "imagePullSecrets/name", "volumes/projected/sources/secret/name"),
			where("", "Ingress", "spec/tls/secretName", "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
				nginx+"auth-secret", nginx+"auth-tls-secret", "spec/tls/secretName"), // twice, as kustomize does it
			where("", "ServiceAccount", "imagePullSecrets/name"),
			where("", "StorageClass", "parameters/secretName", "parameters/adminSecretName", "parameters/userSecretName",
				"parameters/secretRef"), named,
			types.FsSlice{{Gvk: resid.Gvk{Group: "serving.knative.dev", Version: "v1", Kind: "Service"},
				Path: "spec/template/spec/containers/env/valueFrom/secretKeyRef/name"}},
			where("", "PersistentVolume", "spec/azureFile/secretName"))},
		{resid.Gvk{Version: "v1", Kind: "Service"}, join(
			where("apps", "StatefulSet", "spec/serviceName"),
			where("", "Ingress", "spec/rules/http/paths/backend/serviceName", "spec/backend/serviceName",
				"spec/rules/http/paths/backend/service/name", "spec/defaultBackend/service/name"),
			where("apiregistration.k8s.io", "APIService", "spec/service/name"),
			where(admission, "ValidatingWebhookConfiguration", "webhooks/clientConfig/service"),
			where(admission, "MutatingWebhookConfiguration", "webhooks/clientConfig/service"))},
		{resid.Gvk{Group: rbac, Kind: "Role"}, where(rbac, "RoleBinding", "roleRef/name")},
		{resid.Gvk{Group: rbac, Kind: "ClusterRole"}, join(where(rbac, "RoleBinding", "roleRef/name"),
			where(rbac, "ClusterRoleBinding", "roleRef/name"))},
		{resid.Gvk{Version: "v1", Kind: "ServiceAccount"}, join(where(rbac, "RoleBinding", "subjects"),
			where(rbac, "ClusterRoleBinding", "subjects"), inWorkloads("serviceAccountName"))},
		{resid.Gvk{Version: "v1", Kind: "PersistentVolumeClaim"}, inWorkloads("volumes/persistentVolumeClaim/claimName")},
		{resid.Gvk{Version: "v1", Kind: "PersistentVolume"}, join(where("", "PersistentVolumeClaim", "spec/volumeName"),
			where("", "ClusterRole", "rules/resourceNames"))},
		{resid.Gvk{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}, join(
			where("", "PersistentVolume", "spec/storageClassName"), where("", "PersistentVolumeClaim", "spec/storageClassName"),
			where("", "StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"))},
		{resid.Gvk{Group: "scheduling.k8s.io", Version: "v1", Kind: "PriorityClass"}, inWorkloads("priorityClassName")},
		{resid.Gvk{Group: "networking.k8s.io/v1", Version: "v1", Kind: "IngressClass"}, // kustomize's own spelling
			where("", "Ingress", "spec/ingressClassName")},
		{resid.Gvk{Group: admission, Kind: "ValidatingAdmissionPolicy"},
			where(admission, "ValidatingAdmissionPolicyBinding", "spec/policyName")},
	}
	slices.SortStableFunc(all, func(a, b target) int {
		switch {
		case a.Gvk.IsLessThan(b.Gvk):
			return -1
		case b.Gvk.IsLessThan(a.Gvk):
			return 1
		}
		return 0
	})
	return all
}
