package release

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// kind says which part of a render documents belong to, in the order in which Helm prints these.
type kind int

const (
	ofCRDs kind = iota // of the chart's crds/: Helm post-renders none of it
	ofManifests
	ofHooks   // that are post-rendered by themselves
	untouched // hooks that are not post-rendered

	kinds // how many there are
)

// part is a document of a render.
type part struct {
	kind       kind
	source     string // as Helm names its template: CHART/templates/NAME
	start, end int    // after the edits
}

// sourceMark begins the comment that names a template.
const sourceMark = "# Source: "

// sourceOf returns the template that the comment at the start of a document names.
func sourceOf(document []byte) (string, bool) {
	line, ok := bytes.CutPrefix(document, separator)
	if !ok {
		return "", false
	}
	line, ok = bytes.CutPrefix(line, []byte(sourceMark))
	if end := bytes.IndexByte(line, '\n'); ok && end >= 0 {
		return string(line[:end]), true
	}
	return "", false
}

var separator = []byte("---\n")

// isCRDFile reports whether a file lies in the crds/ of a chart or subchart.
func isCRDFile(source string) bool {
	parts := strings.Split(source, "/")[1:]
	for len(parts) > 2 && parts[0] == "charts" {
		parts = parts[2:]
	}
	return len(parts) > 0 && parts[0] == "crds"
}

// isCRD reports whether a document holds nothing but definitions of kinds, or no object at all.
func isCRD(d *manifest.Document) bool {
	for o := range d.Objects() {
		if o.Kind != "CustomResourceDefinition" || o.Group() != "apiextensions.k8s.io" {
			return false
		}
	}
	return true
}
