package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/internal/gc"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/pipeline/retained"
	"github.com/rollstamp/rollstamp/render"
)

// maxRounds bounds Kustomizations that apply Kustomizations.
const maxRounds = 16

// maxRenders bounds how often one is rendered that applies itself, each time with another patch.
const maxRenders = 3

// findAll fills the members, round by round: a render may hold further objects, and the values that others wait for.
func (s *Source) findAll(ctx context.Context) {
	s.seed(ctx)
	for ctx.Err() == nil {
		gc.AllowHeapOf(len(s.members))
		round := s.next(ctx)
		if len(round) == 0 && !s.addLeftOut() {
			break
		}
		fleet.Each(ctx, len(round), func(ctx context.Context, i int) error {
			s.render(ctx, round[i].member, round[i].lookup)
			return nil
		}, s.finder.Progress) // each member has its own error
		for _, ready := range round {
			s.lookInto(ctx, ready.member)
		}
	}
	s.finish()
}

// ready is a member whose values are known as far as they will be.
type ready struct {
	*member
	lookup lookup
}

// next returns the members that can be rendered now, with their values settled. Those whose values are all there come
// first, Kustomizations before HelmReleases; then those that lack optional values only; and where nothing else is left,
// all. What is missing is looked for in what a Kustomization applies itself before it counts as missing.
func (s *Source) next(ctx context.Context) []ready {
	waits := s.waiting(ctx)
	isComplete := func(r ready) bool { return r.lookup.isComplete(r.references(), false) }
	if !slices.ContainsFunc(waits, isComplete) && s.findAllOwn(ctx, waits) {
		waits = s.waiting(ctx)
	}
	for _, takes := range []func(ready) bool{
		isComplete,
		func(r ready) bool { return r.lookup.isComplete(r.references(), true) },
		func(ready) bool { return true },
	} {
		for _, ofKind := range []bool{true, false} {
			round := slices.DeleteFunc(slices.Clone(waits), func(r ready) bool {
				return (r.kustomization != nil) != ofKind || !takes(r)
			})
			for i := range round { // one by one: what failed until now is the cause of what is missing
				round[i].lookup = s.settle(round[i].member, round[i].lookup)
			}
			if len(round) > 0 {
				return round
			}
		}
	}
	return nil
}

// waiting returns the members that are not rendered yet, with what is known of their values.
func (s *Source) waiting(ctx context.Context) (out []ready) {
	for _, m := range s.members {
		if m.state == pending {
			out = append(out, ready{m, s.lookUp(ctx, m)})
		}
	}
	return out
}

// render renders a member without stamps.
func (s *Source) render(ctx context.Context, m *member, l lookup) {
	m.state, m.err, m.renders = done, nil, m.renders+1
	if l.err != nil {
		m.inputs = inputs{Values: l.found}
		m.fail(l.err)
		m.undrafted = s.folderOfKustomization(ctx, m)
		m.unchanged = (m.hindrance == nil || m.hindrance.unchanged) && s.failsAsBefore(m)
		return
	}
	m.reportUnwatched(l.found)
	s.reportOwn(m, l)
	m.build(ctx, s, l)
	if m.err != nil && m.inputs.Bare { // another patch may need what ours add
		m.isWhole = true
		m.build(ctx, s, l)
	}
}

// build renders a member with the values that it takes.
func (m *member) build(ctx context.Context, s *Source, l lookup) {
	m.err, m.inputs = nil, inputs{Values: l.found}
	draft, err := s.draft(ctx, m, l.found)
	m.inputs.Folder = m.folder
	if err != nil {
		m.fail(err)
		m.unchanged = s.failsAsBefore(m)
		return
	}
	if s.takeOver(m) {
		return
	}
	a, err := s.builder.Application(ctx, draft)
	if err != nil {
		m.fail(err)
		return
	}
	a = retained.WithDisplayPath(a)
	result, err := pipeline.Run(ctx, a.WithoutStamping())
	if err != nil {
		if m.kustomization != nil {
			err = lint.FailedNamespace(m.kustomization, lint.FailedPatch(m.kustomization, err))
			err = lint.FailedComponent(m.kustomization, err)
			err = outdatedPatch(m.kustomization, s.finder.Prefix, m.failedName(err, l.found))
		}
		m.fail(err)
		m.unchanged = s.failsAsBefore(m)
		return
	}
	m.app, m.output = s.memory.With(a, result.Output), result.Output
	m.read = slices.Concat(result.Output.Inputs, m.amended)
}

// lookInto takes what is in the render of a member: Flux's objects, and values for others.
func (s *Source) lookInto(ctx context.Context, m *member) {
	if m.output == nil {
		return
	}
	s.values.Add(m.destination().String(), m.String(), withNamespace(m), m.namespace(), m.app.Settings().Producers.Value)
	if !objects.MayHold(m.output.Text) {
		return
	}
	found, err := within(ctx, m)
	for _, one := range diag.Unjoin(err) {
		s.addError(one)
	}
	s.finder.add(found, m.isRemote())
	for _, n := range newMembers(found, m) {
		s.take(n)
	}
}

// within returns Flux's objects in the render of a member, at the lines of its files as far as these are known, else at
// those of a text that has a name. Where the files alone do not say it, as of an object with a name that a replacement
// makes, it is built once more with origins: patches are written at these lines.
func within(ctx context.Context, m *member) (*objects.Objects, error) {
	out := m.output
	name := "what " + m.String() + " renders"
	found, err := objects.Parse(out.Text, name)
	if err != nil {
		err = diag.RewriteError(err, out.Secrets().In)
	} else if found.IsEmpty() {
		return found, nil
	}
	setSecrets(found.Metas(), out)
	origins := out.Origins
	if len(origins) == 0 && out.Locator != nil {
		origins = out.Locator.Origins(out.Text)
	}
	places, lines := render.NewPlaces(out.Text, origins), render.NewLines(m.app.Request().Files)
	trace := pipeline.NewTrace(ctx, m.app, out)
	inFile := func(rendered diag.Position, object string) diag.Position {
		if pos := places.Line(rendered.Line); pos.File != "" {
			return lines.Complete(pos, object)
		}
		if pos := trace.At(diag.Position{Line: rendered.Line}, object); pos.Line > 0 {
			return pos
		}
		return rendered
	}
	for _, meta := range found.Metas() {
		meta.Pos = inFile(meta.Pos, meta.String())
	}
	err = diag.MapErrors(err, func(err error) error {
		known, ok := err.(*diag.Error) //nolint:errorlint // what wraps it says more
		if !ok || known.Pos.File != name || known.Object == "" {
			return err
		}
		at := *known
		at.Pos = inFile(known.Pos, known.Object)
		return &at
	})
	found.Settle(m.namespace())
	return found, err
}

// take adds a member that was found in a render. It replaces what lies in a file under its name; the same from another
// member is reported.
func (s *Source) take(n *member) {
	key := n.key()
	s.covered[key] = slices.DeleteFunc(s.covered[key], func(c covered) bool {
		return len(s.covered[key]) == 1 || isSamePlace(c.Pos, n.Pos)
	})
	have := s.byKey[key]
	switch {
	case n.depth > maxRounds:
		n.fail(fmt.Errorf("it is found in Kustomizations that are nested %d deep", maxRounds))
		s.insert(n)
	case have == nil:
		s.insert(n)
	case have.parent == nil || have.parent == n.parent || have == n.parent:
		if have.parent == nil && have != n.parent && !isBelow(n.parent, have) {
			have.parent, have.depth = n.parent, n.depth
		}
		if !have.Same(*n.Meta) && have.renders < maxRenders {
			have.replace(n)
		}
	default:
		have.report(diag.DuplicateObject, fmt.Sprintf("%s (%s) and %s (%s) both apply it",
			have.parent, have.parent.Pos, n.parent, n.parent.Pos))
	}
}

// isBelow reports whether a member was found in the render of another one, or in those of such.
func isBelow(m, top *member) bool {
	for ; m != nil; m = m.parent {
		if m == top {
			return true
		}
	}
	return false
}

// insert adds a member.
func (s *Source) insert(m *member) {
	s.members = append(s.members, m)
	if s.byKey[m.key()] == nil {
		s.byKey[m.key()] = m
	}
}

// addError adds what failed as a member that is named by what it is about.
func (s *Source) addError(err error) {
	name := "flux"
	var known *diag.Error
	if errors.As(err, &known) {
		if name = known.Object; name == "" {
			name = known.Pos.File
		}
	}
	s.members = append(s.members, &member{Meta: &objects.Meta{}, state: done, err: err, name: name})
}
