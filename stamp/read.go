package stamp

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Read goes through the documents of a render once: what its objects are, what its workloads refer to, and where
// their stamps go. The error is about text that is no YAML.
func Read(ctx context.Context, out *render.Output, opts Options) (*Input, error) {
	r := newReader(out, opts)
	if err := r.lookUp(ctx, out.Context); err != nil {
		return nil, err
	}
	if err := r.readSecondTemplates(ctx); err != nil {
		return nil, err
	}
	if err := r.readText(ctx, opts.Watch); err != nil {
		return nil, err
	}
	r.markRandomNames()
	r.addNamed()
	r.findPhantoms()
	r.excludeUnfollowed()
	r.reportKindless()
	r.in.findings = r.list
	return r.in, nil
}

// lookUp reads what can be looked up. Nothing of it is stamped.
func (r *reader) lookUp(ctx context.Context, all []*render.Output) error {
	if len(all) == 0 {
		return nil
	}
	index := r.in.index.NewContext()
	for _, c := range all {
		if err := addContext(index, c, c.Text, c.LookedUp); err != nil {
			return fmt.Errorf("read the context: %w", render.NewPlaces(c.Text, c.Origins).Move(err))
		}
	}
	return ctx.Err()
}

// addContext adds the objects of these parts of a text that is the render of something to look objects up in; nil is
// all of it. Those that name no namespace lie in that of the render, and where a chart shows a stand-in for one, it is
// not known.
func addContext(index *objects.Index, of *render.Output, text []byte, parts []render.Span) error {
	if parts == nil {
		parts = []render.Span{{End: len(text)}}
	}
	for _, part := range parts {
		if err := addDocuments(index, of, manifest.NewReaderBetween(text, part.Start, part.End)); err != nil {
			return err
		}
	}
	return nil
}

func addDocuments(index *objects.Index, of *render.Output, reader *manifest.Reader) error {
	for {
		d, err := reader.Next()
		if err != nil || d == nil {
			return err
		}
		clone, embedded := sync.OnceValue(d.Clone), embeddedIn(of, d)
		for o := range d.Objects() {
			if !index.Concerns(o) || IsEarlier(o) {
				continue
			}
			o.Namespace = namespaceIn(o, of)
			index.AddWith(o, clone, objects.About{Embedded: embedded, Left: leftOf(of, o)})
		}
	}
}

// namespaceIn returns the namespace of an object of a render: its own, else that of the render. Where a chart shows a
// stand-in for one, it is "", not known.
func namespaceIn(o manifest.Object, of *render.Output) string {
	isStandIn := o.Namespace == render.DefaultNamespace && of.Namespace == "" && of.Kind != render.KindPlain
	if o.Namespace == "" || isStandIn {
		return of.Namespace
	}
	return o.Namespace
}

// readText reads each document of the render.
func (r *reader) readText(ctx context.Context, watch func(*manifest.Document) error) error {
	text := manifest.NewReader(r.in.out.Text)
	for {
		if r.in.reading.Documents&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		d, err := text.Next()
		if err != nil {
			return r.positions.Move(err)
		}
		if d == nil {
			return nil
		}
		r.in.reading.Documents++
		if watch != nil {
			if err := watch(d); err != nil {
				return r.positions.Move(err)
			}
		}
		r.readDocument(d)
	}
}

func (r *reader) readDocument(d *manifest.Document) {
	relevant, spliced := false, true
	first := len(r.in.workloads)
	r.document, r.clone = d, nil
	before, embedded := len(r.in.offsets), embeddedIn(r.in.out, d)
	for o := range d.Objects() {
		r.in.offsets = append(r.in.offsets, o.Node.Offset())
		if r.kept && IsEarlier(o) {
			r.in.kept = append(r.in.kept, r.keptDocument(d, o))
			continue
		}
		rows := r.in.table.Rows(o)
		if len(rows) == 0 && !r.in.index.Concerns(o) {
			continue
		}
		o = refs.PutIn(r.in.index.Namespace(), o)
		if !relevant {
			relevant = true
			r.duplicateKeys(d, o)
		}
		if r.ours && len(rows) == 0 {
			policy.ReportNames(o, r.report)
		}
		if len(rows) == 0 {
			r.tools.ReportObject(o, compat.Report(r.report))
		}
		about := objects.About{Embedded: embedded, Left: leftOf(r.in.out, o)}
		if _, again := r.in.index.AddWith(o, r.cloneOnce, about); again {
			r.add(diag.New(diag.DuplicateObject, o.String(), "the same object is in the input twice"), o.Node.Offset())
		}
		r.newProducers()
		if len(rows) > 0 {
			spliced = r.readWorkload(o, rows, inPlace) && spliced
		}
	}
	if len(r.in.offsets) == before {
		r.countKindless(d)
	}
	if relevant {
		r.in.reading.Relevant++
		if !d.Fast() {
			r.in.reading.Library++
		}
	}
	if !spliced {
		r.reencode(d, first)
	}
}

// countKindless counts a document that holds something and no object.
func (r *reader) countKindless(d *manifest.Document) {
	root := d.Root()
	switch {
	case !root.Valid() || root.Type() == manifest.Null:
		return
	case root.IsMap() && (root.Len() == 0 || root.Get("kind").StringValue() != ""):
		return
	}
	if r.kindless == 0 {
		r.firstKindless = root.Offset()
	}
	r.kindless++
}

// reportKindless reports the documents that are no objects, once.
func (r *reader) reportKindless() {
	if r.kindless == 0 {
		return
	}
	f := diag.New(diag.Skipped, "", diag.Count(r.kindless, "document")+" without a kind, which stays as it is")
	if r.kindless > 1 {
		f.Message = diag.Count(r.kindless, "document") + " without a kind, which stay as they are; this is the first"
	}
	f.Hint = "The API server would refuse it. A file of values or of another tool is left out with --exclude."
	if bytes.HasPrefix(r.in.out.Text[r.firstKindless:], []byte(files.PointerHead)) {
		f.Hint = "It is a pointer of Git LFS: git lfs pull fetches what it stands for."
	}
	r.add(f.AsNotice(), r.firstKindless)
}

func (r *reader) duplicateKeys(d *manifest.Document, o manifest.Object) {
	for _, n := range d.Duplicates() {
		r.add(diag.KeyTwice(o.String(), n.Text()), n.Offset())
	}
}

// newProducers looks at what the index has taken: where there are stamps. Later its
// text would have to be fetched into the processor's memory once more, which costs more than looking.
func (r *reader) newProducers() {
	all := r.in.index.Producers()
	for _, m := range all[r.checked:] {
		if path := m.Refresh(); path != nil && hasStamp(m.Node().At(path...), r.prefix) {
			if r.in.stamped == nil {
				r.in.stamped = map[*objects.Producer]bool{}
			}
			r.in.stamped[m] = true
		}
	}
	r.checked = len(all)
}

func hasStamp(annotations manifest.Node, prefix hashing.Prefix) bool {
	for k := range annotations.Entries() {
		if prefix.Has(k.Text()) {
			return true
		}
	}
	return false
}

// excludeUnfollowed takes the strategies of templates that are stamped only for a Rollout, where none takes them.
func (r *reader) excludeUnfollowed() {
	for _, w := range r.in.workloads {
		for k := range w.templates {
			t := &w.templates[k]
			if !t.followed || r.followed[followed{w.kind, w.namespace, w.name}] {
				continue
			}
			if len(t.references) > 0 {
				r.addAt(diag.New(diag.NotStamped, w.String(), policy.NotAskedReason(w.kind)), w.position)
			}
			t.strategy, w.stamped = nil, false
		}
	}
}
