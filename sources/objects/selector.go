package objects

import "k8s.io/apimachinery/pkg/labels"

// labelSet is the labels of something, looked up by key.
type labelSet func(key string) (value string, there bool)

// Has is labels.Labels'.
func (l labelSet) Has(key string) bool {
	_, there := l(key)
	return there
}

// Get is labels.Labels'.
func (l labelSet) Get(key string) string {
	value, _ := l(key)
	return value
}

// Lookup is labels.Labels'.
func (l labelSet) Lookup(key string) (value string, there bool) { return l(key) }

// fits reports whether a label selector that is written as text selects something with these labels. One that cannot be
// read selects nothing.
func fits(selector string, of labelSet) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(of)
}
