package inventory

import (
	"context"
	"path/filepath"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
)

// Covers reports whether the run has each application that may read what lies in a folder for those in and below it.
// Of what the configuration files from there upwards describe, these are the ones at such paths, in all environments,
// and all that the objects of engines describe. It is false where that cannot be listed.
func (s *Source) Covers(ctx context.Context, folder string) bool {
	if _, err := s.Names(ctx); err != nil || s.As != "" {
		return false
	}
	place, err := s.Place.Roots.Locate(folder)
	if err != nil {
		return false
	}
	for dir := range files.Upwards(place.Dir, place.Root) {
		at := place
		at.Dir = dir
		rules, err := s.rules.Of(at)
		if err != nil || rules != nil && !s.absentOf(ctx, rules).isOutside(place.Dir) {
			return false
		}
	}
	return true
}

// absent is what a configuration file describes and the run does not have.
type absent struct {
	folders   []string
	isUnknown bool // there are some whose folders are not known
}

// absentOf returns what the run lacks of the rules of a configuration file.
func (s *Source) absentOf(ctx context.Context, rules *config.Apps) absent {
	if known, ok := s.absent[rules.Dir]; ok {
		return known
	}
	all := &Source{
		Adapters: s.Adapters, Place: s.Place, Absent: true, adapted: s.adapted,
		members: map[string]member{}, listed: map[[2]string]bool{},
	}
	var out absent
	if err := all.listRules(ctx, files.FromHere(rules.Dir), rules); err != nil {
		out.isUnknown = true
	}
	has := map[[2]string]bool{}
	for _, m := range s.members {
		has[m.absoluteIdentity()] = true
	}
	for name, m := range all.members {
		if m.source != nil {
			out.isUnknown = out.isUnknown || s.members[name].source == nil
			continue
		}
		if has[m.absoluteIdentity()] {
			continue
		}
		place, err := s.Place.Roots.Locate(m.path)
		out.folders, out.isUnknown = append(out.folders, place.Dir), out.isUnknown || err != nil
	}
	if s.absent == nil {
		s.absent = map[string]absent{}
	}
	s.absent[rules.Dir] = out
	return out
}

// isOutside reports whether all of it lies outside a folder.
func (a absent) isOutside(folder string) bool {
	for _, one := range a.folders {
		if _, in := files.Rel(folder, one); in {
			return false
		}
	}
	return !a.isUnknown
}

// absoluteIdentity returns the identity of a member with its path as it is from everywhere.
func (m member) absoluteIdentity() [2]string {
	id := m.identity()
	if path, err := filepath.Abs(m.path); err == nil {
		id[0] = path
	}
	return id
}
