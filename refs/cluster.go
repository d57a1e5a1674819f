package refs

import (
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
)

// ofCluster are the kinds whose objects lie in no namespace, by API group: those of Kubernetes, and of what many
// clusters have beside it.
var ofCluster = map[string][]string{
	"":                             {"Namespace", "Node", "PersistentVolume"},
	"admissionregistration.k8s.io": nil,
	"apiextensions.k8s.io":         nil,
	"apiregistration.k8s.io":       nil,
	"certificates.k8s.io":          nil,
	"flowcontrol.apiserver.k8s.io": nil,
	"networking.k8s.io":            {"IngressClass"},
	"node.k8s.io":                  nil,
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"scheduling.k8s.io":            nil,
	"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"},

	"apiextensions.crossplane.io":    nil,
	"cert-manager.io":                {"ClusterIssuer"},
	"cilium.io":                      {"CiliumClusterwideNetworkPolicy"},
	"constraints.gatekeeper.sh":      nil,
	"external-secrets.io":            {"ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"},
	"gateway.networking.k8s.io":      {"GatewayClass"},
	"generators.external-secrets.io": {"ClusterGenerator"},
	"karpenter.k8s.aws":              {"EC2NodeClass"},
	"karpenter.sh":                   {"NodeClaim", "NodePool"},
	"kyverno.io":                     {"ClusterCleanupPolicy", "ClusterPolicy"},
	"pkg.crossplane.io":              {"Configuration", "Function", "Provider"},
	"snapshot.storage.k8s.io":        {"VolumeSnapshotClass", "VolumeSnapshotContent"},
	"templates.gatekeeper.sh":        nil,
	"trust.cert-manager.io":          {"Bundle"},
}

// IsOfCluster reports whether objects of a kind lie in no namespace: it does, or all of its group do.
func IsOfCluster(group, kind string) bool {
	kinds, listed := ofCluster[group]
	return listed && (kinds == nil || slices.Contains(kinds, kind))
}

// PutIn returns an object with the namespace in which it is put where it names none and its kind has one: reports name
// it by that.
func PutIn(namespace string, o manifest.Object) manifest.Object {
	if namespace != "" && o.Namespace == "" && !IsOfCluster(o.Group(), o.Kind) {
		o.Home = namespace
	}
	return o
}
