package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Join makes one comparison of the parts of a run that was divided by applications. It is what one run over all of
// them would have returned, but for what the applications know of each other. An incomplete set of parts is an error.
func Join(parts []*Comparison) (*Comparison, error) {
	if len(parts) == 0 {
		return nil, diag.Usage(fmt.Errorf("join comparisons: there is none"), "")
	}
	first := parts[0]
	all := newComparison(first.From, first.To)
	all.Commits = first.Commits
	seen := map[string]bool{}
	for _, p := range parts {
		if err := belongs(first, p); err != nil {
			return nil, err
		}
	}
	if err := sameShards(parts); err != nil {
		return nil, err
	}
	for _, p := range parts {
		all.Paths = append(all.Paths, p.Paths...)
		for _, a := range p.Apps {
			if seen[a.Name] {
				return nil, diag.Usage(fmt.Errorf("join comparisons: application %s is in two of them", a.Name),
					"Set a different --shard for each part.")
			}
			seen[a.Name] = true
		}
		all.add(p)
	}
	if err := complete(parts); err != nil {
		return nil, err
	}
	slices.Sort(all.Paths)
	all.Paths = slices.Compact(all.Paths)
	all.Unknown = unreadByAll(all.Unknown, len(parts))
	if first.Shard != nil {
		all.readAcrossParts()
	}
	all.settle()
	return all, nil
}

// unreadByAll leaves of the files that a part does not read those out that another part reads.
func unreadByAll(unknown []Unknown, parts int) []Unknown {
	count, perhaps := map[string]int{}, map[string]bool{}
	for _, u := range unknown {
		if u.Reason == Unread || u.Reason == PerhapsRead {
			count[u.File]++
		}
		perhaps[u.File] = perhaps[u.File] || u.Reason == PerhapsRead
	}
	return slices.DeleteFunc(unknown, func(u Unknown) bool {
		isFile := u.Reason == Unread || u.Reason == PerhapsRead
		return isFile && count[u.File] < parts || u.Reason == Unread && perhaps[u.File]
	})
}

// belongs checks that two comparisons are of the same commits, and of work trees that are alike as far as that is
// known.
func belongs(first, p *Comparison) error {
	const hint = "Join the parts of one run."
	if p.From != first.From || p.To != first.To {
		return diag.Usage(fmt.Errorf("join comparisons: one is of %s and %s, another of %s and %s", first.From, first.To,
			p.From, p.To), hint)
	}
	a, b := Commits{}, Commits{}
	if first.Commits != nil {
		a = *first.Commits
	}
	if p.Commits != nil {
		b = *p.Commits
	}
	if a != b {
		return diag.Usage(fmt.Errorf("join comparisons: one is of the commits %s, another of %s", a, b), hint)
	}
	return nil
}

// String returns both commits, and of a work tree what is checked out there.
func (c Commits) String() string {
	to := c.To
	if c.Head != "" {
		to = "worktree at " + c.Head
	}
	switch {
	case c.Changes != "":
		to += " (modified: " + c.Changes + ")"
	case c.Modified:
		to += " (modified)"
	}
	return strings.TrimSuffix(c.From+".."+to, "..")
}

// shard returns which part of a run a comparison is.
func (c *Comparison) shard() Shard {
	if c.Shard == nil {
		return Shard{Number: 1, Of: 1}
	}
	return *c.Shard
}

// sameShards checks that the parts are of a run that was divided in one way: into as many, of the same paths.
func sameShards(parts []*Comparison) error {
	of := 0
	for _, p := range parts {
		if first := parts[0]; p.Shard != nil && first.Shard != nil && !slices.Equal(p.Paths, first.Paths) {
			return diag.Usage(fmt.Errorf("join comparisons: one is a part of %s, another of %s", pathsOf(first), pathsOf(p)),
				"Pass the same PATHs to each part: what is in none of them was not compared.")
		}
		if first := parts[0].shard(); p.shard().Release != first.Release {
			return diag.Usage(fmt.Errorf("join comparisons: one was made by %s, another by %s", ReleaseName(first.Release),
				ReleaseName(p.shard().Release)), "Use one release for all parts of a run.")
		}
		if flag, kind := otherMaking(parts[0], p); p.Shard != nil && parts[0].Shard != nil && flag != "" {
			return diag.Usage(fmt.Errorf("join comparisons: parts were made with %s %s", kind, flag),
				"Set the same flags and variables for each part.")
		}
		other := p.shard().Of
		if p.Shard != nil && of > 0 && other != of {
			return otherParts(of, other)
		}
		if p.Shard != nil {
			of = other
		}
	}
	return nil
}

// ReleaseName returns how a text names a release of rollstamp; "" is none.
func ReleaseName(release string) string {
	if release == "" {
		return "a build of rollstamp without a release"
	}
	return "rollstamp " + release
}

// otherMaking returns a flag or variable with which one part was made and another was not, or not with that value, and
// which of these it is.
func otherMaking(a, b *Comparison) (flag, kind string) {
	for _, sides := range [...][2]*Comparison{{a, b}, {b, a}} {
		for _, s := range sides[0].MadeWith {
			i := slices.IndexFunc(sides[1].MadeWith, func(o Setting) bool { return o.Name == s.Name })
			switch {
			case i < 0:
				return s.Name, "and without"
			case sides[1].MadeWith[i].Bits != s.Bits:
				return s.Name, "different values of"
			}
		}
	}
	return "", ""
}

// pathsOf returns what was named to be compared.
func pathsOf(c *Comparison) string {
	if len(c.Paths) == 0 {
		return "no path"
	}
	return strings.Join(c.Paths, " ")
}

func otherParts(of, other int) error {
	return diag.Usage(fmt.Errorf("join comparisons: one is a part of %d, another of %d", of, other),
		"Join the parts of one run.")
}

// complete checks that the parts are all that there are.
func complete(parts []*Comparison) error {
	of := parts[0].shard().Of
	have := map[int]bool{}
	for _, p := range parts {
		shard := p.shard()
		switch {
		case shard.Of != of:
			return otherParts(of, shard.Of)
		case have[shard.Number] && of > 1:
			return diag.Usage(fmt.Errorf("join comparisons: part %d/%d is there twice", shard.Number, of), "")
		}
		have[shard.Number] = true
	}
	var missing []string
	for n := 1; n <= of && len(missing) < 8; n++ {
		if !have[n] {
			missing = append(missing, fmt.Sprintf("%d/%d", n, of))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return diag.Usage(fmt.Errorf("join comparisons: %d of %d parts are missing: %s", of-len(have), of,
		strings.Join(missing, ", ")), "Name all parts: of what is missing it is not known what restarts.")
}
