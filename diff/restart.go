package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
)

// Reason is the sort of thing that makes a workload restart.
type Reason string

// The reasons.
const (
	Config    Reason = "config"   // what it reads from a ConfigMap, a Secret or a producer of one
	Image     Reason = "image"    // a container's image
	Template  Reason = "template" // another field of the pod template
	First     Reason = "first"    // a stamp where there was none: the workload is stamped for the first time
	Requested Reason = "request"  // somebody asked for a restart: kubectl rollout restart
	Checksum  Reason = "checksum" // a hash that the chart itself writes
	Label     Reason = "label"    // a label or annotation about a version or a time that nothing reads
	Order     Reason = "order"    // the same items in another order
)

// Cause is one reason why a workload restarts.
type Cause struct {
	Reason Reason `json:"reason"`
	// Of Config: the object that is read, what makes it where that is another, and what changed of what is read.
	Object string      `json:"object,omitempty"`
	Via    string      `json:"via,omitempty"`
	Keys   []KeyChange `json:"keys,omitempty"`
	// Of all others: the place in the pod template.
	Path   string `json:"path,omitempty"`
	Change Change `json:"change,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`

	Noise bool   `json:"noise,omitempty"` // it changes nothing that a container reads
	Why   string `json:"why,omitempty"`   // of noise, why
	File  string `json:"file,omitempty"`  // where to look
	Line  int    `json:"line,omitempty"`
}

// The changes of what a workload reads of an object, besides those of a key itself.
const (
	NewlyRead    Change = "newly read"
	NoLongerRead Change = "no longer read"
)

// template compares one pod template of a workload on both sides.
func (c *comparer) template(p pair, row *refs.Kind) {
	old, now := at(p.old.table, row.Template), at(p.now.table, row.Template)
	if old == nil || now == nil {
		return
	}
	a, b := newTemplate(old), newTemplate(now)
	if a.same(b) {
		return
	}
	r := c.restarted[p.now]
	if r == nil {
		r = &Restart{Name: p.now.Name, Rollout: rolloutOf(p.now, row.Rollout)}
	}
	for _, f := range fields("", a.table, b.table) {
		r.add(c.cause(p, f))
	}
	if len(r.Causes) == 0 {
		return // the fields that differ are not listed
	}
	slices.SortStableFunc(r.Causes, func(x, y Cause) int {
		return cmp.Or(rank(x)-rank(y), cmp.Compare(x.Object, y.Object), cmp.Compare(x.Path, y.Path))
	})
	r.Noise = !slices.ContainsFunc(r.Causes, func(c Cause) bool { return !c.Noise })
	c.restarted[p.now] = r
}

// rank puts what a reader looks for first.
func rank(c Cause) int {
	if c.Noise {
		return 9
	}
	return slices.Index([]Reason{Config, Image, Template, First, Requested}, c.Reason)
}

// add takes a cause; several places that come from one object are one cause.
func (r *Restart) add(c Cause) {
	for i := range r.Causes {
		if have := &r.Causes[i]; c.Reason == Config && have.Reason == Config && have.Object == c.Object {
			have.Keys = append(have.Keys, c.Keys...)
			slices.SortFunc(have.Keys, compareKeys)
			have.Keys = slices.Compact(have.Keys)
			return
		}
	}
	r.Causes = append(r.Causes, c)
}

const stampPath = `metadata.annotations["` + hashing.Prefix

// cause returns what a changed place of a pod template means.
func (c *comparer) cause(p pair, f FieldChange) Cause {
	if strings.HasPrefix(f.Path, stampPath) {
		return c.stampCause(p, f)
	}
	if base, o, other := c.renamed(p, f); base != "" {
		return Cause{Reason: Config, Object: o.Kind + " " + base, Keys: changedKeys(other.keys(), o.keys()), File: o.File,
			Line: o.Line}
	}
	out := Cause{Reason: Template, Path: strings.TrimPrefix(f.Path, "spec."), Change: f.Change, From: f.From, To: f.To,
		File: p.now.File, Line: p.now.Line}
	switch {
	case strings.HasSuffix(f.Path, "].image"):
		out.Reason = Image
		out.Path = strings.TrimSuffix(out.Path, ".image")
	case strings.HasPrefix(f.Path, `metadata.annotations["kubectl.kubernetes.io/restartedAt"`):
		out.Reason = Requested
	default:
		out.Reason, out.Why = noise(f)
		out.Noise = out.Why != ""
	}
	return out
}

// stampCause returns why a stamp of ours changed, appeared or was removed.
func (c *comparer) stampCause(p pair, f FieldChange) Cause {
	annotation, _ := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(f.Path, "metadata.annotations["), "]"))
	before, now := referenceOf(p.old, annotation), referenceOf(p.now, annotation)
	out := Cause{Reason: Config, Path: f.Path, Change: f.Change, From: f.From, To: f.To}
	ref := now
	if ref == nil {
		ref = before
	}
	if ref == nil {
		out.Reason, out.Object = Config, strings.TrimPrefix(annotation, hashing.Prefix)
		return out
	}
	if g := c.generatedPair(p.now.App, ref); g != nil {
		base, _ := baseOf(ref.Name)
		return Cause{Reason: Config, Object: ref.Kind + " " + base, Keys: changedKeys(g.old.keys(), g.now.keys()),
			File: g.now.File, Line: g.now.Line}
	}
	out.Object = ref.Kind + " " + ref.Name
	if strings.Contains(ref.Source, "/") {
		out.Via = strings.Replace(ref.Source, "/", " ", 1)
	}
	old, current := c.object(c.old, p.old, before), c.object(c.now, p.now, now)
	if at := cmp.Or(current, old); at != nil {
		out.File, out.Line = at.File, at.Line
	}
	out.Keys = append(scopeChanges(before, now), inScope(before, now, old, current)...)
	slices.SortFunc(out.Keys, compareKeys)
	if f.Change == Addition && before != nil && len(out.Keys) == 0 {
		out.Reason = First
	}
	return out
}

// generatedPair returns the object of a reference where its name has another hash on the other side.
func (c *comparer) generatedPair(app string, r *plan.Reference) *pair {
	for i := range c.pairs {
		q := &c.pairs[i]
		if q.now.App == app && q.now.Kind == r.Kind && q.old.Name.Name != q.now.Name.Name &&
			(q.old.Name.Name == r.Name || q.now.Name.Name == r.Name) {
			return q
		}
	}
	return nil
}

// referenceOf returns the reference that an annotation of ours is about.
func referenceOf(o *object, annotation string) *plan.Reference {
	if o.workload == nil {
		return nil
	}
	for i := range o.workload.References {
		r := &o.workload.References[i]
		if r.Annotation == annotation || r.Annotation == "" && hashing.Annotation("", r.Kind, r.Name) == annotation {
			return r
		}
	}
	return nil
}

func (c *comparer) object(side map[string]*inventory, workload *object, r *plan.Reference) *object {
	if r == nil {
		return nil
	}
	kind, name := r.Kind, r.Name
	if k, n, made := strings.Cut(r.Source, "/"); made {
		kind, name = k, n
		return anyGroup(side[workload.App], kind, r.Namespace, name)
	}
	return find(side, workload.App, kind, r.Namespace, name)
}

// anyGroup finds an object whose group is not known.
func anyGroup(in *inventory, kind, namespace, name string) *object {
	if in == nil {
		return nil
	}
	for _, o := range in.all {
		if o.Kind == kind && o.Name.Name == name &&
			(o.Namespace == namespace || o.Namespace == "" || namespace == "" || o.Namespace == in.space) {
			return o
		}
	}
	return nil
}

// scopeChanges returns the keys that only one side reads, where those of both are known.
func scopeChanges(before, now *plan.Reference) []KeyChange {
	if before == nil || now == nil || before.Keys == nil || now.Keys == nil {
		return nil
	}
	var out []KeyChange
	for _, key := range now.Keys {
		if !slices.Contains(before.Keys, key) {
			out = append(out, KeyChange{key, NewlyRead})
		}
	}
	for _, key := range before.Keys {
		if !slices.Contains(now.Keys, key) {
			out = append(out, KeyChange{key, NoLongerRead})
		}
	}
	return out
}

// inScope returns the keys that changed and that one of the sides reads. Of what makes a Secret no keys are known to
// compare one with.
func inScope(before, now *plan.Reference, old, current *object) []KeyChange {
	if old == nil || current == nil || old.Kind != current.Kind {
		return nil
	}
	reads := func(r *plan.Reference, key string) bool {
		return r != nil && (r.Keys == nil || slices.Contains(r.Keys, key))
	}
	all := changedKeys(old.keys(), current.keys())
	return slices.DeleteFunc(all, func(k KeyChange) bool { return !reads(before, k.Key) && !reads(now, k.Key) })
}

// renamed reports whether a change is the new name of a generated object, and returns it without its hash, with the
// objects.
func (c *comparer) renamed(p pair, f FieldChange) (base string, now, old *object) {
	if f.Change != Modification {
		return "", nil, nil
	}
	from, ok := baseOf(f.From)
	to, ok2 := baseOf(f.To)
	if !ok || !ok2 || from != to {
		return "", nil, nil
	}
	for _, q := range c.pairs {
		if q.old.Name.Name == f.From && q.now.Name.Name == f.To && q.now.App == p.now.App {
			return from, q.now, q.old
		}
	}
	return "", nil, nil
}
