package objects

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollstamp/rollstamp/manifest"
)

// nameLabel is the label that the API server sets on every Namespace: its name.
const nameLabel = "kubernetes.io/metadata.name"

// labelSet is the labels of something, looked up by key.
type labelSet func(key string) (value string, exists bool)

// Has is labels.Labels'.
func (l labelSet) Has(key string) bool {
	_, exists := l(key)
	return exists
}

// Get is labels.Labels'.
func (l labelSet) Get(key string) string {
	value, _ := l(key)
	return value
}

// Lookup is labels.Labels'.
func (l labelSet) Lookup(key string) (value string, exists bool) { return l(key) }

// labelsOf looks up the labels of a Namespace.
func labelsOf(namespace string, labels manifest.Node) labelSet {
	return func(key string) (value string, exists bool) {
		if key == nameLabel {
			return namespace, true
		}
		n := labels.Get(key)
		return n.StringValue(), n.Valid()
	}
}

// selectsText reports whether a label selector that is written as text selects something with these labels. One that
// cannot be read selects nothing.
func selectsText(selector string, of labelSet) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(of)
}

// selects reports whether a label selector takes in something with these labels.
func selects(selector manifest.Node, label labelSet) bool {
	for f := selector.Get("matchLabels").Fields(); f.Next(); {
		if value, exists := label(f.Key.Field()); !exists || value != f.Value.StringValue() {
			return false
		}
	}
	for e := range selector.Get("matchExpressions").Items() {
		if !selectsOne(e, label) {
			return false
		}
	}
	return true
}

// selectsOne is selects for one expression. An operator that is not known selects everything.
func selectsOne(expression manifest.Node, label labelSet) bool {
	value, exists := label(expression.Get("key").StringValue())
	listed := false
	for v := range expression.Get("values").Items() {
		listed = listed || exists && v.StringValue() == value
	}
	switch expression.Get("operator").StringValue() {
	case "In":
		return listed
	case "NotIn":
		return !listed
	case "Exists":
		return exists
	case "DoesNotExist":
		return !exists
	}
	return true
}
