package stamp

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/splice"
)

// container is one container of a pod template, whose environment is changed.
type container struct {
	node manifest.Node // in a document that outlives the reading; none where there is a tail
	tail *splice.Tail  // of its environment, where variables are only written behind others
	used []used        // where the template has several containers
	ours []ourVariable // in its environment, in their order
}

// inEnvironment leads from a container to its variables.
func inEnvironment() []string { return []string{"env"} }

// used is an object that a container uses.
type used struct{ kind, namespace, name string }

// ourVariable is a variable of ours that the text has.
type ourVariable struct {
	variable
	index int // in the environment
}

// containerLists returns the lists of a pod's containers that a template can have: ephemeral ones have no template.
func containerLists(spec manifest.Node) [2]manifest.Node {
	return [...]manifest.Node{spec.Get("initContainers"), spec.Get("containers")}
}

// containersOf returns the containers of a pod template with what each uses. A single one is written whatever it uses.
func containersOf(at location) (out []container) {
	spec := at.PodSpec
	if !spec.Valid() {
		return nil
	}
	lists := containerLists(spec)
	count := lists[0].Len() + lists[1].Len()
	var uses *usage
	if count > 1 {
		uses = newUsage(at)
	}
	out = make([]container, 0, count)
	for _, list := range lists {
		for node := range list.Items() {
			c := container{ours: variablesOf(node), used: uses.of(node)}
			// A copy of the document costs more than all the rest.
			if tail, ok := splice.TailOf(node, inEnvironment()); ok && len(c.ours) == 0 {
				c.tail = &tail
			} else {
				c.node = node.In(at.clone(spec.Document()))
			}
			out = append(out, c)
		}
	}
	return out
}

// usage is what the containers of a pod template use.
type usage struct {
	references []refs.Reference
	volumes    []string // that the references are in; "" for those in none
}

func newUsage(at location) *usage {
	u := &usage{at.References, make([]string, len(at.References))}
	for i := range u.volumes {
		u.volumes[i] = volumeAt(at.PodSpec, at.References[i].Offset)
	}
	return u
}

// of returns what a container uses.
func (u *usage) of(container manifest.Node) []used {
	if u == nil {
		return nil
	}
	out := make([]used, 0, len(u.references))
	for i := range u.references {
		r := &u.references[i]
		if isWithin(r.Offset, container) || mounts(container, u.volumes[i]) {
			out = append(out, used{r.Kind, r.Namespace, strings.Clone(r.Name)})
		}
	}
	return out
}

func isWithin(offset int, n manifest.Node) bool { return n.Offset() <= offset && offset < n.End() }

// volumeAt returns the name of the volume that a place in the text lies in; "" for none.
func volumeAt(spec manifest.Node, offset int) string {
	all := spec.Get("volumes")
	if !isWithin(offset, all) {
		return ""
	}
	for v := range all.Items() {
		if isWithin(offset, v) {
			return v.Get("name").StringValue()
		}
	}
	return ""
}

// mounts reports whether a container mounts a volume.
func mounts(container manifest.Node, volume string) bool {
	if volume == "" {
		return false
	}
	for m := range container.Get("volumeMounts").Items() {
		if m.Get("name").StringValue() == volume {
			return true
		}
	}
	return false
}

// variablesOf returns the variables of ours in the environment of a container: a name of ours with a value.
func variablesOf(container manifest.Node) (out []ourVariable) {
	i := 0
	for item := range container.Get("env").Items() {
		name, value := item.Get("name"), item.Get("value")
		isOurs := item.Len() == 2 && value.Type() == manifest.String && hashing.IsVariable(name.StringValue())
		if isOurs && hashing.IsDigest(value.StringValue()) {
			out = append(out, ourVariable{variable{strings.Clone(name.StringValue()), strings.Clone(value.StringValue())}, i})
		}
		i++
	}
	return out
}

// uses reports whether the container uses the object of a stamp.
func (c *container) uses(w *plan.Wanted) bool {
	return slices.Contains(c.used, used{w.Kind, w.Namespace, w.Name})
}

// try returns the error of adding a variable, and of removing those that are there.
func (c *container) try() error {
	switch {
	case c.tail != nil:
		return nil
	case len(c.ours) == 0:
		return splice.TryAppend(c.node, inEnvironment())
	}
	_, err := c.edits([]variable{{hashing.CombinedVariable, hashing.PlainPrefix}})
	if err == nil {
		_, err = c.edits(nil)
	}
	return err
}

// edits returns what makes the variables of ours those that are wanted, which are sorted. They stand together: where
// the first is, else behind all others.
func (c *container) edits(wanted []variable) (out []splice.Edit, err error) {
	isSame := func(o ourVariable, v variable) bool { return o.variable == v }
	if slices.EqualFunc(c.ours, wanted, isSame) {
		return nil, nil
	}
	path := inEnvironment()
	if len(wanted) == 0 && len(c.ours) == c.node.At(path...).Len() {
		return splice.RemoveItems(c.node, path)
	}
	if c.tail != nil {
		pairs := make([][2]string, len(wanted))
		for i, v := range wanted {
			pairs[i] = [2]string{v.name, v.value}
		}
		return c.tail.AppendPairs([2]string{"name", "value"}, pairs)
	}
	insert := make([]any, len(wanted))
	for i, v := range wanted {
		insert[i] = splice.Fields{{Key: "name", Value: v.name}, {Key: "value", Value: v.value}}
	}
	if len(c.ours) == 0 {
		return splice.AppendItems(c.node, path, insert)
	}
	for rest := c.ours; len(rest) > 0; insert = nil {
		n := 1
		for n < len(rest) && rest[n].index == rest[0].index+n {
			n++
		}
		edits, err := splice.EditItems(c.node, path, splice.ItemChange{At: rest[0].index, Remove: n, Insert: insert})
		if err != nil {
			return nil, err
		}
		out, rest = append(out, edits...), rest[n:]
	}
	return out, nil
}

// variablesIn returns the containers of a template that have variables of ours.
func variablesIn(t *refs.Template) (out []container) {
	for _, list := range containerLists(t.PodSpec) {
		for node := range list.Items() {
			if ours := variablesOf(node); len(ours) > 0 {
				out = append(out, container{node: node, ours: ours})
			}
		}
	}
	return out
}
