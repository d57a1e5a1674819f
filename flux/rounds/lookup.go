package rounds

import (
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
)

// reference is an object that a member takes values from.
type reference struct {
	values.Ref
	entry    objects.Entry
	optional bool
}

// lookup is what is known of the values of a member.
type lookup struct {
	found   []*values.Data // in the order of the references; nil for one that is not there
	missing []error        // of those that are, joined with nil for the others
	err     error          // of looking, or of what is missing
	// hasSource: the source is known. It may be found in the render of another member.
	hasSource bool
}

// references returns the objects that a member takes values from.
func (m *member) references() (out []reference) {
	if m.kustomization != nil {
		if m.kustomization.Spec.PostBuild == nil {
			return nil
		}
		for i, from := range m.kustomization.Spec.PostBuild.SubstituteFrom {
			out = append(out, reference{values.Ref{Kind: from.Kind, Namespace: m.Namespace, Name: from.Name},
				from.Entry(i), from.Optional})
		}
		return out
	}
	if m.release == nil {
		return nil
	}
	for i, from := range m.release.Spec.ValuesFrom {
		out = append(out, reference{values.Ref{Kind: from.Kind, Namespace: m.Namespace, Name: from.Name},
			from.Entry(i), from.Optional})
	}
	return out
}

// lookUp looks for the values of a member in what is rendered until now.
func (s *Source) lookUp(ctx context.Context, m *member) (l lookup) {
	all := m.references()
	l.hasSource = s.finder.knows(m)
	if len(all) == 0 {
		return l
	}
	around, err := s.builder.Surroundings(ctx, s.finder.At, m.Pos.File)
	if err != nil {
		return lookup{err: err}
	}
	around.File = s.finder.Vars
	l.found, l.missing = make([]*values.Data, len(all)), make([]error, len(all))
	for i, r := range all {
		data, err := s.values.Find(ctx, m.home().String(), r.Ref, around)
		if err != nil && values.IsMissing(err) && !values.IsKnown(err) {
			data, err = s.findBesideRoot(ctx, m, r.Ref, around, err)
		}
		switch {
		case err == nil:
			l.found[i] = data
		case !values.IsMissing(err):
			return lookup{err: fmt.Errorf("%s: %w", r.entry, err)}
		default:
			l.missing[i] = err
		}
	}
	m.own.add(l)
	return l
}

// isComplete reports whether the source and all values are there; or, all but optional ones.
func (l lookup) isComplete(all []reference, but bool) bool {
	if !l.hasSource {
		return false
	}
	for i, r := range all {
		if l.missing != nil && l.missing[i] != nil && (!but || !r.optional) {
			return false
		}
	}
	return true
}

// settle returns the lookup with what the user says of variables in place of what is missing, or with the error of what
// is not there either. Where it is kept, that is a finding of the member.
func (s *Source) settle(m *member, l lookup) lookup {
	m.hindrance = nil
	for i, r := range m.references() {
		switch {
		case l.missing == nil || l.missing[i] == nil:
			continue
		case m.kustomization != nil && s.finder.Vars.Variables(r.Ref) != nil:
			l.found[i] = s.finder.Vars.Variables(r.Ref)
		case r.optional:
		case s.finder.Missing == MissingKept:
			m.reportAt(s.atEntry(m, r).Pos, diag.FluxValues, r.entry.String()+": "+l.missing[i].Error())
		default:
			l.err = s.missingError(m, r, l.missing[i])
			return l
		}
	}
	return l
}

// missingError returns the error of a member whose values are not there: a Kustomization that failed may apply them.
func (s *Source) missingError(m *member, r reference, err error) error {
	var missing *values.MissingError
	if errors.As(err, &missing) && missing.Why == "" {
		if f := s.failedWith(m.home(), r.Name); f != nil && f != m {
			m.hindrance = f
			err := fmt.Errorf("%s: %s may be applied by %s, and that fails", r.entry, r.Ref, f)
			return s.atEntry(m, r).Fail(&diag.Shared{Err: err}, "Mend that first, or pass the values with --vars FILE.")
		}
	}
	return s.atEntry(m, r).Fail(&diag.Shared{Err: fmt.Errorf("%s: %w", r.entry, err)}, s.missingHint(err))
}

// atEntry returns the object of a member at the line where it names the values.
func (s *Source) atEntry(m *member, r reference) objects.Meta {
	return r.entry.In(*m.Meta, s.finder.system())
}

// missingHint returns the next step where values are not there.
func (s *Source) missingHint(err error) string {
	var missing *values.MissingError
	if !errors.As(err, &missing) {
		return ""
	}
	hint := missing.Hint
	at := s.written.find(s.finder.At.Files, s.finder.Paths, missing.Ref)
	if at.pos.File == "" {
		if at = s.inRepository.find(s.finder.At.Files, []string{s.finder.root}, missing.Ref); at.several || at.by == "" {
			at = standing{} // to name what applies it is the next step
		}
		at.pos.File = files.FromHere(at.pos.File)
	}
	switch {
	case at.pos.File != "" && at.by != "":
		const text = "%s at %s makes it in the cluster, so its values are not in Git: pass them with --vars FILE."
		hint = fmt.Sprintf(text, at.by, at.pos)
	case missing.Why != "":
	case at.pos.File == "":
		namespace, other := s.written.elsewhere(missing.Ref) // of this cluster, if that has one
		if namespace == "" {
			namespace, other = s.inRepository.elsewhere(missing.Ref)
		}
		if namespace != "" {
			const text = "%s stands at %s, in the namespace %s: Flux takes it from that of the object that names it, so " +
				"something has to copy it there; pass its values with --vars FILE."
			of := missing.Ref
			of.Namespace, other.pos.File = "", files.FromHere(other.pos.File)
			hint = fmt.Sprintf(text, of, other.pos, namespace)
		}
	default:
		const text = "It stands at %s: a Kustomization of the run has to apply that; or pass its values with --vars %s."
		hint = fmt.Sprintf(text, at.pos, at.pos.File)
	}
	return hint + " To look at the others meanwhile: --missing-vars keep, which leaves what has neither value " +
		"nor default as it is."
}
