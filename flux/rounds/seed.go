package rounds

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// seed adds the members that the rounds begin with: of the objects in files those that no Kustomization among them is
// likely to apply, because they do not lie in its folder. The others are found in its render, with its patches.
func (s *Source) seed(ctx context.Context) {
	var all []*member
	for _, o := range s.buildFolders(ctx) {
		o.Settle(bootstrapName)
		s.finder.add(o, false)
		all = append(all, newMembers(o, nil)...)
	}
	in := s.folders(ctx, all)
	found := newStrays(s.finder, in)
	s.addErrors(found)
	all = s.withoutStrays(all, found)
	above := s.covers(all, in)
	first := map[string]*member{}
	for _, m := range all {
		if by := above[m]; by != nil {
			s.cover(m, by)
			continue
		}
		key := m.key()
		if before := first[key]; before != nil {
			if !isSamePlace(m.Pos, before.Pos) { // else the user names it twice, such as a folder and a file of it
				s.addRepeated(m, before)
			}
			continue
		}
		first[key] = m
		s.insert(m)
	}
	if len(s.members) == 0 { // each lies in the folder of another one
		for _, m := range all {
			if above[m] != nil && m.kustomization != nil {
				s.uncover(m)
				s.insert(m)
				return
			}
		}
	}
}

// isSamePlace reports whether two positions are of one line.
func isSamePlace(a, b diag.Position) bool {
	return a.File != "-" && a.Line == b.Line && absolute(a.File) == absolute(b.File)
}

// addRepeated adds an object that lies in two files as a member that failed.
func (s *Source) addRepeated(m, before *member) {
	one, other := apart(before.Pos.File, m.Pos.File)
	err := fmt.Errorf("the same object stands at %s, and one of the two is meant", before.Pos)
	hint := "Name the files of one cluster only, such as clusters/production."
	switch {
	case strings.Contains(m.Namespace+m.Name, "${"):
		hint = "Its name has a variable, which what applies it replaces: name the folder with the Kustomizations that " +
			"lead to both, and not the folders that they build."
	case one != before.Pos.File: // so that many may stand in both
		err = &diag.Shared{Err: fmt.Errorf("%s has an object of its name, too, and one of the two is meant", one)}
		hint = fmt.Sprintf("Name the files of one cluster only: %s, or %s.", one, other)
	}
	m.fail(m.Fail(err, hint))
	m.name = fmt.Sprintf("%s/%s (%s)", m.Namespace, m.Name, m.Pos)
	m.repeats = before
	s.members = append(s.members, m)
}

// apart returns two paths up to where they are alike to their ends.
func apart(a, b string) (string, string) {
	for path.Base(a) == path.Base(b) && path.Dir(a) != "." && path.Dir(b) != "." {
		a, b = path.Dir(a), path.Dir(b)
	}
	return a, b
}

// hasSources reports whether files hold sources, or what makes these.
func hasSources(all []*objects.Objects) bool {
	for _, o := range all {
		if len(o.Sources)+len(o.Generators) > 0 {
			return true
		}
	}
	return false
}
