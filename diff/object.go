package diff

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// id identifies an object of an application.
type id struct{ group, kind, namespace, name string }

// object is one object of a side, as stamped.
type object struct {
	Name
	holder
	hidden   func() []render.Hidden // of its document; nil where nothing is
	workload *plan.Workload
	applier  applier
	left     string             // why its engine leaves it in the cluster when its manifest goes; "" where it does not
	plain    *objects.Decrypted // what it holds, where the manifest has ciphertext and that was decrypted
}

// content is what an object holds. The values of a Secret are replaced by what can be compared and not printed.
type content struct {
	table map[string]any
	keys  map[string]any // of a ConfigMap or Secret: what a container reads under each key; else nil
	// ciphertext has the values as they are encrypted, where keys has what was decrypted.
	ciphertext map[string]any
}

func (o *object) id() id { return id{o.Group, o.Kind, o.Namespace, o.Name.Name} }

// isConfig reports whether the object is a ConfigMap or a Secret.
func (o *object) isConfig() bool {
	return o.Group == "" && isConfigKind(o.Kind)
}

func isConfigKind(kind string) bool { return kind == refs.ConfigMap || kind == refs.Secret }

// same reports whether two objects are written alike.
func same(a, b *object) bool { return a.item == b.item && bytes.Equal(a.text(), b.text()) }

// content decodes the object. Nothing of that is retained.
func (o *object) content(m mask) (content, error) {
	table, err := o.table()
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", o.Name, err)
	}
	forget(table)
	if o.hidden != nil {
		m.places(table, o.hidden())
	}
	redact.HideValues(table, objects.SecretPlaces(o.Group, o.Kind), m.text)
	out := content{table: table}
	switch {
	case !o.isConfig():
	case o.Kind == "Secret":
		out.keys = m.secret(table)
	default:
		out.keys = decoded(at(table, "binaryData"))
		maps.Copy(out.keys, at(table, "data"))
	}
	if o.plain != nil && out.keys != nil {
		out.ciphertext = out.keys
		out.keys = o.plain.Masked(func(value []byte) any { return m.hide(value) })
		delete(table, "binaryData")
		table["data"] = out.keys
	}
	return out, nil
}

// decoded returns the bytes that values in base64 stand for, as far as they are base64.
func decoded(values map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for key, v := range values {
		text, _ := v.(string)
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil && text != "" {
			v = string(raw)
		}
		out[key] = v
	}
	return out
}

// forget takes out what a cluster writes into its objects, so that they compare with manifests.
func forget(table map[string]any) {
	delete(table, "status")
	meta, _ := table["metadata"].(map[string]any)
	stamp.WithoutSuffix(meta)
	for _, field := range []string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp",
		"selfLink"} {
		delete(meta, field)
	}
	notes, _ := meta["annotations"].(map[string]any)
	delete(notes, "deployment.kubernetes.io/revision")
	delete(notes, lastApplied)
	if notes != nil && len(notes) == 0 {
		delete(meta, "annotations")
	}
}

// at follows a path; nil where it does not lead to a mapping.
func at(table map[string]any, path ...string) map[string]any {
	for _, field := range path {
		table, _ = table[field].(map[string]any)
	}
	return table
}

// read lists the objects of a text, with their positions as far as these are known. Of two with one identity the last
// counts, as it does for kubectl apply. Documents with objects that are standing are read without edits. What is hidden
// is asked for once something of an object is to be shown; it is nil where nothing is.
func read(
	app string, text splice.Edited, standing map[id]bool, positions []diag.Position, hidden func() []render.Hidden,
) ([]*object, error) {
	var out []*object
	reader, edits := manifest.NewReader(text.Text), edits{all: text.Edits}
	for {
		d, err := reader.Next()
		if err != nil {
			return nil, err
		}
		if d == nil {
			return last(out), nil
		}
		before, part := len(out), edits.in(d.Start, d.End)
		if len(part) > 0 && isAnyOf(d, standing) {
			part = nil
		}
		if out, err = appendEdited(out, app, d, part, positions); err != nil {
			return nil, err
		}
		if hidden == nil {
			continue
		}
		start, end := d.Start, d.End
		for _, o := range out[before:] {
			o.hidden = func() []render.Hidden { return hiddenIn(hidden(), start, end) }
		}
	}
}

// appendEdited appends the objects of a document with its edits.
func appendEdited(
	out []*object, app string, d *manifest.Document, part []splice.Edit, positions []diag.Position,
) ([]*object, error) {
	if len(part) == 0 {
		return appendObjects(out, app, d, positions), nil
	}
	edited, err := manifest.Parse(splice.Bytes(d.Bytes(), part))
	if err != nil {
		return nil, err
	}
	n := len(out)
	if out = appendObjects(out, app, edited, positions); len(out) == n+1 {
		out[n].dropCopy(d, part)
	}
	return out, nil
}

// dropCopy lets go of the copy that an edited document was read from, where that is one object and called the same in
// the document as it was: its text is made again when it is asked for.
func (o *object) dropCopy(d *manifest.Document, part []splice.Edit) {
	body := d.Body()
	mark := d.End - d.Start - len(body)
	if o.slow || o.node.Valid() || o.all != nil || !d.Fast() || part[0].Start < mark {
		return
	}
	for was := range d.Objects() {
		if !was.Node.SameAs(d.Root()) || was.Group() != o.Group || was.Kind != o.Kind || was.Namespace != o.Namespace ||
			was.Name != o.Name.Name {
			return
		}
		o.Group, o.Kind, o.Namespace, o.Name.Name = was.Group(), was.Kind, was.Namespace, was.Name
		o.source, o.edits = body, part
		for i := range part {
			part[i].Start, part[i].End = part[i].Start-mark, part[i].End-mark
		}
	}
}

// edits goes through edits as it does through documents.
type edits struct {
	all  []splice.Edit // ascending
	next int
}

// in returns the edits of a part of the text, with offsets from there: what is inserted at its end belongs to it.
func (e *edits) in(start, end int) []splice.Edit {
	var out []splice.Edit
	for ; e.next < len(e.all) && e.all[e.next].End <= end; e.next++ {
		one := e.all[e.next]
		one.Start, one.End = one.Start-start, one.End-start
		out = append(out, one)
	}
	return out
}

// appendObjects appends the objects of a document.
func appendObjects(out []*object, app string, d *manifest.Document, positions []diag.Position) []*object {
	var whole func() ([]map[string]any, error)
	if !d.Fast() || strings.HasSuffix(d.Root().Get("kind").Text(), "List") {
		whole = objectsOf(d.Body())
	}
	item := 0
	var clone *manifest.Document
	for o := range d.Objects() {
		if stamp.IsEarlier(o) {
			item++
			continue
		}
		found := &object{holder: holder{source: d.Body(), item: item, slow: !d.Fast(), all: whole}}
		if d.Fast() && !o.Node.SameAs(d.Root()) {
			if clone == nil {
				clone = d.Clone()
			}
			found.node = o.Node.In(clone)
		}
		found.App, found.Group, found.Kind = app, o.Group(), o.Kind
		found.Namespace, found.Name.Name = o.Namespace, stamp.BaseName(o)
		if n := len(out); n < len(positions) {
			found.File, found.Line = positions[n].File, positions[n].Line
		}
		out = append(out, found)
		item++
	}
	return out
}

// last returns the last of several objects with one identity.
func last(all []*object) []*object {
	at := make(map[id]int, len(all))
	for i, o := range all {
		at[o.id()] = i
	}
	last := all[:0]
	for i, o := range all {
		if at[o.id()] == i {
			last = append(last, o)
		}
	}
	return last
}
