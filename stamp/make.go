package stamp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// work is one run of Make: what has been read so far.
type work struct {
	opts      Options
	settings  *config.Settings
	table     *refs.Table
	index     *sources.Index
	places    *render.Places
	plan      *Plan
	workloads []*workload
	documents []document
	errs      []error
	unstable  map[*sources.Object]map[string]bool
	problems  map[*sources.Producer][]sources.Invalid // what operators would refuse
	stamped   map[*sources.Producer]bool              // they have a stamp themselves
	makers    int                                     // how many have been looked at
	unkeyed   int
	followed  map[[3]string]bool                    // kind, namespace and name of what Rollouts take their templates from
	consumed  map[*sources.Producer]*sources.Object // what stamped workloads consume, by the objects that make it
	renamings map[*sources.Producer]*renaming       // of Secrets whose names are to carry their digests, or did
	suffixed  bool                                  // a name in the input carries one
	told      map[string]bool                       // what has no version

	kept struct{ of, copy *manifest.Document } // the document that is being read, and a copy of it where one was needed
	keep func() *manifest.Document

	// memory that is used again
	hasher hashing.Hasher
	pairs  []hashing.Pair
	groups [][]refs.Reference
}

// workload is what has to be remembered of a workload until everything has been read.
type workload struct {
	plan.Workload
	live      bool
	templates []template
}

type template struct {
	references []refs.Reference
	named      []sources.RemoteRef // places in Vault that the template names itself
	slot       *splice.Slot        // nil where nothing is stamped
	forUser    bool                // stamped only where a Rollout follows the workload
	fixed      bool                // its document is not in the simple YAML in which a name can be written over
	offset     int                 // of the workload
	document   int                 // index into work.documents of one that is written anew; -1
}

// document is one that has to be written again before it can be stamped.
type document struct {
	start, end int
	text       []byte
	edits      []splice.Edit
}

// Make reads a rendered text and plans its stamps. An error is about content that a stamped workload consumes, or about text
// that is no YAML; several are joined.
func Make(ctx context.Context, out *render.Output, opts Options) (*Plan, error) {
	w := &work{opts: opts, settings: opts.Settings, places: render.NewPlaces(out.Text, out.Origins)}
	w.plan = &Plan{text: out.Text, places: w.places}
	if w.settings == nil {
		w.settings = &config.Settings{}
	}
	level := int(w.settings.Level.Value)
	if level == 0 {
		level = config.MaxLevel
	}
	namespace := opts.Namespace
	if namespace == "" {
		namespace = out.Namespace
	}
	w.keep = func() *manifest.Document {
		if w.kept.copy == nil {
			w.kept.copy = w.kept.of.Clone()
		}
		return w.kept.copy
	}
	w.table = refs.NewTable(level, w.settings.Kinds.Value)
	w.index = sources.NewIndex(namespace, level, w.settings.Producers.Value)
	if w.settings.StoreAddress.Value {
		w.index.CountAddresses()
	}
	w.index.AskFor(config.Strings(w.settings.Ask.Value)...)
	w.index.Base(withoutSuffix)
	if err := w.readContext(ctx); err != nil {
		return nil, err
	}
	if err := w.read(ctx, out.Text); err != nil {
		return nil, err
	}
	if err := w.compareTwin(ctx, out.SecondRender, namespace, level); err != nil {
		return nil, err
	}
	w.baseNames()
	if err := w.ask(ctx); err != nil {
		return nil, err
	}
	if err := w.rename(ctx); err != nil {
		return nil, err
	}
	w.join()
	w.refresh()
	w.contentFindings()
	if len(w.errs) > 0 {
		return nil, errors.Join(w.errs...)
	}
	w.finish(out)
	return w.plan, nil
}

// read goes through the documents once.
func (w *work) read(ctx context.Context, text []byte) error {
	r := manifest.NewReader(text)
	for {
		if w.plan.Read.Documents&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		d, err := r.Next()
		if err != nil {
			return w.places.Move(err)
		}
		if d == nil {
			return nil
		}
		w.plan.Read.Documents++
		if w.opts.Watch != nil {
			if err := w.opts.Watch(d); err != nil {
				return w.places.Move(err)
			}
		}
		w.document(d)
	}
}

func (w *work) document(d *manifest.Document) {
	relevant, unspliceable := false, false
	first := len(w.workloads)
	w.kept.of, w.kept.copy = d, nil
	for o := range d.Objects() {
		w.plan.Objects++
		w.plan.offsets = append(w.plan.offsets, o.Node.Offset())
		rows := w.table.Rows(o)
		if len(rows) == 0 && !w.index.Concerns(o.Kind) {
			continue
		}
		if !relevant {
			relevant = true
			w.duplicateKeys(d, o)
		}
		if _, again := w.index.Add(o, w.keep); again {
			w.find(diag.New(diag.DuplicateObject, o.String(), "the same object is in the input twice"), o.Node.Offset())
		}
		w.newMakers()
		unspliceable = w.workload(o, rows, d.Text(), -1) || unspliceable
	}
	if relevant {
		w.plan.Read.Relevant++
		if !d.Fast() {
			w.plan.Read.Library++
		}
	}
	if unspliceable {
		w.rewrite(d, first)
	}
}

func (w *work) duplicateKeys(d *manifest.Document, o manifest.Object) {
	for _, n := range d.Duplicates() {
		w.find(diag.New(diag.DuplicateKey, o.String(), "key "+quote(n.Text())+" is written twice").WithKey(n.Text()), n.Offset())
	}
}

// workload takes an object that holds pod templates. It reports whether one of them cannot be spliced.
func (w *work) workload(o manifest.Object, rows []*refs.Kind, text []byte, doc int) (unspliceable bool) {
	if len(rows) == 0 {
		return false
	}
	wl := w.begin(o) // also where it holds no template: a Rollout may take another workload's
	w.workloads = append(w.workloads, wl)
	w.follow(o, rows[0])
	for _, row := range rows {
		for _, t := range w.table.Find(o, row) {
			refers := len(t.References) > 0
			for _, odd := range t.Malformed {
				w.find(diag.New(diag.BadReference, o.String(), odd.Problem), odd.Offset)
			}
			mode := w.mode(o, t, row, refers)
			one := template{references: t.References, document: doc, offset: o.Node.Offset(), forUser: mode == stampForUser,
				fixed: doc >= 0 || !o.Node.Document().Fast()}
			if w.opts.Resolver != nil || mayNameVault(o.Node) {
				one.named = sources.InPod(t.Node)
			}
			if mode != leaveAlone {
				s, err := splice.Locate(t.Node, t.Annotations, claimForeign(w.settings.Foreign))
				var shape *splice.ShapeError
				bad := errors.As(err, &shape)
				switch {
				case bad && refers:
					problem := cmp.Or(strings.Join(shape.Path, "."), "the place for stamps") + " is not a mapping"
					w.find(diag.New(diag.BadTemplate, o.String(), problem), t.Node.Offset())
				case bad:
				case err == nil:
					one.slot = s
					wl.Stamped = true
				default:
					unspliceable = true
				}
				if refers && !bad {
					w.rolloutFindings(o)
				}
			}
			wl.live = w.live(o, t)
			wl.templates = append(wl.templates, one)
		}
	}
	return unspliceable
}

func (w *work) begin(o manifest.Object) *workload {
	wl := &workload{}
	wl.Kind, wl.Namespace, wl.Name = o.Kind, o.Namespace, o.Name
	wl.Position = w.places.At(o.Node.Offset())
	return wl
}

// rewrite makes new text for a document in which stamps cannot be spliced, and plans its workloads again in that text.
// Kubernetes' own library writes it, so that every value is what Kubernetes would have read.
func (w *work) rewrite(d *manifest.Document, first int) {
	n, err := splice.Reencode(d)
	if err != nil {
		w.errs = append(w.errs, w.places.Move(err))
		return
	}
	old := w.workloads[first:]
	w.workloads = slices.Clone(w.workloads[:first])
	w.documents = append(w.documents, document{start: d.Start, end: d.End, text: n.Text()})
	found := w.plan.Findings // and nothing is found a second time
	var bad []string
	for o := range n.Objects() {
		if rows := w.table.Rows(o); len(rows) > 0 && w.workload(o, rows, n.Text(), len(w.documents)-1) {
			bad = append(bad, o.String())
		}
	}
	w.plan.Findings = found
	for _, object := range bad {
		w.find(diag.New(diag.BadTemplate, object, "what stands in the place of a stamp is no string"), d.Start)
	}
	for i, wl := range w.workloads[first:] {
		wl.comesFrom(old[i])
	}
}

// comesFrom takes over the positions that a workload has in the text that came in. Its templates may stand in another order there.
func (wl *workload) comesFrom(old *workload) {
	wl.Position = old.Position
	if len(old.templates) == 0 {
		return
	}
	for k := range wl.templates {
		t := &wl.templates[k]
		t.offset = old.templates[0].offset
		for i := range t.references {
			t.references[i].Offset = old.offsetOf(&t.references[i])
		}
	}
}

func (wl *workload) offsetOf(r *refs.Reference) int {
	for _, t := range wl.templates {
		for _, o := range t.references {
			if o.Kind == r.Kind && o.Name == r.Name && o.Form == r.Form && o.Optional == r.Optional && slices.Equal(o.Keys, r.Keys) {
				return o.Offset
			}
		}
	}
	return wl.templates[0].offset
}

// finish puts the edits in order and sorts what is reported.
func (w *work) finish(out *render.Output) {
	p := w.plan
	for _, d := range w.documents {
		if len(d.edits) == 0 {
			continue // nothing to stamp: the document stays as it came
		}
		splice.Sort(d.edits)
		p.edits = append(p.edits, splice.Edit{Start: d.start, End: d.end, Text: string(splice.Bytes(d.text, d.edits))})
		w.find(diag.New(diag.Reencoded, "", "the document was written anew"), d.start)
	}
	splice.Sort(p.edits)
	if w.unkeyed > 0 {
		p.Findings = append(p.Findings, diag.New(diag.UnkeyedSecret, "", diag.Count(w.unkeyed, "digest")+" of Secrets without a hash key"))
	}
	if p.Objects == 0 {
		p.Findings = append(p.Findings, diag.New(diag.NoObjects, "", "the input holds no object"))
	}
	p.Workloads = make([]plan.Workload, 0, len(w.workloads))
	for _, wl := range w.workloads {
		p.Workloads = append(p.Workloads, wl.Workload)
	}
	p.Findings = diag.Sort(append(p.Findings, out.Findings...))
}

func (w *work) find(f diag.Finding, offset int) diag.Finding {
	f = f.At(w.places.At(offset))
	w.plan.Findings = append(w.plan.Findings, f)
	return f
}

func quote(s string) string { return `"` + strings.ToValidUTF8(s, "?") + `"` }
