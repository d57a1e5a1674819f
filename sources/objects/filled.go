package objects

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// filler is something in the cluster that adds keys to objects of the input. Their values are in no manifest, so
// nothing of them counts for a digest.
type filler struct {
	kind string
	keys []string
	asks func(root manifest.Node) bool // whether an object of the kind wants them
}

var fillers = []filler{
	// Kubernetes: pkg/controller/serviceaccount/tokens_controller.go. OpenShift (openshift/kubernetes) adds the last.
	{secret, []string{"token", "ca.crt", "namespace", "service-ca.crt"}, func(root manifest.Node) bool {
		return root.Get("type").StringValue() == "kubernetes.io/service-account-token"
	}},
	// OpenShift: openshift/service-ca-operator, pkg/controller/cabundleinjector/configmap.go.
	{configMap, []string{"service-ca.crt"}, hasAnnotation("true", "service.beta.openshift.io/inject-cabundle",
		"service.alpha.openshift.io/inject-cabundle")},
	// OpenShift: openshift/cluster-network-operator, pkg/controller/configmap_ca_injector/controller.go.
	{configMap, []string{"ca-bundle.crt"}, func(root manifest.Node) bool {
		return root.At("metadata", "labels", "config.openshift.io/inject-trusted-cabundle").StringValue() == "true"
	}},
	// mittwald/kubernetes-secret-generator, pkg/controller/secret/secret_ssh.go and secret_basic_auth.go.
	{secret, []string{"ssh-publickey", "ssh-privatekey"}, hasAnnotation("ssh-keypair", secretGenerator+"type")},
	{secret, []string{"auth", "username", "password"}, hasAnnotation("basic-auth", secretGenerator+"type")},
}

const secretGenerator = "secret-generator.v1.mittwald.de/"

// hasAnnotation returns whether an object has a value under one of the annotations.
func hasAnnotation(value string, annotations ...string) func(manifest.Node) bool {
	return func(root manifest.Node) bool {
		all := root.At("metadata", "annotations")
		return slices.ContainsFunc(annotations, func(name string) bool { return all.Get(name).StringValue() == value })
	}
}

// IsFilled reports whether something in the cluster adds a key to the object, which lies in the input without it.
func (o *Object) IsFilled(key string) bool {
	if !o.node.Valid() {
		return false
	}
	for i := range fillers {
		if f := &fillers[i]; f.kind == o.Kind && slices.Contains(f.keys, key) && f.asks(o.node) {
			return true
		}
	}
	// mittwald/kubernetes-secret-generator, pkg/controller/secret/secret_string.go
	wanted := o.node.At("metadata", "annotations", secretGenerator+"autogenerate").StringValue()
	return o.Kind == secret && slices.Contains(strings.Split(wanted, ","), key)
}

// mayBeFilled reports whether something in the cluster adds any key to the object.
func (o *Object) mayBeFilled() bool {
	isAsked := func(f filler) bool { return f.kind == o.Kind && f.asks(o.node) }
	return slices.ContainsFunc(fillers, isAsked) ||
		o.Kind == secret && o.HasAnnotation(secretGenerator+"autogenerate")
}

// IsInEachNamespace reports whether a cluster puts an object of that name into each namespace: Kubernetes
// (pkg/controller/certificates/rootcacertpublisher/publisher.go), OpenShift, and Istio where it is installed
// (istio/istio, pilot/pkg/bootstrap and pilot/pkg/serviceregistry/kube/controller/namespacecontroller.go).
func IsInEachNamespace(kind, name string) bool {
	return kind == configMap &&
		(name == "kube-root-ca.crt" || name == "openshift-service-ca.crt" || name == "istio-ca-root-cert")
}
