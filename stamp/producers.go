package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources"
)

// producers lists what produces the object, or adds to it: the chain from what the workload refers to.
func (r *reference) producers() {
	for _, m := range r.object.Producers() {
		r.out.Producers = append(r.out.Producers, r.producer(m))
		if r.consumer.stamped() {
			r.consume(m)
		}
	}
	if r.out.Source == r.object.Kind+"/"+r.object.Name {
		r.out.Producers = append([]plan.Producer{r.copied(r.object)}, r.out.Producers...)
	}
	r.placeholders(r.copies())
}

// consume records a producer of what a stamped workload consumes, and reports where its consumers would restart
// without effect.
func (r *reference) consume(m *sources.Producer) {
	if r.content.Beyond && !m.Context {
		r.consumed[m] = r.object
	}
	if name := r.names[m]; name != nil && name.digest != "" {
		return // a Secret of another name is made in any case
	}
	if why := m.Stale(); why != "" {
		r.note(diag.New(diag.NotRefreshed, m.String(), why), m.Offset)
	}
}

// copies lists the objects that a tool copies into each other, with what produces them. It returns the first original.
func (r *reference) copies() *sources.Object {
	object := r.object
	const most = 8 // copies of copies
	for range most {
		from := object.CopyOf()
		if from == nil {
			break
		}
		object = from
		r.out.Producers = append(r.out.Producers, r.copied(object))
		for _, m := range object.Producers() {
			r.out.Producers = append(r.out.Producers, r.producer(m))
		}
	}
	return object
}

// placeholders lists what puts other values into the text of an object.
func (r *reference) placeholders(object *sources.Object) {
	tool, places := object.FilledBy()
	counts := func(p sources.Pair) bool { return p.StandIn && r.scope.has(p.Key) }
	if tool == "" || !r.content.Fetched && !slices.ContainsFunc(r.content.Pairs, counts) {
		return
	}
	copied := r.copied(object)
	p := plan.Producer{Kind: tool, Context: object.Context()}.At(copied.Position())
	for _, a := range places {
		if r.scope.has(a.Key) {
			p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: a.Ref.Version})
		}
	}
	r.out.Producers = append(r.out.Producers, p)
}

// copied returns an object that a tool copies.
func (r *reference) copied(object *sources.Object) plan.Producer {
	p := plan.Producer{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name, Context: object.Context(),
		Copied: true}
	if !p.Context && !object.IsProduced() {
		p = p.At(r.positions.At(object.Offset))
	}
	return p
}

// producer returns a producer with the sources of the keys that count.
func (r *reference) producer(m *sources.Producer) plan.Producer {
	p := plan.Producer{Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, Context: m.Context}
	if !m.Context {
		p = p.At(r.positions.At(m.Offset))
	}
	for _, a := range r.content.RemoteRefs {
		if a.Producer == m && (r.scope.has(a.Key) || a.Key == sources.Anything && r.scope.beyond(r.content)) {
			p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: versionOf(a)})
		}
	}
	return p
}

// versionOf returns the version that was answered, or else the one that is asked for.
func versionOf(a sources.RemoteRef) string {
	if a.Answer.Version != "" {
		return a.Answer.Version
	}
	return a.Ref.Version
}
