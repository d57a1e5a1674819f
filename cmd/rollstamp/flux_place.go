package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
)

// fluxPlace is what an object is to have, for itself or for what it applies.
type fluxPlace struct {
	at     *fluxMember // the object
	wanted *patches.Wanted
	of     []*fluxMember // whose stamps these are
}

// place returns what is to be written into which object. That is the object that applies the workloads, unless others
// read its lines, too, for which these stamps are not, or it has its patches replaced: then it is the Kustomization
// that applies that object. Those that have no place are refused.
func (r *fluxRun) place(ctx context.Context, all *fluxFiles) (out []*fluxPlace, refused []refusal) {
	by := map[*fluxMember]*fluxPlace{}
	for _, m := range r.members {
		by[m] = r.ownPlace(ctx, m, all)
		out = append(out, by[m])
	}
	first, others := slices.Clone(out), make([]otherReaders, len(out))
	for i, one := range first {
		if !one.at.isKept {
			others[i] = r.othersAt(one, first, all)
		}
	}
	for _, one := range first {
		if m := one.at; !r.takes(m) && !m.isKept && !m.isLost && m.isKustomization() {
			one.wanted = r.withOwn(m)
		}
	}
	for _, i := range r.deepestFirst() {
		one, m := first[i], r.members[i]
		m.holder = m
		parent := r.parentOf(m)
		isOutside := r.isOutside(one.wanted.Pos.File) && all.file(one.wanted.Pos.File).changes(one.wanted)
		moves := m.isLost || r.takes(m) && (isOutside || !others[i].areNone())
		if m.isKept || !moves {
			continue
		}
		isAlone := parent != nil && len(r.elsewhere().Readers(parent.wanted.Pos.File)) == 0 &&
			len(r.failedAt(by[parent])) == 0
		switch {
		case !isAlone && others[i].areNone():
			continue // which is reported as it is
		case !isAlone:
			refused = append(refused, r.ofScope(m, m.shared(others[i], parent)))
		default:
			if err := by[parent].addInner(one, parent, all); err != nil {
				refused = append(refused, r.ofScope(m, err))
				break
			}
			for _, of := range one.of {
				of.holder = parent
			}
		}
		out = slices.DeleteFunc(out, func(p *fluxPlace) bool { return p == one })
	}
	return slices.DeleteFunc(out, func(p *fluxPlace) bool { return p.at.isKept && len(p.wanted.Stamps) == 0 }), refused
}

// withOwn returns what a Kustomization is to have of which only the patches for others change: those of what is stamped
// go, unless they are added again.
func (r *fluxRun) withOwn(m *fluxMember) *patches.Wanted {
	wanted, name := *m.wanted, beforeAffixes(m.app.Request())
	wanted.Stamps, wanted.KeepsOwn = nil, true
	wanted.Keeps = func(kind, patched string) bool {
		return r.mayBeFailed(kind, patched) || slices.ContainsFunc(r.members, func(o *fluxMember) bool {
			isIt := name(o.wanted.Name) == patched || strings.Contains(patched, "${")
			return isIt && o.wanted.Kind == kind && !r.takes(o)
		})
	}
	return &wanted
}

// ownPlace returns what an object is to have for itself: nothing, where that stays as it is.
func (r *fluxRun) ownPlace(ctx context.Context, m *fluxMember, all *fluxFiles) *fluxPlace {
	if m.isKept {
		return &fluxPlace{m, r.withOwn(m), []*fluxMember{m}}
	}
	if !r.takes(m) {
		all = &fluxFiles{}
	}
	wanted := *r.writeInPlace(ctx, m, all)
	return &fluxPlace{m, &wanted, []*fluxMember{m}}
}

// deepestFirst returns the indexes of the members, those before others that are found in the renders of these.
func (r *fluxRun) deepestFirst() []int {
	out, depth := make([]int, len(r.members)), make([]int, len(r.members))
	for i, m := range r.members {
		out[i] = i
		for at := r.parentOf(m); at != nil; at = r.parentOf(at) {
			depth[i]++
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(depth[b], depth[a]) })
	return out
}

// addInner adds a patch for an object that the parent applies, by the name that is written in its file: Flux
// substitutes variables after it applies patches.
func (p *fluxPlace) addInner(inner *fluxPlace, parent *fluxMember, all *fluxFiles) error {
	stamps, ok := inner.wanted.Within(parent.output.Text, beforeAffixes(parent.app.Request()))
	if !ok {
		return inner.wanted.Fail(fmt.Errorf("it is not in what %s applies", parent.wanted), "")
	}
	if text := all.file(inner.wanted.Pos.File).have; bytes.Contains(text, []byte("${")) {
		stamps.Name = cmp.Or(patches.NameIn(text, stamps.Kind, stamps.Name), stamps.Name)
	}
	if len(stamps.Inner) > 0 {
		p.wanted.Stamps = append(slices.Clip(p.wanted.Stamps), *stamps)
	}
	p.of = append(p.of, inner.of...)
	return nil
}

// otherReaders are who else reads the lines of an object, with their places.
type otherReaders struct {
	names []string
	// unknown are the sources by which each of them may read these lines, or other ones: nobody knows their files. None
	// where one of them surely does.
	unknown []objects.Reference
}

// areNone reports whether nobody else does.
func (o otherReaders) areNone() bool { return len(o.names) == 0 }

// othersAt returns the objects that the lines of an object are applied for, too, where it is to have something else
// than stands there; none where it alone is.
func (r *fluxRun) othersAt(one *fluxPlace, all []*fluxPlace, texts *fluxFiles) (others otherReaders) {
	f := texts.file(one.wanted.Pos.File)
	if f.err != nil {
		return others // which is an error of its own
	}
	for _, o := range all {
		isSame := o != one && o.wanted.Pos == one.wanted.Pos && o.wanted.Kind == one.wanted.Kind
		if isSame && !o.wanted.HasSameStamps(one.wanted) {
			others.names = append(others.names, o.wanted.String())
		}
	}
	if !others.areNone() || !f.changes(one.wanted) {
		return others
	}
	others.names = r.failedAt(one)
	isSure := !others.areNone()
	for _, k := range r.elsewhere().Readers(f.name) {
		pos := k.Pos
		pos.File = files.FromHere(pos.File)
		others.names = append(others.names, fmt.Sprintf("%s (%s)", k, pos))
		isSure = isSure || k.Unknown == (objects.Reference{})
		if !slices.Contains(others.unknown, k.Unknown) {
			others.unknown = append(others.unknown, k.Unknown)
		}
	}
	if isSure {
		others.unknown = nil
	}
	return others
}

// parentOf returns the Kustomization in whose render an object was found; nil where it was in none.
func (r *fluxRun) parentOf(m *fluxMember) *fluxMember {
	name := m.app.Origin().Parent
	i := slices.IndexFunc(r.members, func(o *fluxMember) bool { return name != "" && o.app.Name() == name })
	if i < 0 || !r.members[i].isKustomization() {
		return nil
	}
	return r.members[i]
}

// shared returns the error of an object whose stamps would reach others.
func (m *fluxMember) shared(others otherReaders, parent *fluxMember) error {
	all := strings.Join(others.names, ", ")
	switch {
	case len(others.unknown) > 0:
		of := others.unknown[0]
		err := fmt.Errorf("its lines may be read by %s, too: the files of %s are not known, and may be those of this "+
			"repository", all, of)
		return m.wanted.Fail(err, fmt.Sprintf("Say where they lie with --source %s/%s/%s=DIR, which settles that for all.",
			of.Kind, of.Namespace, of.Name))
	case parent == nil:
		err := fmt.Errorf("its lines are read by %s, too, which may apply something else: no stamp here is for both",
			all)
		return m.wanted.Fail(err, "Have a Kustomization of this cluster apply it and name that, too: it gets the patches.")
	}
	err := fmt.Errorf("its lines are read by %s (%s) and by %s, which may not apply the same, and so are those of the first",
		parent.wanted, parent.wanted.Pos, all)
	return m.wanted.Fail(err, fmt.Sprintf("Write %s into a file that no other cluster reads, such as one below "+
		"the folder of this one, and run this again: it gets the patches.",
		parent.wanted))
}

// noteUnresolved prints which Kustomizations of the repository were not looked at, where files are to be written.
func (r *fluxRun) noteUnresolved(p *program, changed []*fluxFile) {
	if len(changed) == 0 {
		return
	}
	for _, k := range r.elsewhere().Unresolved() {
		pos := k.Pos
		pos.File = files.FromHere(pos.File)
		fmt.Fprintf(p.err, "rollstamp: %s (%s) is not looked at: its spec.path %s is not in the repository. "+
			"Stamps may be in what it reads\n", k, pos, k.Spec.Path)
	}
}
