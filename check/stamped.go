package check

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// FindUnstamped returns a finding for each object that stamping with the key would change: they were expected to be
// stamped already.
func FindUnstamped(ctx context.Context, r *pipeline.Result, key *hashing.Key) ([]diag.Finding, error) {
	before := r.Output.Rendered().Text
	if r.Output.IsEdited() && (shape.IsMarked(before) || shape.IsMarked(r.Output.Text)) {
		return findUnlike(ctx, r, before, key)
	}
	var found []diag.Finding
	both := &stampedTwice{result: r, start: -1}
	err := eachTouched(r, func(d *manifest.Document, o manifest.Object, at diag.Position) {
		w := workloadOf(r.Plan, o)
		f := both.staleness(d, o, w, key)
		if f.Code == diag.StampMissing && w != nil {
			f = besideCiphertext(f, w, textOf(d, o))
		}
		found = append(found, f.At(at))
	})
	return found, err
}

// eachTouched calls visit with each object that stamping changes, the document that holds it, and its position.
func eachTouched(r *pipeline.Result, visit func(*manifest.Document, manifest.Object, diag.Position)) error {
	positions, edits, n := r.Objects.Positions(), r.Text.Edits, 0
	for reader := manifest.NewReader(r.Text.Text); len(edits) > 0; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return err
		}
		last := slices.IndexFunc(edits, func(e splice.Edit) bool { return e.End > d.End })
		if last < 0 {
			last = len(edits)
		}
		within := edits[:last]
		edits = edits[last:]
		for o := range d.Objects() {
			if n < len(positions) && isTouched(d, o, within) {
				visit(d, refs.PutIn(r.Output.Namespace, o), positions[n])
			}
			n++
		}
	}
	return nil
}

// findUnlike returns a finding for each object that stamping would make another one of, add or take out, where stamping
// also adds to what it reads: then edits say nothing, because what was added before goes first.
func findUnlike(ctx context.Context, r *pipeline.Result, text []byte, key *hashing.Key) ([]diag.Finding, error) {
	var found []diag.Finding
	before, err := ReadManifests(text, r.Output.Namespace)
	if err != nil {
		return nil, err
	}
	after, err := ReadManifests(r.Text.Bytes(), r.Output.Namespace)
	if err != nil {
		return nil, err
	}
	places := map[string]diag.Position{}
	err = r.EachObject(ctx, func(o manifest.Object, at diag.Position) {
		places[manifest.Describe(o.Kind, cmp.Or(o.Namespace, r.Output.Namespace), o.Name)] = at
	})
	unchecked := key == nil && bytes.Contains(text, []byte(hashing.KeyedPrefix))
	for _, id := range sortedObjects(before, after) {
		f := diag.New(diag.StampMissing, id.String(),
			"its stamps, or what is added to it, are not those of its configuration as it is now")
		switch {
		case slices.Equal(before[id], after[id]):
			continue
		case len(before[id]) == 0:
			f.Message = "stamping with this configuration adds it"
		case len(after[id]) == 0:
			f.Message = "stamping with this configuration takes it out"
		case unchecked:
			f = diag.New(diag.StampUnchecked, id.String(), uncheckedStamps)
		}
		found = append(found, f.At(places[id.String()]))
	}
	return found, err
}

// uncheckedStamps is what is reported where the hash key is missing.
const uncheckedStamps = "its stamps have keyed digests, and this run has no hash key: they cannot be checked"

// isTouched reports whether one of a document's edits is an object's.
func isTouched(d *manifest.Document, o manifest.Object, edits []splice.Edit) bool {
	start, end := o.Node.Offset(), o.Node.End()
	if o.Node.SameAs(d.Root()) {
		start, end = d.Start, d.End
	}
	return slices.ContainsFunc(edits, func(e splice.Edit) bool { return e.Start >= start && e.Start <= end })
}

// staleness returns what is wrong with the stamps of an object, for which a workload is planned where it is one.
func (b *stampedTwice) staleness(
	d *manifest.Document, o manifest.Object, w *plan.Workload, key *hashing.Key,
) diag.Finding {
	text := textOf(d, o)
	switch {
	case !b.mayBeIn(text):
		return diag.New(diag.StampMissing, o.String(), "it is not stamped")
	case key == nil && bytes.Contains(text, []byte(hashing.KeyedPrefix)):
		return diag.New(diag.StampUnchecked, o.String(), uncheckedStamps)
	}
	before, after := b.of(d, o)
	message := "its stamps are not those of its configuration as it is now"
	differ := before.differing(after)
	if slices.ContainsFunc(differ, func(at string) bool { return hashing.IsKeyed(before[at]) }) {
		message += ", or are of another hash key or domain"
	}
	for i, at := range differ {
		differ[i] = nameOf(at) + b.about(o, at, before, w)
	}
	if len(differ) > 0 {
		message += ": " + strings.Join(slices.Compact(differ), ", ")
	}
	return diag.New(diag.StampMissing, o.String(), message)
}

// about returns what is to be said of a stamp behind its name: that it is no digest, or what it is of, where its name
// does not say so.
func (b *stampedTwice) about(o manifest.Object, at string, before stamps, w *plan.Workload) string {
	name := nameOf(at)
	switch {
	case before[at] == "" && hasAnnotation(o.Node, name):
		return " (its value is no digest)"
	case w == nil || name != b.result.Plan.Prefix.Combined() && name != hashing.CombinedVariable:
		return ""
	}
	var of, lacking []string
	for i := range w.References {
		r := &w.References[i]
		object := manifest.Describe(r.Kind, r.Namespace, r.Name)
		switch {
		case r.Digest != "":
			of = append(of, object)
		case r.Source == objects.Absent && !r.Optional:
			lacking = append(lacking, object)
		}
	}
	if len(of) == 0 {
		return ""
	}
	out := " (of " + strings.Join(of, ", ")
	if len(lacking) > 0 {
		out += "; not in the input: " + strings.Join(lacking, ", ")
	}
	return out + ")"
}

// hasAnnotation reports whether a node has a key anywhere below it.
func hasAnnotation(n manifest.Node, key string) bool {
	switch {
	case n.IsMap():
		for k, v := range n.Entries() {
			if k.Field() == key || hasAnnotation(v, key) {
				return true
			}
		}
	case n.IsSeq():
		for v := range n.Items() {
			if hasAnnotation(v, key) {
				return true
			}
		}
	}
	return false
}

// workloadOf returns what is planned for an object; nil where that is nothing.
func workloadOf(p *plan.Plan, o manifest.Object) *plan.Workload {
	for i := range p.Workloads {
		w := &p.Workloads[i]
		if w.Kind == o.Kind && w.Name == o.Name && (o.Namespace == "" || w.Namespace == o.Namespace) {
			return w
		}
	}
	return nil
}

// besideCiphertext returns what is known of stamps that are others: nothing, where all are of encrypted objects, of
// which what made the stamps knew more than this run.
func besideCiphertext(f diag.Finding, w *plan.Workload, text []byte) diag.Finding {
	encrypted, severity := "", diag.Info
	for i := range w.References {
		r := &w.References[i]
		opaque := r.Ciphertext || r.Variables
		if !bytes.Contains(text, []byte(r.Annotation)) || !opaque && !bytes.Contains(text, []byte(r.Digest)) {
			return f
		}
		if opaque && encrypted == "" {
			encrypted = manifest.Describe(r.Kind, r.Namespace, r.Name)
		}
		if r.Ciphertext {
			severity = f.Severity // the keys may be given
		}
	}
	if encrypted == "" {
		return f
	}
	f = diag.New(diag.StampUnchecked, f.Object, "its stamps are not those of "+encrypted+" as it is here, encrypted: "+
		"they may be those of what is applied, which is not known to this run, and cannot be checked")
	f.Severity = severity
	f.Hint = "Pass --open-sops or --sealing-key-file, and the hash key, as the command that stamped had them; " +
		"variables in what was decrypted are substituted by nobody here."
	return f
}

// textOf returns the text of an object in its document.
func textOf(d *manifest.Document, o manifest.Object) []byte {
	if o.Node.End() == 0 {
		return d.Bytes()
	}
	return d.Text()[o.Node.Offset():max(o.Node.End(), o.Node.Offset())]
}
