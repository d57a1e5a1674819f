package helm

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm/order"
)

const sourceLine = order.Marker + "\n# Source: "

// print writes the stream as helm template does: CRDs, manifests, white space after them trimmed, then hooks. As there,
// --skip-crds says nothing about what --include-crds prints.
func (r *release) print(docs *order.Sorted) (*render.Output, error) {
	o := r.req.Helm
	w := writer{release: r}
	var crds []chart.CRD
	if o.IncludeCRDs {
		crds = r.chart.CRDObjects()
	}
	w.grow(crds, docs)
	for _, c := range crds {
		w.crd(c)
	}
	for _, d := range docs.Manifests {
		w.document(d)
	}
	if len(docs.Manifests) == 0 || !o.ExactEnds {
		w.text = append(bytes.TrimSpace(w.text), '\n')
	}
	for _, d := range docs.Hooks {
		if !o.NoHooks && !(o.SkipTests && d.Head.IsTest()) {
			w.document(d)
		}
	}
	out := &render.Output{Text: w.text, Origins: w.origins, Findings: r.hooksLeftOut(docs)}
	if len(o.ShowOnly) > 0 {
		return r.showOnly(out)
	}
	return out, nil
}

// rules returns what the version of Helm does with rendered templates, as far as their ends do not have to be exact.
func (r *release) rules() order.Rules {
	rules := r.library.Rules()
	if r.req.Helm.ExactEnds {
		rules.Split = order.SplitExact
	}
	return rules
}

// writer appends documents to a stream and notes where each comes from.
type writer struct {
	release *release
	text    []byte
	origins []render.Origin
}

// grow allocates space for everything, so that a large stream is not copied while it is written.
func (w *writer) grow(crds []chart.CRD, docs *order.Sorted) {
	n := 1
	for _, c := range crds {
		n += len(sourceLine) + len(c.Filename) + len(c.File.Data) + 2
	}
	for _, list := range [][]order.Document{docs.Manifests, docs.Hooks} {
		for _, d := range list {
			n += len(sourceLine) + len(d.Template) + len(d.Text) + 2
		}
	}
	w.text = make([]byte, 0, n)
	w.origins = make([]render.Origin, 0, 2*len(crds)+len(docs.Manifests)+len(docs.Hooks))
}

func (w *writer) head(source string) {
	w.text = append(w.text, sourceLine...)
	w.text = append(w.text, source...)
	w.text = append(w.text, '\n')
}

func (w *writer) document(d order.Document) {
	w.origins = append(w.origins, render.Origin{Offset: len(w.text), File: w.release.position(d.Template, 0).File})
	w.head(d.Template)
	w.text = append(w.text, d.Text...)
	w.text = append(w.text, '\n')
}

// crd writes a file of crds/ as it is; its lines are those of the file.
func (w *writer) crd(c chart.CRD) {
	file := w.release.position(c.Filename, 0).File
	w.origins = append(w.origins, render.Origin{Offset: len(w.text), File: file})
	w.head(c.Filename)
	w.origins = append(w.origins, render.Origin{Offset: len(w.text), File: file, Line: 1})
	w.text = append(w.text, c.File.Data...)
	w.text = append(w.text, '\n')
}

// showOnly cuts the stream down to the documents whose "# Source:" line matches one of the patterns, pattern by
// pattern.
func (r *release) showOnly(all *render.Output) (*render.Output, error) {
	sources := regexp.MustCompile("# Source: [^/]+/(.+)")
	w := writer{release: r}
	for _, pattern := range r.req.Helm.ShowOnly {
		found := false
		r.rules().Split(string(all.Text), func(doc string) {
			m := sources.FindStringSubmatch(doc)
			if m == nil {
				return
			}
			if ok, _ := filepath.Match(filepath.ToSlash(pattern), m[1]); !ok {
				return
			}
			found = true
			w.origins = append(w.origins, render.Origin{Offset: len(w.text),
				File: r.position(path.Join(r.chart.Name(), m[1]), 0).File})
			w.text = fmt.Appendf(w.text, "%s\n%s\n", order.Marker, doc)
		})
		if !found {
			return nil, diag.Input(diag.Position{File: r.req.Path},
				fmt.Errorf("--show-only %s matches no rendered template", pattern),
				"Name it as below the chart's folder: templates/NAME.yaml, charts/SUBCHART/templates/NAME.yaml, or with wildcards.")
		}
	}
	return &render.Output{Text: w.text, Origins: w.origins, Findings: all.Findings}, nil
}

// hooksLeftOut reports documents that helm leaves out.
func (r *release) hooksLeftOut(docs *order.Sorted) []diag.Finding {
	var found []diag.Finding
	for _, d := range docs.Skipped {
		object := d.Head.Kind
		var full releaseutil.SimpleHead
		if yaml.Unmarshal([]byte(d.Text), &full) == nil && full.Metadata != nil {
			object += " " + full.Metadata.Name
		}
		found = append(found, diag.New(diag.Skipped, object,
			fmt.Sprintf("helm knows no hook %q, so it leaves the document out",
				truncate(d.Head.Events))).At(r.position(d.Template, 0)))
	}
	return found
}
