package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// decideReference decides what counts of an object for a template, with its digest where there is one. whole has the
// objects whose digest of all that is in them is known; it is nil where
// none of these is wanted.
func decideReference(run *run, c *consumer, consumed *consumption, names renames,
	whole map[*objects.Object]string) decision {
	r := reference{run: run, consumer: c, group: consumed.references, object: consumed.object}
	r.describe(consumed.source)
	if consumed.excluded != "" {
		r.exclude(consumed.excluded)
		return r.out
	}
	_, known := whole[r.object]
	r.decide(names, whole != nil && !known && willRefresh(run, c, r.object, names))
	return r.out
}

// describe fills in what the references have.
func (r *reference) describe(source string) {
	first := &r.group[0]
	r.scope = r.scopeOf(readByPod)
	r.out.object, r.out.keep = r.object, true
	r.out.Reference = plan.Reference{Kind: first.Kind, Name: first.Name, Optional: true, Source: source,
		Namespace: cmp.Or(first.Namespace, r.consumer.workload.namespace)}
	r.out.annotated, r.out.elsewhere = r.annotatedName(first.Name), first.Namespace
	r.out.Forms = make([]string, len(r.group))
	for i := range r.group {
		g := &r.group[i]
		r.out.Forms[i] = string(g.Form)
		r.out.Optional = r.out.Optional && g.Optional
		r.volumeIssue(g)
	}
	slices.Sort(r.out.Forms)
	r.out.Forms = slices.Compact(r.out.Forms)
	if !r.scope.all && !r.scope.empty() {
		r.out.Keys = r.scope.keys
	}
	if source == objects.Absent || source == objects.Context {
		r.out.Required = requiredKeys(r.group)
	}
	if r.object != nil && r.object.Namespace != "" {
		r.out.Namespace = r.object.Namespace
	}
}

// scopeOf returns what counts of the object by the references that counts reports true of: all of it, where any key
// does that is to count for every other one.
func (r *reference) scopeOf(counts func(*refs.Reference) bool) scope {
	s := scopeOf(r.group, counts)
	if r.run.settings.Compat.WholeObjects.Value && !s.empty() {
		return scope{all: true}
	}
	return s
}

// exclude leaves the object without a digest, and an earlier one goes.
func (r *reference) exclude(why string) {
	r.out.keep, r.out.leftOut, r.out.Excluded = false, why, true
	what := manifest.Describe(r.out.Kind, r.out.Namespace, r.out.Name)
	r.noteHere(diag.Ignored, what+" is left out: "+why)
}

// decide reads the content and makes the digest. With whole, that of all that is in the object is made, too.
func (r *reference) decide(names renames, whole bool) {
	stamped := r.consumer.isStamped()
	switch {
	case r.scope.empty():
		r.noteHere(diag.PullSecret, "Secret "+r.out.Name+" is read when an image is pulled")
		return
	case r.object == nil:
		r.absent()
		return
	}
	r.badSkip()
	if r.restartsNothing() {
		return
	}
	r.content, r.producers = r.read(whole), r.run.in.index.ProducersIn(r.object, r.out.Namespace)
	r.out.Ciphertext, r.out.Sealed = r.run.contents.IsCiphertext(r.object), r.run.contents.IsSealed(r.object)
	r.out.Variables = r.run.contents.HasHiddenVariables(r.object)
	r.missingKeys()
	r.unreadKeys()
	r.out.Contents = r.contextContents()
	if r.consumer.workload.live && !r.object.Immutable() {
		if r.scope = r.scopeOf(readOnlyAtStart); r.scope.empty() {
			r.out.keep = false
			return
		}
	}
	if !r.valid() {
		return
	}
	if how := r.rolledByName(); how != "" && !slices.ContainsFunc(r.group, isPhantomOf) {
		r.out.keep = false
		r.reportRolledByName(how)
		return
	}
	if s := names.rendered[r.object]; s != nil && s.digest != "" {
		r.out.Digest, r.out.Renamed = s.value, s.wantedName()
		r.out.keep = r.isAnnotated()
	}
	if r.consumer.isWritten() {
		if r.content.Beyond {
			r.out.producers = r.producers
		}
		r.staleProducers(names)
	}
	chain := chain{index: r.run.in.index, positions: r.run.in.positions, content: r.content, scope: r.scope}
	r.out.Producers = chain.list(r.object, r.producers, r.out.Source)
	r.out.Origin = plan.Original(r.run.in.index.MissingOriginal(r.object))
	switch {
	case r.run.asks && !stamped && isUnanswered(r.content):
		return // no store was asked
	case r.run.asks && stamped:
		r.out.notices = append(unversionedNotices(r), emptySearches(r)...)
	}
	if r.out.Renamed != "" && !r.isAnnotated() {
		return
	}
	if r.out.Digest = r.digest(r.content, r.scope); r.out.Digest != "" {
		r.out.Annotation = annotationKey(r.run.prefix, r.object.Kind, r.annotatedName(r.object.Name))
	}
}

// restartsNothing reports, and says, whether no change of the object is to restart anything.
func (r *reference) restartsNothing() bool {
	var text string
	why := staysAsIs(r.object, r.run.asks)
	switch {
	case policy.Ignores(r.run.settings, r.object):
		r.out.leftOut, text = "it is to be ignored", r.object.String()+" is to be ignored"
	case why != "":
		r.out.leftOut = "Flux leaves it as it is, because " + why
		text = "Flux leaves " + r.object.String() + " as it is in the cluster: " + why
	default:
		return false
	}
	r.out.keep = false
	r.noteHere(diag.Ignored, text)
	return true
}

// isAnnotated reports whether a new name of the object does not restart the pods by itself: a rule says where it is
// named, and what of a custom resource reaches its pods is known of the annotations alone; or only annotations of other
// tools name it, which stay as they are.
func (r *reference) isAnnotated() bool {
	isRule := func(ref refs.Reference) bool { return ref.Form == refs.FormRule }
	isElse := func(ref refs.Reference) bool { return ref.Form != compat.FormNamed }
	return slices.ContainsFunc(r.group, isRule) || !slices.ContainsFunc(r.group, isElse)
}

func isPhantomOf(ref refs.Reference) bool { return isPhantom(&ref) }

// rolledByName returns how the name of the object changes with its content without us; "" where it does not. A hash
// that is there counts where a stamp would be wrong beside it: where names restart the workload anyway, and where a
// stamp waits for an approval, because the new name in the template does not wait. That of decrypted content always
// counts: anybody can compare it with that of a guess, and a stamp would write it into Git.
func (r *reference) rolledByName() string {
	if r.content.Named {
		return "has a hash of what is decrypted in its name"
	}
	if (hasSuffixes(*r.consumer) || r.isHeldBack()) && isRolledByName(r.object) {
		return "has a hash of its content in its name"
	}
	return policy.RolledByName(r.run.settings, r.object)
}

// isHeldBack reports whether a stamp of the object waits for an approval.
func (r *reference) isHeldBack() bool { return r.consumer.isWritten() && r.consumer.workload.manual }

// reportRolledByName reports that an object's name restarts the workload: of one that is to wait for an approval, that
// it does not.
func (r *reference) reportRolledByName(how string) {
	if !r.isHeldBack() {
		r.noteHere(diag.RolledByName, r.object.String()+" "+how)
		return
	}
	r.noteHere(diag.NotHeld, r.object.String()+" "+how+": a change restarts the workload without an approval")
}

// annotatedName returns an object's name as its annotation has it. Where an annotation names the object in another
// namespace, that is a part of it: no name has an underscore.
func (r *reference) annotatedName(name string) string {
	return annotatedName(r.group[0].Namespace, name)
}

// contextContents returns what the object has under the keys that count, where it lies in the context, or what a tool
// copies into it does: these manifests are in no input that could be compared.
func (r *reference) contextContents() (out []plan.KeyContent) {
	isContext := func(o *objects.Object) bool { return o.Context() }
	if !isContext(r.object) && !slices.ContainsFunc(originalsOf(r.run.in.index, r.object), isContext) {
		return nil
	}
	out = []plan.KeyContent{}
	for i := range r.content.Pairs {
		if p := &r.content.Pairs[i]; r.scope.has(p.Key) {
			out = append(out, plan.KeyContent{Key: strings.Clone(p.Key), Fingerprint: p.Fingerprint()})
		}
	}
	return out
}

// read returns what counts of the object's content. With whole, the digest of all of it is made of the same content.
func (r *reference) read(whole bool) *objects.Content {
	all := &r.run.memory
	if whole {
		r.run.contents.ReadWhole(r.object, all, r.scope.has)
		if all.IsVersioned() {
			if all.Beyond {
				r.out.whole, r.out.madeWhole = r.digest(all, scope{all: true}), true
			}
			return all
		}
	}
	r.run.contents.ReadKeys(r.object, all, r.scope.has)
	r.run.checked.add(r.object, all)
	return all
}

// digest returns the digest of what a scope has of the object, "" with an error recorded. One that is not written
// does not count as one without a key.
func (r *reference) digest(content *objects.Content, s scope) string {
	unkeyed := r.run.digester.unkeyed
	value, err := r.run.digester.digest(r.object, content, s)
	if r.consumer.isWritten() {
		r.out.Unkeyed = r.run.digester.unkeyed > unkeyed
	} else {
		r.run.digester.unkeyed = unkeyed
	}
	if err != nil {
		r.fail(err)
	}
	return value
}

// staleProducers reports producers whose consumers would restart without effect.
func (r *reference) staleProducers(names renames) {
	for _, m := range r.producers {
		if name := names.produced[m]; name != nil && name.digest != "" {
			continue // a Secret of another name is made in any case
		}
		if why := m.Stale(); why != "" {
			r.note(diag.New(diag.NotRefreshed, m.String(), why), m.Offset)
		}
	}
}

// willRefresh reports whether an object's producer gets a digest where a store shapes the content.
func willRefresh(run *run, c *consumer, o *objects.Object, names renames) bool {
	if o == nil || !c.isWritten() || !o.IsProduced() {
		return false
	}
	m := o.Producers()
	return len(m) == 1 && m[0].Refresh() != nil && !m[0].Context && !run.in.reencodes(m[0].Offset) &&
		names.produced[m[0]] == nil
}

// isUnanswered reports whether something of the content was not asked for.
func isUnanswered(content *objects.Content) bool {
	return slices.ContainsFunc(content.RemoteRefs,
		func(a objects.RemoteRef) bool { return a.Answer == (sources.Answer{}) })
}

// decideNamed decides about what a pod template takes from Vault by itself. The text of the template needs no digest,
// because a change of the template restarts pods anyway; the versions do.
func decideNamed(run *run, c *consumer) decision {
	w := c.workload
	r := plan.Reference{Kind: sources.Vault, Namespace: w.namespace, Name: w.name, Forms: []string{"template"},
		Source: "template", Findings: namedFindings(run, c)}
	for _, a := range c.named {
		r.Keys = append(r.Keys, a.Key)
	}
	asked := slices.DeleteFunc(slices.Clone(c.named), func(a objects.RemoteRef) bool { return a.Answer.ByManifest })
	if run.asks && len(asked) > 0 {
		r.Digest, r.Annotation = run.digester.versions(w.name, asked), annotationKey(run.prefix, sources.Vault, w.name)
	}
	return decision{Reference: r}
}
