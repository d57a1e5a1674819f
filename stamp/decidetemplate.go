package stamp

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// templateOutcome is what is decided about all pod templates.
type templateOutcome struct {
	outcome
	workloads []plan.Workload
	fetched   fetched
	reported  map[string]bool // notices, by their IDs
	prefix    hashing.Prefix
}

// fetched is what stamped workloads consume of content that something else than the text of its producers shapes.
type fetched struct {
	objects map[*objects.Producer]*objects.Object
	// digests of all that is in an object, where they were made at the same time; nil where none is wanted
	whole map[*objects.Object]string
}

// decideTemplates decides about each object that a pod template consumes.
func decideTemplates(run *run, templates []consumer, names renames, refresher refresher) *templateOutcome {
	t := newTemplateOutcome(run, templates, refresher)
	for i := range templates {
		c := &templates[i]
		at := t.place(placeOf(c), site{c.strategy, c.document})
		w := &t.workloads[c.index]
		if c.workload.decided != nil {
			*w = *c.workload.decided
			continue
		}
		earlier := len(w.References)
		for k := range c.consumed {
			d := decideReference(run, c, &c.consumed[k], names, t.fetched.whole)
			if len(c.phantoms) > 0 {
				c.reportPhantoms(run, &d, c.consumed[k].references)
			}
			t.take(&d)
			if !t.wantPhantoms(at, c, &d) {
				t.wantReference(at, &d)
			}
			addReference(w, c.asWritten(&d, run.prefix), earlier)
		}
		if len(c.named) > 0 && c.isStamped() {
			d := decideNamed(run, c)
			t.take(&d)
			t.wantReference(at, &d)
			addReference(w, c.asWritten(&d, run.prefix), earlier)
		}
	}
	t.reportUnstable(templates)
	for i := range t.workloads {
		slices.SortFunc(t.workloads[i].References, func(a, b plan.Reference) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
	return t
}

// newTemplateOutcome returns an empty outcome with the workloads of an input, and with memory for what may be wanted
// for producers, too.
func newTemplateOutcome(run *run, templates []consumer, refresher refresher) *templateOutcome {
	in, n, producers := run.in, 0, 0
	for i := range templates {
		n += templates[i].references()
	}
	fetched := fetched{objects: map[*objects.Producer]*objects.Object{}}
	if run.asks && refresher.annotates {
		fetched.whole, producers = map[*objects.Object]string{}, len(in.index.Producers())
	}
	t := &templateOutcome{outcome: newOutcome(in, len(templates)+producers, n+producers),
		workloads: make([]plan.Workload, len(in.workloads)), fetched: fetched, prefix: run.prefix}
	references := make([]plan.Reference, n)
	for i, w := range in.workloads {
		n = 0
		for len(templates) > 0 && templates[0].index == i {
			n, templates = n+templates[0].references(), templates[1:]
		}
		t.workloads[i] = plan.Workload{Kind: w.kind, Namespace: w.namespace, Name: w.name, Position: w.position,
			Stamped: w.stamped, Rank: w.rank, References: references[:0:n]}
		references = references[n:]
	}
	return t
}

// placeOf returns the place of a template.
func placeOf(c *consumer) plan.Place {
	p := plan.Place{Workload: c.index, Excluded: !c.isWritten(), Left: c.strategy == nil, Annotations: c.ours}
	if p.Excluded {
		return p
	}
	p.Way, p.Foreign, p.Manual, p.ByName = c.wayOf(), c.strategy.foreign(), c.workload.manual, hasSuffixes(*c)
	return p
}

// take records what a decision reports, and what it is about. A notice goes to the first reference that has it.
func (t *templateOutcome) take(d *decision) {
	for _, n := range d.notices {
		if t.reported[n.id] {
			continue
		}
		if t.reported == nil {
			t.reported = map[string]bool{}
		}
		t.reported[n.id] = true
		d.Findings = append(d.Findings, n.finding)
	}
	t.list = append(t.list, d.Findings...)
	for _, err := range d.errs {
		t.errs.add(err)
	}
	for _, m := range d.producers {
		if !m.Context {
			t.fetched.objects[m] = d.object
		}
	}
	if d.madeWhole {
		t.fetched.whole[d.object] = d.whole
	}
}

// wantReference wants the digest of a reference. Where there is none, an earlier stamp stays if it is to be kept.
func (t *templateOutcome) wantReference(at int, r *decision) {
	switch {
	case r.Renamed != "" && r.Annotation == "": // its new name restarts the workload
		t.places[at].Renamed = append(t.places[at].Renamed, r.Kind)
	case r.Digest != "":
		t.want(plan.Wanted{Place: at, Kind: r.Kind, Namespace: r.elsewhere, Name: r.Name, Key: r.Annotation,
			Value: r.Digest, Reason: plan.Digest})
	case r.keep:
		t.want(plan.Wanted{Place: at, Kind: r.Kind, Name: r.Name, Key: annotationKey(t.prefix, r.Kind, r.annotated),
			Reason: plan.Unknown})
	}
}

// addReference adds a reference to a workload. One to the same object among the first few, which are those of earlier
// templates, takes it up.
func addReference(w *plan.Workload, r plan.Reference, earlier int) {
	for i := range earlier {
		old := &w.References[i]
		if old.Kind != r.Kind || old.Name != r.Name || old.Namespace != r.Namespace {
			continue
		}
		if old.Keys == nil || r.Keys == nil {
			old.Keys = nil
		} else {
			old.Keys = union(old.Keys, r.Keys)
		}
		old.Forms = union(old.Forms, r.Forms)
		old.Optional = old.Optional && r.Optional
		old.Required, old.Lacking = union(old.Required, r.Required), union(old.Lacking, r.Lacking)
		old.Refused, old.Excluded = old.Refused || r.Refused, old.Excluded && r.Excluded
		old.Contents = withContents(old.Contents, r.Contents)
		if old.Digest == "" {
			old.Digest, old.Annotation = r.Digest, r.Annotation
		}
		old.Findings = diag.Sort(append(old.Findings, r.Findings...))
		return
	}
	w.References = append(w.References, r)
}

// withContents returns what is known of some keys, with that of others.
func withContents(all, more []plan.KeyContent) []plan.KeyContent {
	for _, c := range more {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

func union(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
