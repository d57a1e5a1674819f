package check

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// strayLines returns a finding for each field of a document's objects that no object has: the line that a program has
// printed between those of a manifest, such as "WARNING: ...", is one to YAML.
func strayLines(d *manifest.Document, kinds *refs.Table, at func(offset int) diag.Position) (found []diag.Finding) {
	report := func(object string, key manifest.Node) {
		name := "one of its lines"
		if isShort(key.Text()) { // else it may be a message with anything in it
			name = diag.Quote(strings.Clone(key.Text()))
		}
		f := diag.New(diag.Skipped, object, name+" is no field of it").At(at(key.Offset()))
		f.Severity, f.Hint = diag.Failure, "The API server refuses it. Did a program print a message between the lines of a manifest?"
		found = append(found, f)
	}
	for o := range d.Objects() {
		for key, value := range o.Node.Entries() {
			if isStray(o, kinds, key.Text(), value) {
				report(o.String(), key)
			}
		}
	}
	if root := d.Root(); root.Get("items").IsSeq() {
		for key, value := range root.Entries() {
			if isOfNone(key.Text(), value) {
				report(root.Get("kind").StringValue(), key)
			}
		}
	}
	return found
}

// isStray reports whether an object cannot have a field.
func isStray(o manifest.Object, kinds *refs.Table, key string, value manifest.Node) bool {
	switch key {
	case "apiVersion", "kind", "metadata", "spec", "status", "sops":
		return false
	}
	if fields, ok := fieldsOf(o, kinds); ok {
		return !slices.Contains(fields, key)
	}
	return isOfNone(key, value)
}

// isOfNone reports whether no kind has such a field.
func isOfNone(key string, value manifest.Node) bool {
	return !isWord(key) || value.IsScalar() && isOfMessages(key)
}

// fieldsOf returns the fields beside those that most kinds have of the kinds that most manifests are of; false for
// others.
func fieldsOf(o manifest.Object, kinds *refs.Table) ([]string, bool) {
	if strings.Contains(o.Group(), ".") {
		return nil, false
	}
	switch o.Kind {
	case "ConfigMap":
		return []string{"data", "binaryData", "immutable"}, true
	case "Secret":
		return []string{"data", "stringData", "immutable", "type"}, true
	case "ServiceAccount":
		return []string{"secrets", "imagePullSecrets", "automountServiceAccountToken"}, true
	case "PodTemplate":
		return []string{"template"}, true
	case "Service", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget":
		return nil, true
	}
	return nil, len(kinds.Rows(o)) > 0
}

// isOfMessages reports whether a key is one that lines of logs begin with.
func isOfMessages(key string) bool {
	switch key {
	case "warning", "warn", "error", "info", "debug", "fatal", "panic", "hint", "level", "msg":
		return true
	}
	return false
}

// isShort reports whether a key is one word of few letters, such as WARNING.
func isShort(key string) bool {
	const few = 30
	return len(key) <= few && isWord(strings.ToLower(key))
}

// isWord reports whether a key is one that the fields of Kubernetes' objects have: they begin with a small letter.
func isWord(key string) bool {
	const signs = "-_"
	for i, r := range key {
		isSmall := 'a' <= r && r <= 'z'
		if !isSmall && (i == 0 || (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(signs, r)) {
			return false
		}
	}
	return key != ""
}
