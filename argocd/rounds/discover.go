package rounds

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/pipeline/retained"
	"github.com/rollstamp/rollstamp/render"
)

// findAll fills the members, round by round: a render may hold further Applications.
func (s *Source) findAll(ctx context.Context) {
	first := map[string]pending{}
	round := s.pending(ctx, "", s.objects...)
	for depth := 0; len(round) > 0 && ctx.Err() == nil; depth++ {
		if depth > 0 {
			round = s.withoutRepeated(round, first)
		}
		if depth == maxRounds {
			s.refuse(round)
			return
		}
		fleet.Each(ctx, len(round), func(ctx context.Context, i int) error {
			round[i].sources = s.renderSources(ctx, round[i])
			return nil
		}, s.progress) // each source has its own error
		if depth == 0 {
			round = s.withoutRepeated(s.withoutCovered(round), first)
		}
		var next []pending
		for _, p := range round {
			s.addSources(p)
			next = append(next, s.within(ctx, p)...)
		}
		round = next
	}
}

// withoutCovered returns the Applications of files that no other renders. What was found of the others is kept for
// those that are rendered as they are written.
func (s *Source) withoutCovered(round []pending) (rest []pending) {
	all := make([]described, len(round))
	for i, p := range round {
		all[i].Application = p.Application
		for _, f := range p.sources {
			if f.part.Call != nil {
				all[i].read(f.part.Call.Kind, f.read)
			}
		}
	}
	for i, isCovered := range covered(all) {
		if isCovered {
			s.asWritten[round[i].name] = round[i]
			continue
		}
		rest = append(rest, round[i])
	}
	return rest
}

// withoutRepeated returns those of a round that are the first of their name. The same one may be found again, where
// a file is named that another Application renders, too; another one of that name is a member that failed.
func (s *Source) withoutRepeated(round []pending, first map[string]pending) []pending {
	return slices.DeleteFunc(round, func(p pending) bool {
		before, again := first[p.name]
		if !again {
			first[p.name] = p
			return false
		}
		if !isAgain(before.Application, p.Application) {
			err := repeated(before.Application, p.Application)
			name := fmt.Sprintf("%s (%s)", p.name, p.Pos)
			if s.hasFailed(name, err) {
				return true
			}
			again := found{unchanged: s.isRepeatedAsBefore(name, p.Application)}
			s.add(name, &member{of: p.Application, err: err, found: again})
		}
		return true
	})
}

// pending returns the Applications of objects that were found in the render of parent.
func (s *Source) pending(ctx context.Context, parent string, objects ...*appset.Objects) []pending {
	for _, o := range objects {
		for _, set := range o.Sets {
			s.sets[set.String()] = set
		}
	}
	all, errs := s.world.Applications(ctx, objects...)
	s.addErrors(errs)
	out := make([]pending, len(all))
	for i, a := range all {
		out[i] = pending{Application: a, name: s.world.nameOf(a), parent: parent}
	}
	return out
}

// refuse adds Applications that are nested too deep as members that failed.
func (s *Source) refuse(round []pending) {
	for _, p := range round {
		s.add(p.name, &member{of: p.Application, err: tooDeep(p.Application)})
	}
}

// nameOf returns the name of an Application among those of a run.
func (w *World) nameOf(a *apps.Application) string {
	return cmp.Or(a.Namespace, w.instance.Namespace) + "/" + a.Name
}

// renderSources renders the sources of an Application without stamps.
func (s *Source) renderSources(ctx context.Context, p pending) []found {
	if as, ok := s.asWritten[p.name]; ok && as.Same(p.Application) {
		return as.sources
	}
	parts, err := s.world.Parts(ctx, p.Application)
	if err != nil {
		return []found{{err: err, unchanged: s.failsAsDescribed(p)}}
	}
	out := make([]found, len(parts))
	for i, part := range parts {
		before, ok := s.takeOver(p, part)
		if ok {
			out[i] = before
			continue
		}
		out[i] = s.renderSource(ctx, p, part)
		out[i].unchanged = before.unchanged && out[i].err != nil
	}
	return out
}

func (s *Source) renderSource(ctx context.Context, p pending, part apps.Part) found {
	a, err := s.create(part)
	if err != nil {
		return found{part: part, err: placed(p.Application, part, err)}
	}
	a = retained.WithDisplayPath(a)
	result, err := pipeline.Run(contain.Named(ctx, part.Name, part.Pos.String()), a.WithoutStamping())
	if err != nil {
		if ended := withoutName(part.Name, err); ended != err { //nolint:errorlint // it is the same one, or another
			err = &diag.Error{Exit: diag.ExitInput, Object: p.Application.String(), Pos: part.Pos,
				Err: errors.Unwrap(ended), Hint: diag.HintOf(ended)}
		}
		return found{part: part, app: a, err: placed(p.Application, part, err)}
	}
	if part.Plugin {
		if err := refusal(ctx, part, a, result.Output); err != nil {
			return found{part: part, app: a, err: named(p.Application, part, err)}
		}
	}
	f := found{part: part, app: s.memory.With(a, result.Output), read: result.Output.Inputs}
	if bytes.Contains(result.Output.Text, []byte(apps.Group)) {
		f.output = result.Output
	}
	return f
}

// addSources adds the sources of an Application as members.
func (s *Source) addSources(p pending) {
	for _, f := range p.sources {
		name := p.name
		if len(p.sources) > 1 {
			name = fmt.Sprintf("%s/source-%d", name, f.part.Number)
		}
		m := &member{app: f.app, of: p.Application, several: len(p.sources) > 1, err: f.err, found: f}
		if m.app != nil {
			origin := app.Origin{Pos: p.Pos, Set: p.Set, Parent: p.parent, Replacing: p.Replacing(),
				Declared: m.app.Origin().Declared}
			m.app = m.app.WithOrigin(origin).
				WithDestination(s.world.destination(p.Application)).WithLeaves(leaves(p.Application))
		}
		s.add(name, m)
		s.sources[p.name] = append(s.sources[p.name], m)
	}
}

// leaves returns why Argo CD leaves objects in the cluster whose manifests are gone.
func leaves(a *apps.Application) app.Leaves {
	if a.Prunes() {
		return app.Leaves{}
	}
	return app.Leaves{Objects: "automated sync does not prune it"}
}

// within returns the Applications that are in what an Application renders. Those that name no namespace lie in that of
// its destination.
func (s *Source) within(ctx context.Context, p pending) (out []pending) {
	for _, f := range p.sources {
		if f.output == nil {
			continue
		}
		objects, err := Objects(f.output, "what "+p.name+" renders")
		if err != nil {
			s.addErrors([]error{err})
			continue
		}
		objects.Settle(p.Spec.Destination.Namespace)
		out = append(out, s.pending(ctx, p.name, objects)...)
	}
	return out
}

// Objects returns the Applications and ApplicationSets in a render. They are at the lines of its sources as far as
// these are known, else at those of a text that has the name.
func Objects(out *render.Output, name string) (*appset.Objects, error) {
	objects, err := appset.Parse(out.Text, name)
	if err != nil {
		return nil, err
	}
	objects.Files = out.Inputs
	places := render.NewPlaces(out.Text, out.Origins)
	var looking sync.Mutex // errors are found side by side
	source := func(rendered diag.Position) diag.Position {
		looking.Lock()
		defer looking.Unlock()
		if pos := places.Line(rendered.Line); pos.File != "" {
			if filepath.IsAbs(pos.File) {
				pos.File = files.FromHere(pos.File)
			}
			return pos
		}
		return rendered
	}
	for _, a := range objects.Applications {
		a.Relocate(source)
	}
	for _, set := range objects.Sets {
		set.Relocate(source)
	}
	for _, failed := range objects.Failed {
		var known *diag.Error
		if errors.As(failed.Err, &known) && known.Pos.File == name {
			at := *known
			at.Pos = source(known.Pos)
			failed.Err = &at
		}
	}
	return objects, nil
}

// addErrors adds what failed as members that are named by what they are about.
func (s *Source) addErrors(errs []error) {
	for _, joined := range errs {
		for _, err := range diag.Unjoin(joined) {
			name := "applications"
			var known *diag.Error
			if errors.As(err, &known) {
				if name = known.Object; name == "" {
					name = known.Pos.File
				}
			}
			if !s.hasFailed(name, err) {
				s.add(name, &member{err: err, found: found{unchanged: s.failsAsBefore(name, err)}})
			}
		}
	}
}

// hasFailed reports whether a member of that name has failed with the same error: the same object is found again where
// a file is named that an Application renders, too.
func (s *Source) hasFailed(name string, err error) bool {
	m := s.found[name]
	return m != nil && m.err != nil && diag.IsSameFailure(m.err, err)
}
