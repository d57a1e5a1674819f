package inventory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/internal/gc"
)

// Expand returns the paths that patterns mean for what reads the objects of an engine. A pattern that fits no folder is
// an error; of a path that is not there, whoever reads it reports that.
func Expand(system files.System, patterns []string) (out []string, err error) {
	for _, pattern := range patterns {
		if pattern == "-" || !fleet.IsPattern(pattern) {
			out = append(out, pattern)
			continue
		}
		paths, err := fleet.Expand(system, []string{pattern})
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, noFolder(pattern, patternHint)
		}
		out = append(out, paths...)
	}
	return out, nil
}

const patternHint = "Paths begin in the working folder, and a pattern in quotes fits folders only."

// noFolder returns the error of a pattern that fits no folder.
func noFolder(pattern, hint string) error {
	err := fmt.Errorf("find applications: no folder fits %s", pattern)
	return &app.NoneError{Err: diag.Input(diag.Position{}, err, hint)}
}

// addAdapted adds the applications that the objects of an engine at the paths of patterns describe.
func (s *Source) addAdapted(ctx context.Context, as config.AppKind, patterns []string) error {
	paths, err := s.present(patterns)
	if err != nil || len(paths) == 0 {
		return err
	}
	source, err := s.describe(ctx, as, paths)
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if none := (*app.NoneError)(nil); err != nil && s.Absent && errors.As(err, &none) {
		s.none = none.Err
	} else if err != nil {
		return err
	}
	gc.AllowHeapOf(len(names))
	for _, name := range names {
		if err := s.add(name, member{source: source}); err != nil {
			return err
		}
	}
	return nil
}

// describe returns what the objects of an engine at paths describe; it is one for the same paths.
func (s *Source) describe(ctx context.Context, as config.AppKind, paths []string) (app.Described, error) {
	key := strings.Join(append([]string{string(as)}, paths...), "\x00")
	if known := s.adapted[key]; known != nil {
		return known, nil
	}
	source, err := s.Adapters[as](ctx, s.Place, paths)
	if err != nil {
		return nil, err
	}
	if s.adapted == nil {
		s.adapted = map[string]app.Described{}
	}
	s.adapted[key] = source
	if s.before.of != nil {
		for _, before := range s.before.of.adapted {
			source.Reuse(before, s.before.same)
		}
	}
	return source, nil
}

// addNamed adds the application, or the sources of the one, that an engine's objects describe under a name, and reports
// whether there is one. They are the objects that the nearest configuration file names.
func (s *Source) addNamed(ctx context.Context, name string) (found bool, err error) {
	place, err := s.Place.Roots.Locate(".")
	if err != nil {
		return false, nil // whoever reads the path reports that
	}
	rules, err := s.rules.Nearest(place)
	if err != nil || rules == nil {
		return false, err
	}
	for _, rule := range rules.Rules {
		if s.Adapters[rule.As] == nil {
			continue
		}
		pattern := files.FromHere(filepath.Join(rules.Dir, filepath.FromSlash(string(rule.Path))))
		paths, err := fleet.Expand(s.Place.Files, []string{pattern})
		if err != nil {
			return false, err
		}
		for _, path := range paths {
			source, err := s.describe(ctx, rule.As, []string{path})
			if err != nil {
				return false, err
			}
			names, _ := source.Names(ctx) // where there are none, it is not among them
			for _, one := range names {
				if one == name || strings.HasPrefix(one, name+"/") {
					found = true
					if err := s.add(one, member{source: source}); err != nil {
						return found, err
					}
				}
			}
		}
	}
	return found, nil
}

// present returns the paths that patterns mean: those that are there, or all where one that is not is an error.
func (s *Source) present(patterns []string) ([]string, error) {
	if !s.Absent {
		return Expand(s.Place.Files, patterns)
	}
	var out []string
	for _, pattern := range patterns {
		if pattern == "-" {
			out = append(out, pattern)
			continue
		}
		paths, err := fleet.Expand(s.Place.Files, []string{pattern})
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			s.unfit = append(s.unfit, pattern)
		}
		out = append(out, paths...)
	}
	return out, nil
}

// mayBeName reports whether a pattern that is no path may be the name of an application that an engine's objects
// describe: it has the form of one.
func (s *Source) mayBeName(pattern string) bool {
	return !fleet.IsPattern(pattern) && strings.Contains(filepath.ToSlash(pattern), "/") && len(s.Adapters) > 0
}
