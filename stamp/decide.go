package stamp

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// Decided is the list of wanted stamps, with what is known of each workload's references.
type Decided struct {
	Places []plan.Place  // where stamps can be written
	Wanted []plan.Wanted // by place

	in        *Input
	sites     []site // of the places
	workloads []plan.Workload
	unkeyed   int // digests of Secrets that were made without a key
	findings  []diag.Finding
}

// site is how stamps are written at a place.
type site struct {
	strategy strategy
	document int // index of the document that is encoded again; -1 where the text is changed in place
	owner    string
	offset   int // of the owner
}

// Decide makes the digests of what each workload consumes, and the list of stamps that are wanted. The errors are
// about content that a stamped workload consumes.
func Decide(r *Resolved, opts Options) (*Decided, error) {
	d := newDecider(r, opts)
	var err error
	if d.names, err = d.decideNames(r); err != nil {
		return nil, err
	}
	for i := range r.templates {
		d.decideTemplate(&r.templates[i])
	}
	for i := range d.out.workloads {
		slices.SortFunc(d.out.workloads[i].References, func(a, b plan.Reference) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
	(&refreshment{d}).decide()
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	d.out.unkeyed = d.digester.unkeyed
	d.out.findings = slices.Concat(r.in.findings, r.findings, d.list, reportContent(r.in, d.opts.Settings))
	return d.out, nil
}

// decider is one Decide.
type decider struct {
	findings
	opts      Options
	in        *Input
	refresher refresher
	digester  digester
	memory    objects.Buffer                        // of one content at a time
	whole     map[*objects.Object]string            // digests of all that producers make, where they are known
	names     map[*objects.Producer]*suffix         // Secrets whose names are to carry their digests, or did
	consumed  map[*objects.Producer]*objects.Object // what stamped workloads consume, by the objects that produce it
	reported  map[string]bool                       // what has no version
	errs      failures
	out       *Decided
}

func newDecider(r *Resolved, opts Options) *decider {
	d := &decider{opts: opts, in: r.in, errs: r.errs, findings: findings{positions: r.in.positions},
		digester: digester{in: r.in, key: opts.Key, unstable: r.unstable},
		consumed: map[*objects.Producer]*objects.Object{}, whole: map[*objects.Object]string{}}
	d.opts.Settings = opts.settings()
	d.refresher = refresherOf(d.opts.Settings)
	n := 0
	for i := range r.templates {
		n += len(r.templates[i].consumed)
	}
	d.out = &Decided{in: r.in, workloads: make([]plan.Workload, len(r.in.workloads)), Wanted: make([]plan.Wanted, 0, n),
		Places: make([]plan.Place, 0, len(r.templates)), sites: make([]site, 0, len(r.templates))}
	for i := range r.in.workloads {
		d.out.workloads[i] = r.in.workloads[i].Workload
	}
	return d
}

// place adds a place, and returns its number.
func (d *decider) place(p plan.Place, s site) int {
	d.out.Places, d.out.sites = append(d.out.Places, p), append(d.out.sites, s)
	return len(d.out.Places) - 1
}

func (d *decider) want(w plan.Wanted) { d.out.Wanted = append(d.out.Wanted, w) }

// digest returns the digest of what a scope has of an object, "" with an error recorded.
func (d *decider) digest(object *objects.Object, content *objects.Content, s scope) string {
	value, err := d.digester.digest(object, content, s)
	if err != nil {
		d.errs.add(err)
	}
	return value
}

// decideTemplate decides about each object that a pod template consumes.
func (d *decider) decideTemplate(c *consumer) {
	at := d.place(placeOf(c), site{strategy: templateStrategyOf(d.opts.Settings, c.template), document: c.document,
		owner: c.workload.name(), offset: c.offset})
	w := &d.out.workloads[c.index]
	earlier := len(w.References)
	w.References = slices.Grow(w.References, len(c.consumed))
	for i := range c.consumed {
		r, keep := d.decideReference(c, &c.consumed[i])
		d.wantReference(at, r, keep)
		addReference(w, r, earlier)
	}
	if len(c.named) > 0 && c.stamped() {
		r := d.namedInPod(c)
		d.wantReference(at, r, false)
		addReference(w, r, earlier)
	}
}

// placeOf returns the place of a template.
func placeOf(c *consumer) plan.Place {
	p := plan.Place{Workload: c.index, Excluded: !c.stamped(), Annotations: c.ours}
	if p.Excluded {
		return p
	}
	for _, e := range c.slot.Existing() {
		if e.Claim == splice.Removable {
			p.Foreign = append(p.Foreign, e.Key)
		}
	}
	return p
}

// wantReference wants the digest of a reference. With keep, an earlier stamp stays where there is none.
func (d *decider) wantReference(at int, r plan.Reference, keep bool) {
	switch {
	case r.Digest != "":
		d.want(plan.Wanted{Place: at, Kind: r.Kind, Name: r.Name, Key: r.Annotation, Value: r.Digest, Reason: plan.Digest})
	case keep:
		d.want(plan.Wanted{Place: at, Kind: r.Kind, Name: r.Name, Key: annotationKey(r.Kind, r.Name), Reason: plan.Unknown})
	}
}

// addReference adds a reference to a workload. One to the same object among the first few, which are those of earlier
// templates, takes it up.
func addReference(w *plan.Workload, r plan.Reference, earlier int) {
	for i := range earlier {
		old := &w.References[i]
		if old.Kind != r.Kind || old.Name != r.Name {
			continue
		}
		if old.Keys == nil || r.Keys == nil {
			old.Keys = nil
		} else {
			old.Keys = union(old.Keys, r.Keys)
		}
		old.Forms = union(old.Forms, r.Forms)
		old.Optional = old.Optional && r.Optional
		if old.Digest == "" {
			old.Digest, old.Annotation = r.Digest, r.Annotation
		}
		old.Findings = diag.Sort(append(old.Findings, r.Findings...))
		return
	}
	w.References = append(w.References, r)
}

func union(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// ignores reports whether an object is to restart nothing.
func (d *decider) ignores(o *objects.Object) bool { return policy.Ignores(d.opts.Settings, o) }
