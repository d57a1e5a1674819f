package release

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
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
	start, end int    // in the render
	source     string // as Helm names its template: CHART/templates/NAME
	text       []byte // what it has become
	edits      []splice.Edit
}

// sourceOf returns the template that the comment at the start of a document names.
func sourceOf(document []byte) (string, bool) {
	line, ok := bytes.CutPrefix(document, []byte("---\n"))
	if !ok {
		return "", false
	}
	line, ok = bytes.CutPrefix(line, []byte(sourceMark))
	if end := bytes.IndexByte(line, '\n'); ok && end >= 0 {
		return string(line[:end]), true
	}
	return "", false
}

// sourceMark begins the comment that names a template.
const sourceMark = "# Source: "

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

// writer puts documents of a render together again, with their origins.
type writer struct {
	text    []byte
	origins []render.Origin
	old     []byte          // the render
	from    []render.Origin // of it, ascending
}

// add appends a document. Lines behind an edit keep the lines that they have in their file.
func (w *writer) add(one part) {
	shift := len(w.text) - one.start
	first, _ := slices.BinarySearchFunc(w.from, one.start, func(o render.Origin, at int) int { return o.Offset - at })
	for _, o := range w.from[first:] {
		if o.Offset >= one.end {
			break
		}
		w.origins = append(w.origins, render.Origin{Offset: moved(o.Offset, one.edits) + shift, File: o.File, Line: o.Line})
		if o.Line == 0 {
			continue
		}
		for _, e := range one.edits {
			if e.Start > o.Offset {
				w.origins = append(w.origins, render.Origin{Offset: moved(e.End, one.edits) + shift, File: o.File,
					Line: o.Line + bytes.Count(w.old[o.Offset:e.End], []byte("\n"))})
			}
		}
	}
	w.text = append(w.text, one.text...)
}

// moved returns where what stands at an offset has come to by edits.
func moved(offset int, edits []splice.Edit) int {
	to := offset
	for _, e := range edits {
		if e.End <= offset {
			to += len(e.Text) - (e.End - e.Start)
		}
	}
	return to
}
