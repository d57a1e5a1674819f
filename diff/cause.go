package diff

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// causes returns why the template of a workload is another one.
type causes struct {
	old, now      *inventory
	configs       *configs
	pair          pair
	before, after map[string]*plan.Reference // by the name of the annotation, behind its prefix
	prefixes      prefixes
	unstable      map[string]bool // places of the template
}

func newCauses(old, now *inventory, c *configs, p pair, unstable map[string]bool) *causes {
	prefixes := prefixes{old: old.prefix, now: now.prefix, asIs: old.asIs || now.asIs}.of(p)
	return &causes{old: old, now: now, configs: c, pair: p, prefixes: prefixes, unstable: unstable,
		before: prefixes.references(p.old), after: prefixes.references(p.now)}
}

// references returns the references that annotations and variables of ours are about, by the names of these.
func (p prefixes) references(o *object) map[string]*plan.Reference {
	out := map[string]*plan.Reference{}
	if o.workload == nil {
		return out
	}
	for i := range o.workload.References {
		r := &o.workload.References[i]
		name := p.name(r.Annotation)
		if name == "" || name == hashing.CombinedName {
			name = p.name(p.now.Annotation("", r.Kind, r.Name))
		}
		if out[name] == nil {
			out[name] = r
		}
		for _, name := range r.Phantoms {
			out[name] = r
		}
		v := r.Variable
		if v == "" && p.asIs {
			v = hashing.Variable(r.Kind, r.Name)
		}
		if v != "" && v != hashing.CombinedVariable && out[v] == nil && r.Phantoms == nil {
			out[v] = r
		}
	}
	return out
}

// of returns what a changed place of the pod template means.
func (c *causes) of(f FieldChange) Cause {
	name, isStamp := c.prefixes.stamp(f.Path)
	if isStamp && name == hashing.RestartName {
		return Cause{Reason: Requested, Path: f.Path, Change: f.Change, From: f.From, To: f.To, File: c.now.lock}
	}
	if isStamp {
		return c.ofStamp(f, name)
	}
	if d := c.renameOf(f); d != nil {
		return generatedCause(d)
	}
	if annotation, ok := c.suffixOf(&f); ok {
		out := c.ofReference(f, annotation)
		out.Path, out.From, out.To = "", "", ""
		return out
	}
	out := Cause{Reason: Template, Path: strings.TrimPrefix(f.Path, "spec."), Change: f.Change, From: f.From, To: f.To,
		Item: f.Item, File: c.pair.now.File, Line: c.pair.now.Line}
	if f.Hidden {
		out.From, out.To = isSecret, isSecret
		if f.Change == Modification {
			out.To = isNewSecret
		}
	}
	switch {
	case c.unstable[f.Path]:
		out.Noise, out.Why = true, isRandom
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

// renameOf returns the generated object whose new name a change is.
func (c *causes) renameOf(f FieldChange) *delta {
	if f.Change != Modification {
		return nil
	}
	from, ok := generated.Base(f.From)
	to, ok2 := generated.Base(f.To)
	if !ok || !ok2 || from != to {
		return nil
	}
	return c.configs.rename([]string{"ConfigMap", "Secret"}, f.From, f.To)
}

// suffixOf returns the annotation that a reference would have whose object has another name on the new side, because
// that carries its digest on either. A name that begins or ceases to do so is stamped in a way that is new.
func (c *causes) suffixOf(f *FieldChange) (annotation string, ok bool) {
	if f.Change != Modification {
		return "", false
	}
	for annotation, now := range c.after {
		before := c.before[annotation]
		if before == nil || before.Renamed == "" && now.Renamed == "" ||
			f.From != cmp.Or(before.Renamed, before.Name) || f.To != cmp.Or(now.Renamed, now.Name) {
			continue
		}
		if before.Renamed == "" || now.Renamed == "" {
			f.Change = Addition
		}
		return annotation, true
	}
	return "", false
}

func generatedCause(d *delta) Cause {
	return Cause{Reason: Config, Object: d.causeName(), Keys: d.keys, File: d.now.File, Line: d.now.Line}
}

// ofStamp returns why a stamp of ours changed, appeared or was removed. Where a name carries the digest from now on, or
// no longer, that is a change of its own.
func (c *causes) ofStamp(f FieldChange, name string) Cause {
	before, now := c.before[name], c.after[name]
	if before == nil || now == nil ||
		(f.Change != Removal || now.Renamed == "") && (f.Change != Addition || before.Renamed == "") {
		return c.ofReference(f, name)
	}
	f.Change = Addition
	out := c.ofReference(f, name)
	out.Path, out.From, out.To = "", "", ""
	return out
}

// ofReference returns why a stamp changed, appeared or was removed that holds the digest which has an annotation of its
// own, or would have.
func (c *causes) ofReference(f FieldChange, name string) Cause {
	before, now := c.counterparts(name)
	out := Cause{Reason: Config, Path: f.Path, Change: f.Change, From: f.From, To: f.To}
	ref := cmp.Or(now, before)
	if ref == nil {
		out.Object = name
		return out
	}
	if d := c.configs.renamed[[2]string{ref.Kind, ref.Name}]; d != nil {
		if d.isRandomName() && len(d.keys) == 0 {
			return Cause{Reason: Template, Path: f.Path, Change: f.Change, Noise: true, Why: isRandom}
		}
		return generatedCause(d)
	}
	out.Object = ref.Kind + " " + ref.Name
	out.Via = viaOf(ref)
	old, current := c.old.source(before), c.now.source(now)
	if at := cmp.Or(current, old); at != nil {
		out.File, out.Line = at.File, at.Line
	}
	versions := versionChanges(before, now)
	if len(versions) > 0 && c.now.lock != "" {
		out.File, out.Line = c.now.lock, 0
	}
	out.Keys = slices.Concat(scopeChanges(before, now), c.inScope(before, now, old, current), versions)
	c.addOutside(&out, before, now, old == nil && current == nil)
	slices.SortFunc(out.Keys, compareKeys)
	switch {
	case before == nil || now == nil:
	case out.ofCopy(before, now, old):
	case c.isWrittenElsewhere(before, now) && f.Change != Modification && len(out.Keys) == 0:
		out.Reason, out.Path, out.From, out.To = First, "", "", ""
		out.Change, out.Why = Addition, "settings have its digest written in another way"
	case f.Change == Removal && needsNoStamp(now) != "":
		out.Reason, out.Why = Uncounted, needsNoStamp(now)
	case f.Change == Removal && (c.isLeftOut(now) || c.isSame(old, before) && now.Source == objects.Absent):
		out.Reason = Uncounted
	case f.Change == Addition && c.isSame(current, now) && before.Source == objects.Absent:
		out.Reason = First
	case c.now.context.lost(before, now):
		out.Exists = Removal
	case old != nil && current == nil && now.Source == objects.Absent:
		out.Exists, out.Why = Removal, old.stays()
	case old == nil && current != nil && before.Source == objects.Absent:
		out.Exists = Addition
	case f.Change == Addition && len(out.Keys) == 0:
		out.Reason = First
	case f.Change == Removal && c.now.takenOut[c.pair.now.id()]:
		out.Why = noStamp // and, with keys, these
		if len(out.Keys) == 0 {
			out.Reason = Uncounted
		}
	case f.Change == Removal && len(out.Keys) == 0:
		out.Reason = Uncounted
	case len(out.Keys) == 0:
		out.Why = c.restampedBy(f, before, now)
	}
	return out
}

// restampedBy returns why a stamp is another one, where no key is known to have changed; "" for what is not known.
func (c *causes) restampedBy(f FieldChange, before, now *plan.Reference) string {
	isOther := f.From != before.Digest // an earlier run wrote it
	switch {
	case c.isRestamped(before, now):
		return restamped
	case isOther && hashing.IsKeyed(f.From) && hashing.IsKeyed(f.To) && now.Sealed:
		return "what is read of it changed, or its stamp is of the values and this run has the ciphertext; with " +
			"secrets: {sealed: values} such a run leaves the stamp as it is"
	case isOther && hashing.IsKeyed(f.From) && hashing.IsKeyed(f.To) && now.Ciphertext:
		return "what is read of it changed, or its stamp is of the values and this run has the ciphertext"
	case f.Hidden && before.Digest == now.Digest && hashing.IsKeyed(now.Digest): // what could be guessed is hidden
		return "its digest is keyed from now on: the hash key is new"
	case isOther && hashing.IsKeyed(f.From) && hashing.IsKeyed(f.To):
		return "what is read of it changed, or the hash key did"
	}
	return ""
}

// ofCopy takes that what a reference is to was a copy, and is none any more, or one of what is not here any more.
func (out *Cause) ofCopy(before, now *plan.Reference, old *object) bool {
	switch {
	case isCopied(before) && now.Source == objects.Absent:
		if out.Exists = Removal; old != nil {
			out.Why = old.stays()
		}
	case now.Origin.Name != "" && before.Origin != now.Origin && len(out.Keys) == 0:
		out.Why = manifest.Describe(now.Kind, now.Origin.Namespace, now.Origin.Name) +
			", of which it is a copy, is not in this application any more"
	default:
		return false
	}
	return true
}

// counterparts returns the references that a stamp is about on the two sides. Where settings have digests written in
// another way, its name is known on one of them only.
func (c *causes) counterparts(name string) (before, now *plan.Reference) {
	before, now = c.before[name], c.after[name]
	switch {
	case before == nil && now != nil:
		before = sameReference(c.before, now)
	case now == nil && before != nil:
		now = sameReference(c.after, before)
	}
	return before, now
}

func sameReference(in map[string]*plan.Reference, of *plan.Reference) *plan.Reference {
	for _, r := range in {
		if r.Kind == of.Kind && r.Namespace == of.Namespace && r.Name == of.Name {
			return r
		}
	}
	return nil
}

// isWrittenElsewhere reports whether a digest is written on both sides, and not in the same place: in an annotation, a
// variable or the name of the object.
func (c *causes) isWrittenElsewhere(before, now *plan.Reference) bool {
	place := func(o *object, r *plan.Reference) string {
		switch {
		case !o.workload.Stamped || r.Digest == "" || r.Held != "" && r.Stamp == "":
			return ""
		case r.Renamed != "":
			return "name"
		}
		return r.Annotation + r.Variable
	}
	was, is := place(c.pair.old, before), place(c.pair.now, now)
	return was != "" && is != "" && was != is
}

// needsNoStamp returns why a reference has none that had one, where it is looked after without; "" where it is not.
func needsNoStamp(r *plan.Reference) string {
	switch {
	case r.IsHeldUnstamped():
		return "its line in the lock adopts the content without a stamp"
	case slices.ContainsFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.RolledByName }):
		return "its name changes with its content"
	}
	return ""
}

// isLeftOut reports whether settings or an annotation leave what the reference is to out of the stamps of the workload.
func (c *causes) isLeftOut(r *plan.Reference) bool {
	return !c.pair.now.workload.Stamped ||
		slices.ContainsFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.Ignored })
}

// isRestamped reports whether the source has another stamp of what is the same on both sides.
func (c *causes) isRestamped(before, now *plan.Reference) bool {
	return c.now.standing[c.pair.now.id()] && before.Digest != "" && before.Digest == now.Digest
}

// isSame reports whether a producer that a reference leads to is written alike on both sides: what it is taken for is
// a matter of settings.
func (c *causes) isSame(producer *object, r *plan.Reference) bool {
	if producer == nil || !strings.Contains(r.Source, "/") {
		return false
	}
	old, now := c.old.by[producer.id()], c.now.by[producer.id()]
	return old != nil && now != nil && bytes.Equal(old.text(), now.text())
}
