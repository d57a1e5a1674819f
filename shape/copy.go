package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// copied is an object that is to be printed, and what it is a copy of.
type copied struct {
	of     manifest.Node
	object map[string]any
}

// notCopied are what annotations begin with that are, besides stamps, about one object alone: marks, and what engines,
// hosts of functions and tools that make copies in the cluster note.
var notCopied = []string{
	Prefix, "kubectl.kubernetes.io/last-applied-configuration", "argocd.argoproj.io/tracking-id",
	"internal.config.kubernetes.io/", "config.kubernetes.io/", "config.k8s.io/",
	"reflector.v1.k8s.emberstack.com/", "replicator.v1.mittwald.de/",
}

// copyOf returns a copy of an object for another namespace, with its mark.
func copyOf(o manifest.Object, namespace, from string, stamps hashing.Prefix) map[string]any {
	out, _ := o.Node.Decode().(map[string]any)
	delete(out, "status")
	out["apiVersion"], out["kind"] = o.APIVersion, o.Kind
	old, _ := out["metadata"].(map[string]any)
	annotations, _ := old["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
	}
	for key := range annotations {
		isOf := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
		if stamps.Has(key) || slices.ContainsFunc(notCopied, isOf) {
			delete(annotations, key)
		}
	}
	annotations[CopyMark] = from
	metadata := map[string]any{"name": o.Name, "namespace": namespace, "annotations": annotations}
	if labels, ok := old["labels"].(map[string]any); ok {
		metadata["labels"] = labels
	}
	out["metadata"] = metadata
	if sealed := o.Node.At("spec", "template", "metadata", "namespace"); sealed.Valid() && o.Kind == "SealedSecret" {
		spec := out["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
		spec["namespace"] = namespace
	}
	return out
}

// add prints copies of objects of a document: behind it, or at the end of the List that it is.
func (r *replication) add(d *manifest.Document, copies []copied) error {
	root := d.Root()
	if copies[0].of.SameAs(root) {
		return r.addDocuments(d, copies)
	}
	items := root.Get("items").Len()
	from, hidden := itemsByOffset(root), r.hiddenIn(d)
	var values []any
	for i, c := range copies {
		values = append(values, c.object)
		if of, ok := from[c.of.Offset()]; ok {
			r.hideItem(hidden, of, items+i)
		}
	}
	draft := newDraft(d)
	err := draft.change(func(root manifest.Node) ([]splice.Edit, error) {
		return splice.EditItems(root, []string{"items"}, splice.ItemChange{At: items, Insert: values})
	})
	if err != nil {
		return fmt.Errorf("replicate objects of a List: %w", err)
	}
	r.added.take(draft)
	return nil
}

// addDocuments prints copies as documents behind the one of their object; at the end of the text, where values follow
// each other without separators.
func (r *replication) addDocuments(d *manifest.Document, copies []copied) error {
	at := d.End
	if !bytes.HasPrefix(r.text[at:], []byte("---")) {
		at = len(r.text)
	}
	isOpen := at == len(r.text) && !bytes.HasSuffix(r.text, []byte("\n"))
	var text strings.Builder
	for _, c := range copies {
		encoded, err := json.Marshal(c.object)
		if isJSON := bytes.HasPrefix(bytes.TrimSpace(d.Body()), []byte("{")); err == nil && isJSON {
			encoded = append(encoded, '\n') // what reads JSON reads the copy, too
		} else if err == nil {
			encoded, err = yaml.JSONToYAML(encoded)
		}
		if err != nil {
			return fmt.Errorf("replicate %s: it cannot be encoded", c.object["kind"])
		}
		if isOpen {
			text.WriteString("\n---\n")
			encoded = bytes.TrimSuffix(encoded, []byte("\n"))
		} else {
			text.WriteString("---\n")
		}
		r.hideDocument(d, at, text.Len())
		text.Write(encoded)
	}
	r.added.edits = append(r.added.edits, splice.Edit{Start: at, End: at, Text: text.String()})
	return nil
}

// hideDocument hides in a copy, which begins at an offset of what is inserted, what is hidden in a document.
func (r *replication) hideDocument(d *manifest.Document, edit, offset int) {
	for _, h := range r.hiddenIn(d) {
		r.added.hidden = append(r.added.hidden, hiddenCopy{edit, offset, h})
	}
}

// hideItem hides in an item of a List, which is a copy of another one, what is hidden in that.
func (r *replication) hideItem(hidden []render.Hidden, from, index int) {
	for _, h := range hidden {
		moved := h
		moved.Places = nil
		for _, p := range h.Places {
			if len(p.Path) > 1 && p.Path[0] == "items" && p.Path[1] == from {
				p.Path = append([]any{"items", index}, p.Path[2:]...)
				moved.Places = append(moved.Places, p)
			}
		}
		if len(moved.Places) > 0 {
			r.added.hidden = append(r.added.hidden, hiddenCopy{h.Offset, 0, moved})
		}
	}
}

// hiddenIn returns what is hidden in a document.
func (r *replication) hiddenIn(d *manifest.Document) (out []render.Hidden) {
	for _, h := range r.out.AllHidden() {
		if !h.Anywhere && h.Offset >= d.Start && h.Offset < d.End {
			out = append(out, h)
		}
	}
	return out
}
