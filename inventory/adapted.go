package inventory

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// addAdapted adds the applications that the objects of an engine at paths describe.
func (s *Source) addAdapted(ctx context.Context, as config.AppKind, paths []string) error {
	if paths = s.present(paths); len(paths) == 0 {
		return nil
	}
	source, err := s.describe(ctx, as, paths)
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if none := (*app.NoneError)(nil); err != nil && !(s.Absent && errors.As(err, &none)) {
		return err
	}
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
		for _, path := range s.present(paths) {
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

// present returns the paths that are there, or all where one that is not is an error.
func (s *Source) present(paths []string) []string {
	if !s.Absent {
		return paths
	}
	system := files.OrDisk(s.Place.Files)
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := system.Stat(path)
		return path != "-" && errors.Is(err, fs.ErrNotExist)
	})
}

// mayBeName reports whether a pattern may be the name of an application that an engine's objects describe: nothing is
// there, and it has the form of one.
func (s *Source) mayBeName(pattern string) bool {
	if fleet.IsPattern(pattern) || !strings.Contains(filepath.ToSlash(pattern), "/") || len(s.Adapters) == 0 {
		return false
	}
	_, err := files.OrDisk(s.Place.Files).Lstat(pattern)
	return errors.Is(err, fs.ErrNotExist)
}
