package argocd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// MaxOutput is how many bytes Argo CD accepts from a plugin.
const MaxOutput = 100 << 20

// Limits are what a Watch accepts.
type Limits struct {
	AllowEmpty       bool   // accept a render without objects
	RefuseDuplicates bool   // refuse repeated objects, of which Argo CD applies the last
	Namespace        string // the destination's, for objects that name none
}

// Watch finds in a render what Argo CD would refuse, or would accept and then delete what is there, before Argo CD
// sees any of it. What is wrong and yet accepted by Argo CD becomes a finding. Nothing it returns repeats content.
// Whoever reads the render passes it each document, once and in order (see stamp.Options), and calls Done at the end.
type Watch struct {
	limits     Limits
	objects    int
	seen       map[[4]string]bool
	duplicates []duplicate
	counted    struct{ offset, lines int } // how many lines end before an offset; both only increase
	origin     int                         // the last origin that was used, from 1
	before     int                         // how many lines end before it
}

// duplicate is an object that came before.
type duplicate struct {
	object string
	offset int
}

// NewWatch returns a watch for one render.
func NewWatch(limits Limits) *Watch { return &Watch{limits: limits, seen: map[[4]string]bool{}} }

// Document checks a document. An error has the line in the text.
func (w *Watch) Document(d *manifest.Document) error {
	root := d.Root()
	switch {
	case !root.Valid(), root.IsScalar() && root.Type() == manifest.Null:
		return nil
	case !root.IsMap():
		return refusal(root, "", "the render holds a document that is no mapping, and so no object",
			"Is a log line or a list among the manifests?")
	}
	return w.object(root, "", 0)
}

// refusal returns an error at a node, with its line in the text.
func refusal(n manifest.Node, object, what, hint string) error {
	text := n.Document().Text()
	line := 1 + bytes.Count(text[:min(n.Offset(), len(text))], feed)
	return &diag.Error{Exit: diag.ExitInput, Object: object, Pos: diag.Position{Line: line}, Err: errors.New(what),
		Hint: hint}
}

// Accept returns an error where Argo CD or the limits would refuse a render: of its first such document, with the line
// in the text, or of the whole.
func Accept(limits Limits, out *render.Output) error {
	w := NewWatch(limits)
	for reader := manifest.NewReader(out.Text); ; {
		d, err := reader.Next()
		switch {
		case err != nil:
			return err
		case d == nil:
			_, err := w.Finish(out, len(out.Text))
			return err
		}
		if err := w.Document(d); err != nil {
			return err
		}
	}
}

// Finish returns the findings of all documents, of which out is the text; size is the number of bytes that are passed
// on.
func (w *Watch) Finish(out *render.Output, size int) ([]diag.Finding, error) {
	switch {
	case size > MaxOutput:
		return nil, diag.Input(diag.Position{},
			fmt.Errorf("hand over the render: it has %d MiB, and Argo CD takes %d from a plugin", size>>20,
				MaxOutput>>20),
			"Split the application.")
	case w.objects == 0 && !w.limits.AllowEmpty:
		return nil, diag.Input(diag.Position{},
			errors.New("the render holds no object: Argo CD would delete all that the application has"),
			"Where that is meant, set allowEmpty: true below argocd in .rollstamp.yaml, or the plugin's parameter of that name; "+
				"else check path, values and conditions.")
	}
	var found []diag.Finding
	for _, t := range w.duplicates {
		found = append(found, diag.New(diag.DuplicateObject, t.object, duplicateMessage).At(w.position(out, t.offset)))
	}
	return found, nil
}

const duplicateMessage = "the same object is in the input twice"

// maxNested is how deep Lists may be nested.
const maxNested = 8

// identity is what identifies an object.
type identity struct {
	kind, apiVersion string
	metadata, items  manifest.Node
}

// read returns it after one pass over the top fields.
func read(n manifest.Node) (id identity) {
	for f := n.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "kind":
			id.kind = f.Value.Text()
		case "apiVersion":
			id.apiVersion = f.Value.Text()
		case "metadata":
			id.metadata = f.Value
		case "items":
			id.items = f.Value
		}
	}
	return id
}

// object checks an object or a List of them; items of a List may omit a kind that the List implies.
func (w *Watch) object(n manifest.Node, kind string, depth int) error {
	id := read(n)
	id.kind = cmp.Or(id.kind, kind)
	if id.kind == "" {
		return refusal(n, "", "the render holds an object without a kind",
			"Every document of manifests needs apiVersion and kind.")
	}
	if !strings.HasSuffix(id.kind, "List") || !id.items.Valid() || depth == maxNested {
		w.objects++
		return w.checkDuplicate(n, id)
	}
	for item := range id.items.Items() {
		if !item.IsMap() {
			return refusal(n, "", id.kind+" holds an item that is no object", "")
		}
		if err := w.object(item, strings.TrimSuffix(id.kind, "List"), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkDuplicate finds an object that came before.
func (w *Watch) checkDuplicate(n manifest.Node, id identity) error {
	var name, namespace string
	for f := id.metadata.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "name":
			name = f.Value.Text()
		case "namespace":
			namespace = f.Value.Text()
		}
	}
	if name == "" {
		return nil // the API server generates one
	}
	group, _, versioned := strings.Cut(id.apiVersion, "/")
	if !versioned {
		group = ""
	}
	key := [4]string{group, id.kind, cmp.Or(namespace, w.limits.Namespace), name}
	if !w.seen[key] {
		w.seen[key] = true
		return nil
	}
	object := manifest.Describe(id.kind, namespace, name)
	if w.limits.RefuseDuplicates {
		return refusal(n, object, duplicateMessage, "Remove one of the two.")
	}
	w.duplicates = append(w.duplicates, duplicate{object, n.Offset()})
	return nil
}

// position returns where an offset comes from, as far as the engine knows it.
func (w *Watch) position(out *render.Output, offset int) diag.Position {
	offset = min(offset, len(out.Text))
	next := sort.Search(len(out.Origins), func(i int) bool { return out.Origins[i].Offset > offset })
	if next == 0 {
		return diag.Position{}
	}
	from := out.Origins[next-1]
	if from.Line == 0 {
		return diag.Position{File: from.File}
	}
	if w.origin != next {
		w.origin, w.before = next, w.lines(out.Text, from.Offset)
	}
	return diag.Position{File: from.File, Line: from.Line + w.lines(out.Text, offset) - w.before}
}

var feed = []byte("\n")

// lines counts those that end before an offset. Documents come in order, so no text is read twice.
func (w *Watch) lines(text []byte, offset int) int {
	c := &w.counted
	if offset < c.offset {
		c.offset, c.lines = 0, 0
	}
	c.lines += bytes.Count(text[c.offset:offset], feed)
	c.offset = offset
	return c.lines
}
