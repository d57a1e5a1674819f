package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// chain is what produces an object, or adds to it: the chain from what a workload refers to.
type chain struct {
	index     *objects.Index
	positions *render.Places
	content   *objects.Content
	scope     scope
	producers []plan.Producer
}

// list returns the chain of an object, with its producers, that was found at source.
func (c *chain) list(object *objects.Object, producers []*objects.Producer, source string) []plan.Producer {
	if source == object.Kind+"/"+object.Name {
		c.producers = append(c.producers, c.copyOf(object))
	}
	for _, m := range producers {
		c.producers = append(c.producers, c.producer(m))
	}
	c.placeholders(c.copies(object))
	return c.producers
}

// originalsOf returns the objects that a tool copies into each other, and the last of them into an object.
func originalsOf(index *objects.Index, object *objects.Object) (out []*objects.Object) {
	const most = 8 // copies of copies
	for range most {
		if object = index.CopyOf(object); object == nil {
			break
		}
		out = append(out, object)
	}
	return out
}

// copies lists the objects that a tool copies into each other, with what produces them. It returns the first original.
func (c *chain) copies(object *objects.Object) *objects.Object {
	for _, object = range originalsOf(c.index, object) {
		c.producers = append(c.producers, c.copyOf(object))
		for _, m := range object.Producers() {
			c.producers = append(c.producers, c.producer(m))
		}
	}
	return object
}

// placeholders lists what puts other values into the text of an object.
func (c *chain) placeholders(object *objects.Object) {
	tool, places := c.content.FillingTool()
	counts := func(p objects.Pair) bool { return p.StandIn && c.scope.has(p.Key) }
	if tool == "" || !c.content.Fetched && !slices.ContainsFunc(c.content.Pairs, counts) {
		return
	}
	copied := c.copyOf(object)
	p := plan.Producer{Kind: tool, Context: object.Context()}.At(copied.Position())
	for _, a := range places {
		if c.scope.has(a.Key) {
			p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: a.Ref.Version})
		}
	}
	c.producers = append(c.producers, p)
}

// copyOf returns an object that a tool copies.
func (c *chain) copyOf(object *objects.Object) plan.Producer {
	p := plan.Producer{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name, Copied: true}
	p.Context = object.Context()
	if !p.Context && !object.IsProduced() {
		p = p.At(c.positions.At(object.Offset))
	}
	return p
}

// producer returns a producer with the sources of the keys that count.
func (c *chain) producer(m *objects.Producer) plan.Producer {
	p := plan.Producer{Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, Context: m.Context}
	if !m.Context {
		p = p.At(c.positions.At(m.Offset))
	}
	for _, a := range c.content.RemoteRefs {
		if a.Producer == m && (c.scope.has(a.Key) || a.Key == objects.Anything && c.scope.beyond(c.content)) {
			p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: versionOf(a)})
		}
	}
	return p
}

// versionOf returns the version that was answered, or else the one that is asked for.
func versionOf(a objects.RemoteRef) string {
	if a.Answer.Version != "" {
		return a.Answer.Version
	}
	return a.Ref.Version
}
