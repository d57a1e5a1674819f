package stamp

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// readWorkload reads an object of a kind that holds pod templates. It reports whether all of them can be stamped in
// place. document is the index of the one that is encoded again, or inPlace where the text is the render's.
func (r *reader) readWorkload(o manifest.Object, rows []*refs.Kind, document int32) (spliced bool) {
	namespace := cmp.Or(o.Namespace, r.in.index.Namespace())
	r.follow(o, rows[0], namespace)
	w := &workload{kind: o.Kind, namespace: namespace, name: o.Name, offset: o.Node.Offset(),
		position: r.positions.At(o.Node.Offset())}
	verdicts := policy.Workload{Object: o, Namespace: namespace, Settings: r.settings, Report: r.report,
		IsRelease: r.in.out.IsRelease}
	spliced = true
	for _, row := range rows {
		for _, found := range r.in.table.Find(o, row) {
			for _, m := range found.Malformed {
				r.add(diag.New(diag.BadReference, o.String(), m.Problem), m.Offset)
			}
			phantoms := r.readPhantoms(o, &found)
			renamed := r.renameReferences(o, found.References)
			verdict := verdicts.Mode(found, row)
			groupByObject(found.References)
			w.templates = append(w.templates, template{references: found.References, document: document,
				followed: verdict == policy.IfFollowed, unstable: r.unstablePaths(&verdicts, row, found.Node),
				fixed: renamed || document != inPlace || !o.Node.Document().Fast(),
				ours:  verdicts.Annotations(found), phantoms: phantoms})
			t := &w.templates[len(w.templates)-1]
			asked := compat.Workload{Object: o, Namespace: namespace, Template: found.Node, Report: compat.Report(r.report)}
			t.rules, t.retained = r.tools.Read(&asked), r.retain(&asked)
			if r.asks || mayNameVault(o.Node) {
				t.named = r.withoutExcluded(o, t.rules, r.choose(objects.InPod(found.Node)))
			}
			if verdict != policy.Excluded {
				t.way, t.combined, t.all = verdicts.Strategy(found), verdicts.Combined(), verdicts.AllContainers()
				located := r.locate(o, found, t)
				spliced = spliced && located
				w.stamped = w.stamped || t.isWritten()
			}
			w.live = verdicts.Live(found)
			w.manual, w.rank = verdicts.Manual(), verdicts.Rank()
		}
	}
	r.in.workloads = append(r.in.workloads, w) // also where it holds no template: a Rollout may take another workload's
	return spliced
}

// renameReferences changes references to the names that objects will have, and reports whether it changed any.
func (r *reader) renameReferences(by manifest.Object, references []refs.Reference) (renamed bool) {
	if r.rename == nil {
		return false
	}
	for i := range references {
		name := r.rename(by, references[i].Kind, references[i].Name)
		renamed = renamed || name != references[i].Name
		references[i].Name = name
	}
	return renamed
}

// choose marks what counts by its manifest, by a rule of the configuration.
func (r *reader) choose(named []objects.RemoteRef) []objects.RemoteRef {
	if r.asks && len(r.settings.SecretRules.Value) > 0 {
		for i := range named {
			_, named[i].Answer.ByManifest = r.settings.ByManifest(&named[i].Ref.Store, "", "", "")
		}
	}
	return named
}

// withoutExcluded returns what a pod template takes from Vault by itself, or nothing where another tool's annotations
// leave it out.
func (r *reader) withoutExcluded(o manifest.Object, rules compat.Rules, named []objects.RemoteRef) []objects.RemoteRef {
	if len(rules) == 0 || len(named) == 0 {
		return named
	}
	why := rules.Excludes(&compat.Candidate{Kind: sources.Vault, Name: o.Name, Index: r.in.index})
	if why == "" {
		return named
	}
	r.add(diag.New(diag.Ignored, o.String(), "what the pod template takes from Vault is left out: "+why), o.Node.Offset())
	return nil
}

// follow records the workload that an object takes its template from: a change there makes a rollout, whatever kind
// it is.
func (r *reader) follow(o manifest.Object, row *refs.Kind, namespace string) {
	if row.Follows == nil {
		return
	}
	if ref := o.Node.At(row.Follows...); ref.IsMap() {
		if r.followed == nil {
			r.followed = map[followed]bool{}
		}
		kind, name := ref.Get("kind").StringValue(), ref.Get("name").StringValue()
		if r.rename != nil {
			name = r.rename(o, kind, name)
		}
		r.followed[followed{kind, namespace, name}] = true
	}
}

// mayNameVault reports whether the text of a workload can name a place in Vault. Hardly any does, and looking costs
// less than a walk.
func mayNameVault(n manifest.Node) bool {
	if n.End() == 0 {
		return true
	}
	text := n.Document().Text()[n.Offset():n.End()]
	return bytes.Contains(text, []byte("vault")) || bytes.Contains(text, []byte("bao:"))
}

// locate finds where stamps of a template go. It reports false where the document has to be encoded again for that.
func (r *reader) locate(o manifest.Object, found refs.Template, t *template) bool {
	refers := len(found.References) > 0
	at := location{Template: found, prefix: r.prefix, clone: r.retained, claim: r.claim, key: r.key}
	located, err := r.locateWay(at, t)
	if err == nil {
		located, err = r.withAdopted(located, o, at, t)
	}
	if err == nil {
		located, err = withPhantoms(located, at, t.phantoms)
	}
	var shape *splice.ShapeError
	if errors.As(err, &shape) {
		if refers {
			problem := cmp.Or(strings.Join(shape.Path, "."), "the place for stamps") + " is not a mapping"
			r.add(diag.New(diag.BadTemplate, o.String(), problem), found.Node.Offset())
		}
		return true
	}
	if refers {
		r.rollout(o)
	}
	if err != nil {
		return false
	}
	t.strategy = located
	return true
}

// locateWay finds where stamps of a template go in the way that it asks for, and those of before.
func (r *reader) locateWay(at location, t *template) (strategy, error) {
	at.way, at.combined, at.all = t.way, t.combined, t.all
	located, err := templateStrategyOf(t).locate(at)
	if err == nil && r.variables && t.way != config.StrategyEnv {
		return withoutVariables(located, at)
	}
	return located, err
}

// rollout reports what keeps a changed template from restarting pods at once.
func (r *reader) rollout(o manifest.Object) {
	if o.Node.At("spec", "paused").IsTrue() {
		r.add(diag.New(diag.Paused, o.String(), "the workload is paused"), o.Node.Offset())
	}
	if o.Node.At("spec", "updateStrategy", "type").Text() == "OnDelete" {
		r.add(diag.New(diag.OnDelete, o.String(), "the update strategy is OnDelete"), o.Node.Offset())
	}
}

// reencode encodes a document again in which stamps cannot be spliced, and reads its workloads again from that text.
// Kubernetes' own library writes it, so that every value is what Kubernetes would have read.
func (r *reader) reencode(d *manifest.Document, first int) {
	n, err := splice.Reencode(d)
	if err != nil {
		r.in.errs = append(r.in.errs, r.positions.Move(err))
		return
	}
	old := r.in.workloads[first:]
	r.in.workloads = slices.Clone(r.in.workloads[:first])
	construct, at := d.Construct()
	r.in.documents = append(r.in.documents, document{
		start: d.Start, end: d.End, text: n.Text(), hasComments: hasComments(d.Text()[d.Root().Offset():d.End]),
		construct: construct, at: at,
	})
	reported := r.list // and nothing is reported a second time
	var bad []string
	for o := range n.Objects() {
		rows := r.in.table.Rows(o)
		if len(rows) > 0 && !r.readWorkload(o, rows, int32(len(r.in.documents)-1)) {
			bad = append(bad, o.String())
		}
	}
	r.list = reported
	for _, object := range bad {
		r.add(diag.New(diag.BadTemplate, object, "what is written where a stamp goes is no string"), d.Start)
	}
	for i := range old {
		r.in.workloads[first+i].comesFrom(old[i])
	}
}

// comesFrom takes over the positions of a workload in the original text. Its templates may be in another order there.
func (w *workload) comesFrom(original *workload) {
	w.position, w.offset = original.position, original.offset
	for k := range w.templates {
		t := &w.templates[k]
		t.rules.MoveTo(original.offset)
		for i := range t.references {
			t.references[i].Offset = original.offsetOf(&t.references[i])
		}
	}
}

// offsetOf returns where a workload has a reference.
func (w *workload) offsetOf(r *refs.Reference) int {
	for _, t := range w.templates {
		for _, o := range t.references {
			if o.Kind == r.Kind && o.Name == r.Name && o.Form == r.Form && o.Optional == r.Optional &&
				slices.Equal(o.Keys, r.Keys) {
				return o.Offset
			}
		}
	}
	return w.offset
}

// hasComments reports whether a line of a document begins with a comment, or has one after a blank. What is between
// quotes may look like one.
func hasComments(document []byte) bool {
	for line := range bytes.Lines(document) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("#")) || bytes.Contains(line, []byte(" #")) {
			return true
		}
	}
	return false
}
