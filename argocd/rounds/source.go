package rounds

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// NewSource returns the source of the Applications in objects. The errors are those of reading them; each is a member
// of its own. Progress, where it is not nil, is called as rounds go on.
func NewSource(
	w *World, create NewApplication, objects []*appset.Objects, errs []error, progress fleet.Progress,
) *Source {
	s := &Source{world: w, create: create, objects: objects, progress: progress,
		found: map[string]*member{}, sources: map[string][]*member{}, sets: map[string]*appset.Set{},
		asWritten: map[string]pending{}}
	s.addErrors(errs)
	return s
}

// Names returns the names of all applications, in the order of the rounds.
func (s *Source) Names(ctx context.Context) ([]string, error) {
	if err := s.find(ctx); err != nil {
		return nil, err
	}
	if len(s.names) == 0 {
		return nil, s.nothing()
	}
	return s.names, nil
}

// find fills the members, once. A search that is interrupted is made again.
func (s *Source) find(ctx context.Context) error {
	s.finding.Lock()
	defer s.finding.Unlock()
	if s.complete {
		return nil
	}
	names, members, sources, sets := s.names, maps.Clone(s.found), maps.Clone(s.sources), maps.Clone(s.sets)
	s.findAll(ctx)
	if err := ctx.Err(); err != nil {
		s.names, s.found, s.sources, s.sets = names, members, sources, sets
		return err
	}
	s.complete = true
	return nil
}

// Application returns the application of a name, or the error that it failed with.
func (s *Source) Application(ctx context.Context, name string) (*app.Application, error) {
	if err := s.find(ctx); err != nil {
		return nil, err
	}
	m := s.found[name]
	if m == nil {
		return nil, diag.Usage(fmt.Errorf("find application %s: there is none of that name", name),
			"List them with rollstamp apps.")
	}
	return m.app, m.err
}

// Reuse is app.Described's.
func (s *Source) Reuse(of app.Described, same func(a *app.Application, read []string) bool) {
	if other, ok := of.(*Source); ok {
		s.before = append(s.before, before{other, same})
	}
}

// IsUnchanged is app.Described's.
func (s *Source) IsUnchanged(name string) bool {
	m := s.found[name]
	return m != nil && m.found.unchanged
}

// Folder is app.Described's.
func (s *Source) Folder(name string) string {
	m := s.found[name]
	switch {
	case m == nil:
	case m.app != nil:
		return m.app.Path()
	case m.found.part.Call != nil:
		return files.FromHere(m.found.part.Call.Dir)
	}
	return ""
}

// Objects is app.Described's.
func (s *Source) Objects(name string) []string {
	m := s.found[name]
	if m == nil || m.of == nil {
		return nil
	}
	return []string{"Application " + s.world.nameOf(m.of), m.of.Set}
}

// Files is app.Described's.
func (s *Source) Files() (out []string) {
	for _, o := range s.objects {
		if !o.IsEmpty() {
			out = append(out, o.Files...)
		}
	}
	return out
}

// Several returns, for each Application of which several sources are among the names, their indexes.
func (s *Source) Several(names []string) (groups [][]int) {
	for i, name := range names {
		m := s.found[name]
		if m == nil || !m.several {
			continue
		}
		if i > 0 && len(groups) > 0 && s.found[names[i-1]] != nil && s.found[names[i-1]].of == m.of {
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
		} else {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// LastOnly returns the outcomes of the sources of one Application, in their order, where of an object that several of
// them render the last one remains, as Argo CD applies it.
func (s *Source) LastOnly(outcomes []fleet.Outcome) ([]fleet.Outcome, error) {
	m := s.found[outcomes[0].Name]
	if m == nil || m.of == nil {
		return outcomes, nil
	}
	return lastOnly(outcomes, m.of.Spec.Destination.Namespace)
}

// nothing returns the error of objects without Applications, whose ApplicationSets, if any, generated none.
func (s *Source) nothing() error {
	if err := appset.NoApplications(s.objects); err != nil {
		return err
	}
	return &app.NoneError{Err: diag.Input(diag.Position{},
		errors.New("find applications: there is no Application and no ApplicationSet"),
		"Name a file, a folder of files, or a chart or kustomization that renders them.")}
}
