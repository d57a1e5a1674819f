package objects

import (
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
)

// kubeNamespace is the kind whose labels say where a ClusterExternalSecret makes something.
const kubeNamespace = "Namespace"

// nameLabel is the label that the API server sets on every Namespace: its name.
const nameLabel = "kubernetes.io/metadata.name"

// leftOut reports whether nothing is made in a namespace, because its Namespace is known and none of the producers
// chooses it.
func (x *Index) leftOut(o *Object, namespace string) bool {
	at, known := x.shared.namespaces[namespace]
	if !known || o.node.Valid() {
		return false
	}
	labels := at.At("metadata", "labels")
	return !slices.ContainsFunc(o.producers, func(m *Producer) bool {
		return m.Kind != "ClusterExternalSecret" || chooses(m.node.Get("spec"), namespace, labels)
	})
}

// chooses reports whether a ClusterExternalSecret's spec names the namespace or has a selector for it; without either
// it says nothing.
func chooses(spec manifest.Node, namespace string, labels manifest.Node) bool {
	named, one, several := spec.Get("namespaces"), spec.Get("namespaceSelector"), spec.Get("namespaceSelectors")
	if named.Len() == 0 && !one.IsMap() && several.Len() == 0 {
		return true
	}
	for n := range named.Items() {
		if n.StringValue() == namespace {
			return true
		}
	}
	for s := range several.Items() {
		if selects(s, namespace, labels) {
			return true
		}
	}
	return one.IsMap() && selects(one, namespace, labels)
}

// labelOf looks up the labels of a Namespace.
func labelOf(namespace string, labels manifest.Node) func(key string) (value string, there bool) {
	return func(key string) (value string, there bool) {
		if key == nameLabel {
			return namespace, true
		}
		n := labels.Get(key)
		return n.StringValue(), n.Valid()
	}
}

// selects reports whether a label selector takes a Namespace in.
func selects(selector manifest.Node, namespace string, labels manifest.Node) bool {
	label := labelOf(namespace, labels)
	for f := selector.Get("matchLabels").Fields(); f.Next(); {
		if value, there := label(f.Key.Field()); !there || value != f.Value.StringValue() {
			return false
		}
	}
	for e := range selector.Get("matchExpressions").Items() {
		value, there := label(e.Get("key").StringValue())
		listed := false
		for v := range e.Get("values").Items() {
			listed = listed || there && v.StringValue() == value
		}
		fits := true
		switch e.Get("operator").StringValue() {
		case "In":
			fits = listed
		case "NotIn":
			fits = !listed
		case "Exists":
			fits = there
		case "DoesNotExist":
			fits = !there
		}
		if !fits {
			return false
		}
	}
	return true
}
