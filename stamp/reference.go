package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// reference is one object that a template consumes, while it is decided.
type reference struct {
	*decider
	out       plan.Reference
	consumer  *consumer
	group     []refs.Reference    // at least one
	object    *objects.Object     // nil where none is known
	content   *objects.Content    // of the object, once it is not nil and not ignored
	scope     scope               // what counts of it
	producers []*objects.Producer // of the object
}

// decideReference decides what counts of an object for a template, with its digest where there is one. keep reports,
// where there is none, whether an earlier stamp stays.
func (d *decider) decideReference(c *consumer, consumed *consumption) (out plan.Reference, keep bool) {
	r := reference{decider: d, consumer: c, group: consumed.references, object: consumed.object}
	r.describe(consumed.source)
	keep = r.decide()
	return r.out, keep
}

// describe fills in what the references have.
func (r *reference) describe(source string) {
	first := &r.group[0]
	r.scope = scopeOf(r.group, readByPod)
	r.out = plan.Reference{Kind: first.Kind, Namespace: r.consumer.workload.Namespace, Name: first.Name, Optional: true,
		Source: source}
	for i := range r.group {
		g := &r.group[i]
		r.out.Forms = append(r.out.Forms, string(g.Form))
		r.out.Optional = r.out.Optional && g.Optional
		r.volumeIssue(g)
	}
	slices.Sort(r.out.Forms)
	r.out.Forms = slices.Compact(r.out.Forms)
	if !r.scope.all && !r.scope.empty() {
		r.out.Keys = r.scope.keys
	}
	if r.object != nil && r.object.Namespace != "" {
		r.out.Namespace = r.object.Namespace
	}
}

func readByPod(r refs.Reference) bool { return r.Form != refs.FormPull }

func readOnlyAtStart(r refs.Reference) bool { return readByPod(r) && !r.Live }

// decide reads the content and makes the digest.
func (r *reference) decide() (keep bool) {
	switch {
	case r.scope.empty():
		r.noteHere(diag.New(diag.PullSecret, r.workload(), "Secret "+r.out.Name+" is read when an image is pulled"))
		return true
	case r.object == nil:
		r.absent()
		return true
	}
	r.badSkip()
	if r.ignores(r.object) {
		r.noteHere(diag.New(diag.Ignored, r.workload(), r.object.String()+" is to be ignored"))
		return true
	}
	r.content, r.producers = r.read(), r.object.Producers()
	r.missingKeys()
	if r.consumer.workload.live && !r.object.Immutable() {
		if r.scope = scopeOf(r.group, readOnlyAtStart); r.scope.empty() {
			return false
		}
	}
	if !r.valid() {
		return true
	}
	r.consumeProducers()
	chain := chain{positions: r.positions, content: r.content, scope: r.scope}
	r.out.Producers = chain.list(r.object, r.producers, r.out.Source)
	asks, stamped := r.opts.Resolver != nil, r.consumer.stamped()
	if asks && !stamped && isUnanswered(r.content) {
		return true // no store was asked
	}
	if asks && stamped {
		r.unversioned()
		r.emptySearches()
	}
	if r.out.Digest = r.digest(r.object, r.content, r.scope); r.out.Digest != "" {
		r.out.Annotation = annotationKey(r.object.Kind, r.object.Name)
	}
	return true
}

// read returns what counts of the object's content. Where its producer will get the digest of all that it makes, that
// digest is made of the same content.
func (r *reference) read() *objects.Content {
	if _, known := r.whole[r.object]; !known && r.willRefresh() {
		all := r.object.Content(&r.memory)
		if only, ok := all.Only(r.scope.has); ok {
			if only.Beyond {
				r.whole[r.object] = r.decider.digest(r.object, all, scope{all: true})
			}
			return only
		}
	}
	return r.object.Select(&r.memory, r.scope.has)
}

// willRefresh reports whether the object's producer gets a digest where a store shapes the content.
func (r *reference) willRefresh() bool {
	if r.opts.Resolver == nil || !r.refresher.annotates || !r.consumer.stamped() || !r.object.IsProduced() {
		return false
	}
	m := r.object.Producers()
	return len(m) == 1 && m[0].Refresh() != nil && !m[0].Context && !r.in.reencodes(m[0].Offset) && r.names[m[0]] == nil
}

// consumeProducers records what produces what a stamped workload consumes, and reports where its consumers would
// restart without effect.
func (r *reference) consumeProducers() {
	if !r.consumer.stamped() {
		return
	}
	for _, m := range r.producers {
		if r.content.Beyond && !m.Context {
			r.consumed[m] = r.object
		}
		if name := r.names[m]; name != nil && name.digest != "" {
			continue // a Secret of another name is made in any case
		}
		if why := m.Stale(); why != "" {
			r.note(diag.New(diag.NotRefreshed, m.String(), why), m.Offset)
		}
	}
}

// isUnanswered reports whether something of the content was not asked for.
func isUnanswered(content *objects.Content) bool {
	return slices.ContainsFunc(content.RemoteRefs,
		func(a objects.RemoteRef) bool { return a.Answer.Version == "" && a.Answer.Digest == "" })
}

// namedInPod returns the reference to what a pod template takes from Vault by itself. The text of the template
// needs no digest, because a change of the template restarts pods anyway; the versions do.
func (d *decider) namedInPod(c *consumer) plan.Reference {
	w := c.workload
	r := reference{decider: d, consumer: c,
		out: plan.Reference{Kind: sources.Vault, Namespace: w.Namespace, Name: w.Name, Forms: []string{"template"},
			Source: "template"}}
	for _, a := range c.named {
		r.out.Keys = append(r.out.Keys, a.Key)
	}
	if d.opts.Resolver != nil {
		r.out.Digest, r.out.Annotation = d.digester.versions(w.Name, c.named), annotationKey(sources.Vault, w.Name)
	}
	r.leases()
	return r.out
}
