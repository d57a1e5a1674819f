package shape

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

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

// insertions returns what a binding adds to a pod spec of a workload.
func (b *binding) insertions(o manifest.Object, podSpec []string) (out []*insertion) {
	volume := volumeName(b)
	for _, list := range []string{"initContainers", "containers"} {
		index := 0
		for container := range o.Node.At(podSpec...).Get(list).Items() {
			c := place{podSpec: podSpec, list: list, index: index, name: container.Get("name").StringValue()}
			index++
			if c.name == "" || strings.ContainsAny(c.name, "/= \t\r\n") || !b.BindsContainer(c.name, list == "initContainers") {
				continue // the API server refuses such a name
			}
			out = append(out, b.inContainer(c, container, volume)...)
		}
	}
	if b.As == config.BindVolume && len(out) > 0 {
		out = append(out, &insertion{at: place{podSpec: podSpec}, field: volumes, identity: volume, rule: b.index,
			item: volumeOf(b, volume), mounts: out})
	}
	return out
}

// inContainer returns what a binding adds to a container, which has a variable already where envFrom makes it of the
// same key.
func (b *binding) inContainer(c place, container manifest.Node, volume string) (out []*insertion) {
	switch b.As {
	case config.BindEnvFrom:
		item := map[string]any{refOf(b): selectorOf(b, "")}
		if b.Prefix != "" {
			item["prefix"] = string(b.Prefix)
		}
		return []*insertion{{at: c, field: envFrom, identity: identityOf(b, string(b.Prefix)), item: item, rule: b.index}}
	case config.BindVolume:
		item := map[string]any{"name": volume, "mountPath": string(b.MountPath), "readOnly": true}
		where := path.Clean(string(b.MountPath))
		return []*insertion{{at: c, field: volumeMounts, identity: where, item: item, rule: b.index}}
	}
	for _, v := range variablesOf(b) {
		if b.makes(container, v) {
			continue
		}
		item := map[string]any{"name": v.name, "valueFrom": map[string]any{keyRefOf(b): selectorOf(b, v.key)}}
		out = append(out, &insertion{at: c, field: env, identity: v.name, item: item, rule: b.index})
	}
	return out
}

// makes reports whether the envFrom of a container makes a variable of the key of the binding's object.
func (b *binding) makes(container manifest.Node, v variable) bool {
	prefix, ok := strings.CutSuffix(v.name, v.key)
	return ok && indexOf(container.Get(envFrom), envFrom, identityOf(b, prefix)) >= 0
}

// insertion is an item that goes to the end of a list, unless the list has one of that identity.
type insertion struct {
	at              place
	field, identity string
	item            map[string]any
	rule            int          // index of the binding
	mounts          []*insertion // of a volume: it is of use where one of them has it

	added     mark // of the item; the zero one where nothing was added
	conflicts bool // the list has something else of that identity
}

// edits makes the insertion, and notes what it found in the list.
func (i *insertion) edits(o manifest.Object) ([]splice.Edit, error) {
	i.added, i.conflicts = mark{}, false
	if i.mounts != nil && !slices.ContainsFunc(i.mounts, func(m *insertion) bool { return !m.conflicts }) {
		return nil, nil
	}
	n := i.at.in(o.Node)
	list := n.Get(i.field)
	if existing := indexOf(list, i.field, i.identity); existing >= 0 {
		i.conflicts = i.field != envFrom && !reflect.DeepEqual(itemAt(list, existing).Decode(), any(i.item))
		return nil, nil
	}
	i.added = mark{container: i.at.name, field: i.field, identity: i.identity}
	switch {
	case !list.Valid():
		i.added.before = noList
	case list.Type() == manifest.Null:
		i.added.before = nullList
	}
	return splice.EditItems(n, []string{i.field}, splice.ItemChange{At: list.Len(), Insert: []any{i.item}})
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
		if at := item.Get("mountPath").StringValue(); at != "" {
			return path.Clean(at)
		}
		return ""
	}
	return item.Get("name").StringValue()
}

// refKeys are the fields of an item of envFrom, by kinds.
var refKeys = map[string]string{"ConfigMap": "configMapRef", "Secret": "secretRef"}

func identityOf(b *binding, prefix string) string {
	return string(b.Kind) + "/" + b.name + "/" + prefix
}

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
