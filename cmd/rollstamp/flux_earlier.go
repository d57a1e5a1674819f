package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/flux/rounds"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
)

// keepEarlier has the workloads of a member keep the stamps for which this run has no better ones, and returns what is
// to be reported of these. The member is rendered without the patches that set stamps, so what these set is read of
// them, wherever they are.
func (r *fluxRun) keepEarlier(ctx context.Context, source app.Described, m *fluxMember) (found []diag.Finding) {
	all, ok := source.(*rounds.Source)
	if !ok || m.plan == nil {
		return nil
	}
	w := m.wanted
	earlier, trace := r.earlierOf(all, m), pipeline.NewTrace(ctx, m.app, m.output)
	w.Stamps = slices.Concat(w.Stamps, m.bare)
	slices.SortStableFunc(w.Stamps, func(a, b patches.Stamps) int { return cmp.Compare(a.Line, b.Line) })
	for i := range w.Stamps {
		s := &w.Stamps[i]
		k := keeper{m: m, of: s}
		s.Keep(earlier, k.keeps)
		for _, f := range k.found {
			found = append(found, f.At(trace.At(diag.Position{Line: s.Line}, "")))
		}
	}
	w.Stamps = slices.DeleteFunc(w.Stamps, func(s patches.Stamps) bool { return len(s.Places) == 0 })
	return found
}

// earlierOf returns what patches of ours set in what a member applies, in the order in which they count: those of its
// own object, and those that what applies that adds to it.
func (r *fluxRun) earlierOf(source *rounds.Source, m *fluxMember) (out []patches.Stamps) {
	read := func(p objects.Patch) *patches.Stamps {
		if p.Target == nil {
			return patches.Read(p.Patch, "", "", m.wanted.Prefix)
		}
		return patches.Read(p.Patch, p.Target.Kind, p.Target.Name, m.wanted.Prefix)
	}
	for _, p := range source.Patches(m.app.Name()) {
		if s := read(p); s != nil && len(s.Inner) == 0 {
			out = append(out, *s)
		}
	}
	parent := r.parentOf(m)
	if parent == nil {
		return out
	}
	name := beforeAffixes(parent.app.Request())(m.wanted.Name)
	for _, p := range source.Patches(parent.app.Name()) {
		if s := read(p); s != nil && s.IsFor(m.wanted.Kind, name) {
			out = append(out, s.Inner...)
		}
	}
	return out
}

// keeper decides which stamps of an object stay, and collects what is to be reported of them.
type keeper struct {
	m     *fluxMember
	of    *patches.Stamps
	found []diag.Finding
}

// keeps reports whether an earlier stamp stays.
func (k *keeper) keeps(key, had, now string) bool {
	at := slices.IndexFunc(k.m.plan.Workloads, func(w plan.Workload) bool { return isNamed(&w, k.of.Object()) })
	why := plan.NotKept
	if at >= 0 {
		why = k.m.plan.Keeps(at, key)
	}
	switch {
	case why == plan.AsLeft:
		return true
	case why == plan.AsUnknown && now == "":
		k.report(diag.FluxStampKept, at, key, "because what that holds is not known in this run")
		return true
	case now == "" || !hashing.IsKeyed(had):
	case k.m.app.Stamping().Key == nil && !hashing.IsKeyed(now):
		k.report(diag.StampUnchecked, at, key, "because its digest is keyed, and this run has no hash key to check it with")
		return true
	case k.mayBeOfValues(at, key):
		k.report(diag.StampUnchecked, at, key, "because it may be of what SOPS encrypted, which this run does not decrypt").
			Hint = "Pass --open-sops, with the keys of SOPS and the hash key, as the run had them that wrote the stamp. " +
			"Where the ciphertext is what counts, pass --open-sops=false: the stamp becomes that of the ciphertext."
		return true
	}
	return false
}

// mayBeOfValues reports whether an earlier keyed digest may be of values that this run has as SOPS encrypted them: a
// digest does not say which of the two it is of.
func (k *keeper) mayBeOfValues(workload int, key string) bool {
	if workload < 0 || k.m.app.Settings().CountsCiphertext() {
		return false
	}
	return slices.ContainsFunc(k.m.plan.Workloads[workload].References, func(r plan.Reference) bool {
		isProduced := strings.Contains(r.Source, "/") // as by a SealedSecret, which hardly anybody decrypts
		return r.Ciphertext && !isProduced && (key == r.Annotation || key == k.m.wanted.Prefix.Combined())
	})
}

// report reports that a stamp stays, by what it is of.
func (k *keeper) report(code diag.Code, workload int, key, why string) *diag.Finding {
	object, of := k.of.Object(), k.m.wanted.Prefix.Name(key)
	if workload >= 0 {
		w := &k.m.plan.Workloads[workload]
		object = manifest.Describe(w.Kind, w.Namespace, w.Name)
		for i := range w.References {
			ref := &w.References[i]
			own := cmp.Or(ref.Annotation, k.m.wanted.Prefix.Annotation("", ref.Kind, ref.Name))
			if key == own && key != k.m.wanted.Prefix.Combined() {
				of = manifest.Describe(ref.Kind, ref.Namespace, ref.Name)
			}
		}
	}
	about := of
	if key == k.m.wanted.Prefix.Combined() {
		of = "all that it reads"
	}
	message := fmt.Sprintf("its stamp of %s stays as it is, %s", of, why)
	f := diag.New(code, object, message).WithAbout(about)
	if code == diag.StampUnchecked {
		f = f.AsNotice()
	}
	k.found = append(k.found, f)
	return &k.found[len(k.found)-1]
}
