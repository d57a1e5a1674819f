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
		if u.isFile() {
			count[u.File]++
		}
		perhaps[u.File] = perhaps[u.File] || u.Reason == PerhapsRead
	}
	return slices.DeleteFunc(unknown, func(u Unknown) bool {
		return u.isFile() && count[u.File] < parts || u.Reason == Unread && perhaps[u.File]
	})
}

// belongs checks that two comparisons are of the same commits, and of work trees that are alike as far as that is
// known.
func belongs(first, p *Comparison) error {
	if p.From != first.From || p.To != first.To {
		return joining(diag.Usage(fmt.Errorf("one is of %s and %s, another of %s and %s", first.From, first.To, p.From, p.To),
			"Join the parts of one run."))
	}
	return joining(sameCommits(first.part(), p.part()))
}

// joining returns an error about two parts as one of joining them.
func joining(err error) error {
	if err == nil {
		return nil
	}
	return diag.Usage(fmt.Errorf("join comparisons: %w", err), diag.HintOf(err))
}

// String returns the commits, and of a work tree what is checked out there.
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
	return strings.Trim(c.From+".."+to, ".")
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
	first := parts[0]
	for _, p := range parts {
		switch {
		case p.Shard != nil && first.Shard != nil:
			if err := sameMaking(first.part(), p.part()); err != nil {
				return joining(err)
			}
		case p.shard().Release != first.shard().Release:
			return joining(otherRelease(first.shard(), p.shard()))
		}
	}
	return nil
}

// complete checks that the parts are all that there are.
func complete(parts []*Comparison) error {
	of := parts[0].shard().Of
	have := map[int]bool{}
	for _, p := range parts {
		shard := p.shard()
		switch {
		case shard.Of != of:
			return joining(otherNumber(of, shard.Of))
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
