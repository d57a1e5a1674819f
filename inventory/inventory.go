// Package inventory lists the applications of a run: those at the paths that a user names, those that a configuration
// file describes, and those that the objects of an engine describe.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
)

// Names returns the names of the applications: the path as the user wrote it, or as the configuration has it, with
// @ENV behind it; for what an engine's objects describe, the engine's own.
func (s *Source) Names(ctx context.Context) ([]string, error) {
	s.list.Lock()
	defer s.list.Unlock()
	if s.isDone {
		return s.names, s.err
	}
	s.names, s.adapted = nil, nil
	err := s.listAll(ctx)
	if ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err()) // of this call, and not of the next
	}
	s.err, s.isDone = err, true
	return s.names, s.err
}

// Unfit returns the patterns that fit nothing, after Names: under Absent that is no error.
func (s *Source) Unfit() []string { return s.unfit }

// None returns why the objects of an engine describe no application, after Names and under Absent, which is no error
// there; nil where they do, or there are none.
func (s *Source) None() error { return s.none }

// Path returns the path of what has a name, as it is read from the working folder; a name that is not known is its own.
func (s *Source) Path(name string) string {
	m := s.members[name]
	if m.source != nil {
		m.path = m.source.Folder(name)
	}
	return cmp.Or(m.path, name)
}

// Reuse has the source take over what the objects of engines describe in another state of the same files, where it is
// unchanged. It is called before Names.
func (s *Source) Reuse(of *Source, same func(a *app.Application, read []string) bool) {
	s.before = reuse{of, same}
}

// Describes reports whether the objects of an engine describe the application of a name, and whether it is unchanged in
// the state of the files that Reuse named.
func (s *Source) Describes(name string) (described, unchanged bool) {
	m := s.members[name]
	return m.source != nil, m.source != nil && m.source.IsUnchanged(name)
}

// Objects returns the objects of an engine that describe the application of a name, as errors name objects.
func (s *Source) Objects(name string) []string {
	if m := s.members[name]; m.source != nil {
		return m.source.Objects(name)
	}
	return nil
}

// Takes returns the objects in its cluster that an application of a name takes values from, also of one that fails.
func (s *Source) Takes(name string) []app.Object {
	if taker, ok := s.members[name].source.(app.Taker); ok {
		return taker.Takes(name)
	}
	return nil
}

// Naming returns the applications, sorted, whose descriptions name an object, as app.Namer has them.
func (s *Source) Naming(o app.Object, file string) (out []string) {
	for _, source := range s.adapted {
		if namer, ok := source.(app.Namer); ok {
			out = append(out, namer.Naming(o, file)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Files returns the files with the objects of engines that were read.
func (s *Source) Files() (out []string) {
	for _, source := range s.adapted {
		out = append(out, source.Files()...)
	}
	return out
}

// Pattern returns the pattern of the user's that names the application; "." where there was none.
func (s *Source) Pattern(name string) string { return s.members[name].by }

// Application returns the application of a name.
func (s *Source) Application(ctx context.Context, name string) (*app.Application, error) {
	if _, err := s.Names(ctx); err != nil {
		return nil, err
	}
	m, ok := s.members[name]
	switch {
	case !ok:
		return nil, diag.Usage(fmt.Errorf("find application %s: there is none of that name", name),
			"List them with rollstamp apps.")
	case m.source != nil:
		return m.source.Application(ctx, name)
	case m.rule == nil:
		return s.Builder.Application(ctx, s.Place, m.path)
	}
	a, err := s.Builder.For(*m.rule).Application(ctx, s.Place, m.path)
	if err != nil {
		return nil, err
	}
	a = a.WithName(name).WithOrigin(app.Origin{Pos: m.rule.Pos})
	if len(m.rule.Envs) > 0 {
		a = a.WithDestination(app.Destination{Environment: string(m.rule.Envs[0])})
	}
	return a, nil
}
