package stamp

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// Plan returns the plan of a text, and the edits that write what is wanted after all policies into it. Places that are
// excluded stay as they are, whatever is wanted there; of those that are only reported, earlier stamps go.
func Plan(d *Decided, wanted []plan.Wanted) (*plan.Plan, []splice.Edit) {
	w := writer{Decided: d, findings: findings{d.in.positions, slices.Clip(d.findings)},
		edits: make([]splice.Edit, 0, len(d.sites)), inner: make([][]splice.Edit, len(d.in.documents))}
	wanted = byPlace(wanted)
	rest := wanted
	for i := range d.sites {
		n := 0
		for n < len(rest) && rest[n].Place == i {
			n++
		}
		w.write(i, rest[:n])
		rest = rest[n:]
	}
	w.writeDocuments()
	splice.Sort(w.edits)
	p := &plan.Plan{Schema: plan.Schema, Workloads: d.workloads, Stamps: wanted, Places: d.Places, Holds: d.holds,
		Renames: d.renames, Prefix: d.prefix, Objects: len(d.in.offsets), Read: d.in.reading}
	p.Findings = diag.Sort(slices.Concat(w.list, d.summary(), d.in.out.Findings))
	return p, w.edits
}

// byPlace returns stamps sorted by place and key: the same list where it is.
func byPlace(wanted []plan.Wanted) []plan.Wanted {
	order := func(a, b plan.Wanted) int { return cmp.Or(a.Place-b.Place, cmp.Compare(a.Key, b.Key)) }
	if slices.IsSortedFunc(wanted, order) {
		return wanted
	}
	wanted = slices.Clone(wanted)
	slices.SortStableFunc(wanted, order)
	return wanted
}

// writer makes the edits.
type writer struct {
	findings
	*Decided
	edits []splice.Edit
	inner [][]splice.Edit // of the documents that are encoded again
}

// write makes the edits at a place.
func (w *writer) write(place int, wanted []plan.Wanted) {
	site, at := &w.sites[place], &w.Places[place]
	if site.strategy == nil {
		return
	}
	for _, key := range at.Foreign {
		if !contains(wanted, key) {
			owner := w.in.workloads[at.Workload]
			w.addAt(diag.New(diag.ForeignDropped, owner.String(), "annotation "+key+" is taken out"), owner.position)
		}
	}
	edits := site.strategy.edits(wanted)
	if site.document != inPlace {
		w.inner[site.document] = append(w.inner[site.document], edits...)
		return
	}
	w.edits = append(w.edits, edits...)
}

// writeDocuments makes the edits for documents that are encoded again. One that nothing is written into stays as it is.
func (w *writer) writeDocuments() {
	for i, edits := range w.inner {
		if len(edits) == 0 {
			continue
		}
		splice.Sort(edits)
		d := w.in.documents[i]
		w.edits = append(w.edits, splice.Edit{Start: d.start, End: d.end, Text: string(splice.Bytes(d.text, edits))})
		w.add(d.finding(), d.at)
	}
}

// summary returns the findings about the input as a whole.
func (d *Decided) summary() (out []diag.Finding) {
	if d.unkeyed > 0 {
		f := diag.New(diag.UnkeyedSecret, "", diag.Count(d.unkeyed, "digest")+" of Secrets without a hash key")
		switch { // where somebody has one, a new one is not what these lack
		case d.locksKey:
			f.Hint = "The lock holds digests that were made with a hash key, and without it nothing is known of what they adopt " +
				"or approve. Pass that key: --hash-key-file, and --hash-domain where there is one."
		case d.lacksKey:
			f.Hint = diag.RowOf(diag.StampUnchecked).Hint
		}
		out = append(out, f)
	}
	if len(d.in.offsets) == 0 && !d.in.out.IsEmptied() {
		out = append(out, diag.New(diag.NoObjects, "", "the input holds no object"))
	}
	return out
}
