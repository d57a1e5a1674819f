package rounds

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/pipeline/retained"
	"github.com/rollstamp/rollstamp/render"
)

// mayApplyOwn reports whether a Kustomization that lacks values may apply the object with these itself: its files have
// the name. It is built once to find that out.
func (s *Source) mayApplyOwn(ctx context.Context, m *member, l lookup) bool {
	if m.kustomization == nil || m.own != nil || !l.hasSource || m.home() != m.destination() {
		return false
	}
	var names map[string]string
	for i, r := range m.references() {
		isGiven := s.finder.Vars.Variables(r.Ref) != nil
		if isGiven || l.missing == nil || l.missing[i] == nil || values.IsKnown(l.missing[i]) {
			continue
		}
		if names == nil {
			folder := s.folderOfKustomization(ctx, m)
			if folder == "" {
				return false
			}
			names = namesIn(folder, s.finder.system())
		}
		if _, is := names[r.Name]; is {
			return true
		}
	}
	return false
}

// findAllOwn looks for values that Kustomizations apply themselves, and reports whether any may.
func (s *Source) findAllOwn(ctx context.Context, waits []ready) (may bool) {
	for _, r := range waits {
		if s.mayApplyOwn(ctx, r.member, r.lookup) {
			s.findOwn(ctx, r.member, r.lookup)
			may = true
		}
	}
	return may
}

// own is what a Kustomization applies itself of the objects that it takes values from, in their order.
type own struct {
	found   []*values.Data // nil for one that it does not apply
	missing []error        // what is known of one whose values are not in its manifests
}

// findOwn finds the values that a Kustomization applies itself. The controller reads them in the cluster, where the
// first reconciliation finds none, and each later one what the one before it applied: so it is built again with what
// it applies, until that stays the same.
func (s *Source) findOwn(ctx context.Context, m *member, l lookup) {
	m.own = &own{make([]*values.Data, len(l.found)), make([]error, len(l.found))}
	found := slices.Clone(l.found)
	for range maxRenders {
		mine, err := s.applied(ctx, m, found)
		if err != nil {
			return // of a trial: it is reported of the build that counts, where it fails, too
		}
		isSame := true
		for i := range found {
			if l.missing[i] == nil || mine.found[i] == nil {
				continue
			}
			isSame = isSame && found[i].Equal(mine.found[i])
			found[i] = mine.found[i]
		}
		if isSame {
			m.own = mine
			return
		}
	}
	for i, r := range m.references() {
		if l.missing[i] != nil && found[i] != nil {
			m.own.missing[i] = &values.MissingError{Ref: r.Ref, Why: "is applied by the Kustomization itself, and has other " +
				"values after each reconciliation", Hint: "Take the variable out of the value that it has."}
		}
	}
}

// applied returns what a Kustomization applies of the objects that it takes values from, where it is built with the
// values that were found. Variables without a value stay.
func (s *Source) applied(ctx context.Context, m *member, found []*values.Data) (*own, error) {
	m.isTrial = true
	draft, err := s.draft(ctx, m, found)
	m.isTrial = false
	if err != nil {
		return nil, err
	}
	a, err := s.builder.Application(ctx, draft)
	if err != nil {
		return nil, err
	}
	a = retained.WithDisplayPath(a)
	result, err := pipeline.Run(ctx, a.WithoutStamping())
	if err != nil {
		return nil, err
	}
	around, err := s.builder.Surroundings(ctx, s.finder.At, m.Pos.File)
	if err != nil {
		return nil, err
	}
	var store values.Store
	store.Add("", m.String(), m.inNamespace(result.Output), m.namespace(), a.Settings().Producers.Value)
	out := &own{make([]*values.Data, len(found)), make([]error, len(found))}
	for i, r := range m.references() {
		data, err := store.Find(ctx, "", r.Ref, values.Around{Decrypter: around.Decrypter})
		switch {
		case err == nil:
			out.found[i] = data
		case values.IsKnown(err):
			out.missing[i] = err
		case !values.IsMissing(err):
			return nil, err
		}
	}
	return out, nil
}

// inNamespace returns a render with the namespace of objects that name none.
func (m *member) inNamespace(out *render.Output) *render.Output {
	of := *out
	of.Namespace, of.ByFlux = m.namespace(), m.kustomization != nil
	return &of
}

// add fills what is missing in a lookup with what the Kustomization applies itself.
func (o *own) add(l lookup) {
	if o == nil {
		return
	}
	for i := range l.missing {
		switch {
		case l.missing[i] == nil || values.IsKnown(l.missing[i]):
		case o.found[i] != nil:
			l.found[i], l.missing[i] = o.found[i], nil
		case o.missing[i] != nil:
			l.missing[i] = o.missing[i]
		}
	}
}

// reportOwn reports the values that a Kustomization takes from what it applies itself.
func (s *Source) reportOwn(m *member, l lookup) {
	for i, r := range m.references() {
		if data := l.found[i]; data != nil && data.From == m.String() {
			f := diag.New(diag.FluxOwnValues, m.String(), fmt.Sprintf("%s: it applies %s itself: a reconciliation "+
				"has the values that the one before it applied, and the first has none", r.entry, r.Ref))
			m.findings = append(m.findings, f.WithAbout(r.Ref.String()).At(s.atEntry(m, r).Pos))
		}
	}
}
