package shape

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// place is a container of a pod spec, or with an empty list the pod spec itself.
type place struct {
	podSpec    []string
	list, name string
	index      int
}

// in returns the node of the place in a workload.
func (p place) in(object manifest.Node) manifest.Node {
	spec := object.At(p.podSpec...)
	if p.list == "" {
		return spec
	}
	return itemAt(spec.Get(p.list), p.index)
}

func itemAt(list manifest.Node, index int) manifest.Node {
	i := 0
	for item := range list.Items() {
		if i == index {
			return item
		}
		i++
	}
	return manifest.Node{}
}

// The lists that bindings add to.
const (
	envFrom      = "envFrom"
	env          = "env"
	volumeMounts = "volumeMounts"
	volumes      = "volumes"
)

// bindContainer adds an object to a container, and reports whether it has it in a volume then.
func (w *boundWorkload) bindContainer(c place, b *binding, volume string) (mounts bool, err error) {
	switch b.As {
	case config.BindEnvFrom:
		item := map[string]any{refOf(b): selectorOf(b, "")}
		if b.Prefix != "" {
			item["prefix"] = string(b.Prefix)
		}
		_, err = w.insert(c, envFrom, identityOf(b), item)
		return false, err
	case config.BindVolume:
		return w.insert(c, volumeMounts, string(b.MountPath),
			map[string]any{"name": volume, "mountPath": string(b.MountPath), "readOnly": true})
	}
	for _, v := range variablesOf(b) {
		item := map[string]any{"name": v.name, "valueFrom": map[string]any{keyRefOf(b): selectorOf(b, v.key)}}
		if _, err := w.insert(c, env, v.name, item); err != nil {
			return false, err
		}
	}
	return false, nil
}

// insert adds an item at the end of a list, unless the list has one of that identity, and reports whether the list has
// the item then.
func (w *boundWorkload) insert(at place, field, identity string, item map[string]any) (ok bool, err error) {
	added := mark{container: at.name, field: field, identity: identity}
	err = w.change(func(o manifest.Node) ([]splice.Edit, error) {
		n := at.in(o)
		list := n.Get(field)
		switch {
		case !list.Valid():
			added.before = noList
		case list.Type() == manifest.Null:
			added.before = nullList
		}
		if existing := indexOf(list, field, identity); existing >= 0 {
			added = mark{}
			ok = field == envFrom || reflect.DeepEqual(valueOf(itemAt(list, existing)), any(item))
			return nil, nil
		}
		ok = true
		return splice.EditItems(n, []string{field}, splice.ItemChange{At: list.Len(), Insert: []any{item}})
	})
	switch {
	case err != nil:
	case added != (mark{}):
		w.marks = append(w.marks, added)
	case !ok:
		w.report(diag.New(diag.BindingSkipped, w.name, fmt.Sprintf("bindings[%d]: %s has %s %s already, which is something else",
			w.rule, at, field, diag.Quote(identity))), w.at)
	}
	return ok, err
}

// String returns the place as messages name it.
func (p place) String() string {
	if p.list == "" {
		return "the pod"
	}
	return "container " + diag.Quote(p.name)
}

// indexOf returns the index of the item of an identity in a list, -1 where there is none.
func indexOf(list manifest.Node, field, identity string) int {
	found, i := -1, 0
	for item := range list.Items() {
		if identityIn(item, field) == identity {
			found = i
		}
		i++
	}
	return found
}

// identityIn returns what tells an item of a list from others, as identityOf does for what a binding adds.
func identityIn(item manifest.Node, field string) string {
	switch field {
	case envFrom:
		for kind, ref := range refKeys {
			if name := item.At(ref, "name"); name.Valid() {
				return kind + "/" + name.StringValue() + "/" + item.Get("prefix").StringValue()
			}
		}
		return ""
	case volumeMounts:
		return item.Get("mountPath").StringValue()
	}
	return item.Get("name").StringValue()
}

// refKeys are the fields of an item of envFrom, by kinds.
var refKeys = map[string]string{"ConfigMap": "configMapRef", "Secret": "secretRef"}

func identityOf(b *binding) string { return string(b.Kind) + "/" + b.name + "/" + string(b.Prefix) }

func refOf(b *binding) string { return refKeys[string(b.Kind)] }

func keyRefOf(b *binding) string {
	return map[string]string{"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}[string(b.Kind)]
}

// selectorOf returns a reference to the object, or to one of its keys.
func selectorOf(b *binding, key string) map[string]any {
	out := map[string]any{"name": b.name}
	if key != "" {
		out["key"] = key
	}
	if b.Optional {
		out["optional"] = true
	}
	return out
}

// variable is the name of an environment variable with the key that it is read from.
type variable struct{ name, key string }

// variablesOf returns the variables of a binding, those of keys first.
func variablesOf(b *binding) (out []variable) {
	for _, key := range b.Keys {
		out = append(out, variable{string(b.Prefix) + string(key), string(key)})
	}
	for _, name := range slices.Sorted(maps.Keys(b.Variables)) {
		out = append(out, variable{string(b.Prefix) + name, string(b.Variables[name])})
	}
	return out
}

// volumeOf returns the volume of a binding.
func volumeOf(b *binding, volume string) map[string]any {
	source, kind, name := map[string]any{}, "secret", "secretName"
	if b.Kind == "ConfigMap" {
		kind, name = "configMap", "name"
	}
	source[name] = b.name
	if b.Optional {
		source["optional"] = true
	}
	var items []any
	for _, key := range b.Keys {
		items = append(items, map[string]any{"key": string(key), "path": string(key)})
	}
	if items != nil {
		source["items"] = items
	}
	return map[string]any{"name": volume, kind: source}
}

// shortName returns a name with a hash of what it stands for, in no more characters than a name may have.
func shortName(name string, longest int, of string) string {
	const digits = 8
	sum := sha256.Sum256([]byte(of))
	return name[:min(len(name), longest-digits-1)] + "-" + hex.EncodeToString(sum[:])[:digits]
}
