package inventory

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/internal/gc"
)

// listAll finds the members that the patterns name.
func (s *Source) listAll(ctx context.Context) error {
	s.members, s.listed, s.unfit = map[string]member{}, map[[2]string]bool{}, nil
	s.rules.Roots = s.Place.Roots
	patterns := s.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if s.As != "" {
		return s.addAdapted(ctx, s.As, patterns)
	}
	for _, pattern := range patterns {
		s.pattern = pattern
		if pattern == "-" {
			_ = s.add(pattern, member{path: pattern}) // its name is taken by itself at most
			continue
		}
		isThere, lookErr := files.Exists(s.Place.Files, pattern)
		if !isThere && lookErr == nil && s.mayBeName(pattern) {
			found, err := s.addNamed(ctx, filepath.ToSlash(pattern))
			if err != nil {
				return err
			}
			if found {
				continue
			}
		}
		paths, env, err := s.expand(pattern, isThere)
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			s.unfit = append(s.unfit, pattern)
		}
		gc.AllowHeapOf(len(paths))
		s.Place.Roots.Expect(len(paths))
		if len(s.members) == 0 {
			s.members = make(map[string]member, len(paths))
			s.listed = make(map[[2]string]bool, len(paths))
		}
		for _, path := range paths {
			if err := s.listPath(ctx, path, env); err != nil {
				return err
			}
		}
	}
	return nil
}

// expand returns the paths that a pattern means, which may be one itself that is there, and the environment that it
// names; "" for all.
func (s *Source) expand(pattern string, isThere bool) (paths []string, env string, err error) {
	name, env, named := cutEnv(pattern)
	if isThere && !(named && s.describes(name, env)) {
		return []string{pattern}, "", nil
	}
	if !named {
		name = pattern
	}
	if !fleet.IsPattern(name) {
		if has, err := files.Exists(s.Place.Files, name); s.Absent && (!has || err != nil) {
			return nil, "", nil
		}
		return []string{name}, env, nil // whoever reads it reports that it is not there
	}
	paths, err = fleet.Expand(s.Place.Roots.System(), []string{name})
	if err == nil && len(paths) == 0 && !s.Absent {
		err = noFolder(pattern, patternHint)
	}
	return paths, env, err
}

// describes reports whether the configuration has an environment of a path, which then counts before a folder whose
// name looks like it.
func (s *Source) describes(path, env string) bool {
	info, err := files.OrDisk(s.Place.Files).Stat(path)
	if err != nil {
		return false
	}
	place, err := s.Place.Roots.Locate(path)
	if err != nil {
		return false
	}
	rules, err := s.rules.Nearest(place)
	if err != nil {
		return false // whoever reads the path reports it
	}
	return slices.ContainsFunc(rulesOf(rules, place, path, info.IsDir(), env), func(i int) bool {
		return slices.Contains(rules.Rules[i].Envs, config.NonEmpty(env))
	})
}

// cutEnv takes the name of an environment from behind a path.
func cutEnv(name string) (path, env string, ok bool) {
	i := strings.LastIndexByte(name, '@')
	if i <= 0 || strings.ContainsAny(name[i:], `/\`) || i == len(name)-1 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// listPath adds what a path means: the applications that the configuration file in it describes, those that one above
// it says of the path, or the path itself. Env is the one environment that is meant; "" for all.
func (s *Source) listPath(ctx context.Context, path, env string) error {
	place, err := s.Place.Roots.Locate(path)
	if err != nil {
		return s.add(path, member{path: path}) // whoever reads it reports that it is not there
	}
	isFolder := s.Place.Roots.IsFolder(path)
	if isFolder && env == "" {
		rules, err := s.rules.Of(place)
		if err != nil {
			return err
		}
		if rules != nil {
			return s.listRules(ctx, path, rules)
		}
	}
	rules, err := s.rules.Nearest(place)
	if err != nil {
		return err
	}
	if fitting := rulesOf(rules, place, path, isFolder, env); len(fitting) > 0 {
		for _, i := range fitting {
			if err := s.addRule(ctx, path, rules, i, env); err != nil {
				return err
			}
		}
		return nil
	}
	if env != "" {
		return diag.Usage(fmt.Errorf("find application %s@%s: no configuration file describes %s", path, env, path),
			"Describe it in apps: of "+config.FileName+", with envs.")
	}
	return s.add(path, member{path: path})
}

// rulesOf returns the rules that are for a path: the first that fits, and those behind it that name the same path
// for other environments; where one environment is meant, the one that has it, or else the first.
func rulesOf(a *config.Apps, place config.Place, path string, isFolder bool, env string) (fitting []int) {
	if a == nil {
		return nil
	}
	at := place.Dir
	if !isFolder {
		at = filepath.Join(at, filepath.Base(path))
	}
	rel, err := filepath.Rel(a.Dir, at)
	if err != nil {
		return nil
	}
	for i, r := range a.Rules {
		glob := filepath.Clean(filepath.FromSlash(string(r.Path)))
		fits, err := filepath.Match(glob, rel)
		if err != nil || !fits || len(fitting) > 0 && fleet.IsPattern(string(r.Path)) {
			continue
		}
		if env != "" && slices.Contains(r.Envs, config.NonEmpty(env)) {
			return []int{i}
		}
		fitting = append(fitting, i)
	}
	if env != "" && len(fitting) > 1 {
		return fitting[:1]
	}
	return fitting
}

// listRules adds all applications that the configuration file in a folder describes.
func (s *Source) listRules(ctx context.Context, folder string, a *config.Apps) error {
	taken := map[string]int{} // the earlier rule, by the path for which it counts
	for i, rule := range a.Rules {
		pattern := filepath.Join(folder, filepath.FromSlash(string(rule.Path)))
		paths, err := fleet.Expand(s.Place.Files, []string{pattern})
		if err != nil {
			return err
		}
		if len(paths) == 0 && !s.Absent {
			return diag.UsageAt(a.At(i), fmt.Errorf("apps: nothing fits the path %s", rule.Path),
				"Correct it: it begins at the folder of this file, and a glob fits folders only. Or take the entry out.")
		}
		for _, path := range paths {
			first, isTaken := taken[path]
			isPattern := fleet.IsPattern(string(rule.Path))
			switch {
			case isTaken && isPattern:
				continue
			case isTaken && fleet.IsPattern(string(a.Rules[first].Path)):
				return overlap(a, first, i, path)
			case !isTaken:
				taken[path] = i
			}
			if err := s.addRule(ctx, path, a, i, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// overlap returns the error about a path that a glob describes before the entry that names it.
func overlap(a *config.Apps, glob, i int, path string) error {
	err := fmt.Errorf("application %s is described twice, first at %s, by the glob %s", path, a.At(glob),
		a.Rules[glob].Path)
	return diag.UsageAt(a.At(i), err, "Put this entry above the glob, which leaves out what entries above it describe.")
}

// addRule adds the applications that a rule makes of a path: one for each environment, or for the one that is meant.
func (s *Source) addRule(ctx context.Context, path string, a *config.Apps, i int, env string) error {
	rule := a.Rules[i]
	if s.Adapters[rule.As] != nil && env == "" {
		return s.addAdapted(ctx, rule.As, []string{path})
	}
	made := func(name string, r config.AppRule) error {
		return s.add(name, member{path: path, rule: &Rule{AppRule: r, Pos: a.At(i), Top: a.Root, number: i}})
	}
	if len(rule.Envs) == 0 && env == "" {
		return made(path, rule)
	}
	for _, e := range rule.Envs {
		if env != "" && env != string(e) {
			continue
		}
		if err := made(path+"@"+string(e), inEnvironment(rule, string(e))); err != nil {
			return err
		}
	}
	if env != "" && !slices.Contains(rule.Envs, config.NonEmpty(env)) && !s.Absent {
		return diag.Usage(fmt.Errorf("find application %s@%s: %s has no environment %s", path, env, a.At(i), env),
			"List the applications with rollstamp apps.")
	}
	return nil
}

// inEnvironment returns a rule with the name of an environment filled in.
func inEnvironment(rule config.AppRule, env string) config.AppRule {
	fill := func(text config.NonEmpty) config.NonEmpty {
		return config.NonEmpty(strings.ReplaceAll(string(text), config.EnvField, env))
	}
	rule.Release, rule.Namespace, rule.Values = fill(rule.Release), fill(rule.Namespace), slices.Clone(rule.Values)
	for i, v := range rule.Values {
		rule.Values[i] = fill(v)
	}
	rule.Envs = []config.NonEmpty{config.NonEmpty(env)}
	return rule
}
