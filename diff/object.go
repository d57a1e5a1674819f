package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
)

// id is what makes two objects the same one.
type id struct{ group, kind, namespace, name string }

// object is one object of a side, as stamped.
type object struct {
	Name
	mask     mask
	text     []byte // its document
	item     int    // which object of the document
	workload *plan.Workload
	table    map[string]any // what it holds, once asked for
	secret   *content       // of a Secret: instead of its values
}

func (o *object) id() id { return id{o.Group, o.Kind, o.Namespace, o.Name.Name} }

// read lists the objects of an application with their stamps. Of two with one identity the last counts, as it does
// for kubectl apply.
func (m mask) read(app string, a *App) ([]*object, error) {
	r, text := a.Result, a.Result.Output.Text
	if !a.AsIs {
		var stamped bytes.Buffer
		if _, err := r.WriteTo(&stamped); err != nil {
			return nil, fmt.Errorf("write %s: %w", app, err)
		}
		text = stamped.Bytes()
	}
	var positions []diag.Position
	if r.Plan != nil {
		positions = r.Objects.Positions()
	}
	var out []*object
	workloads := map[id]*plan.Workload{}
	if r.Plan != nil {
		for i := range r.Plan.Workloads {
			w := &r.Plan.Workloads[i]
			workloads[id{kind: w.Kind, namespace: w.Namespace, name: w.Name}] = w
		}
	}
	home := r.Output.Namespace
	reader := manifest.NewReader(text)
	for n := 0; ; {
		d, err := reader.Next()
		if err != nil {
			return nil, err
		}
		if d == nil {
			return last(out), nil
		}
		item := 0
		for o := range d.Objects() {
			found := &object{mask: m, text: d.Body(), item: item}
			found.App, found.Group, found.Kind, found.Namespace, found.Name.Name = app, o.Group(), o.Kind, o.Namespace, o.Name
			w := workloads[id{kind: o.Kind, namespace: o.Namespace, name: o.Name}]
			if w == nil {
				w = workloads[id{kind: o.Kind, namespace: home, name: o.Name}]
			}
			found.workload = w
			if n < len(positions) {
				found.File, found.Line = positions[n].File, positions[n].Line
			}
			out = append(out, found)
			item++
			n++
		}
	}
}

// last keeps the last of several objects with one identity.
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

// same reports whether two objects are written alike.
func same(a, b *object) bool { return a.item == b.item && bytes.Equal(a.text, b.text) }

// values returns what the object holds. The values of a Secret are replaced by what can be compared and not printed.
func (o *object) values() (map[string]any, error) {
	if o.table != nil {
		return o.table, nil
	}
	var v any
	if err := yaml.Unmarshal(o.text, &v); err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Name, errUnreadable) // the library's words may quote the text
	}
	n := -1
	o.table = pick(v, "", o.item, &n)
	if o.table == nil {
		return nil, fmt.Errorf("read %s: %w", o.Name, errUnreadable)
	}
	forget(o.table)
	if o.Kind == "Secret" && o.Group == "" {
		o.secret = o.mask.secret(o.table)
	}
	return o.table, nil
}

// forget takes out what a cluster writes into its objects, so that they compare with manifests.
func forget(table map[string]any) {
	delete(table, "status")
	meta, _ := table["metadata"].(map[string]any)
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

var errUnreadable = errors.New("it cannot be decoded")

// pick finds the object that manifest counts as the item-th of a document.
func pick(v any, list string, item int, n *int) map[string]any {
	table, ok := v.(map[string]any)
	kind, _ := table["kind"].(string)
	if kind == "" {
		kind = strings.TrimSuffix(list, "List")
	}
	if !ok || kind == "" {
		return nil
	}
	if items, ok := table["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		for _, i := range items {
			if found := pick(i, kind, item, n); found != nil {
				return found
			}
		}
		return nil
	}
	if *n++; *n == item {
		return table
	}
	return nil
}
