package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Part is how one part of a divided run was made. Parts are of one run where that is the same in all of them.
type Part struct {
	Commits  *Commits  `json:"commits,omitempty"`
	Paths    []string  `json:"paths,omitempty"` // what was named, sorted
	Shard    *Shard    `json:"shard"`
	MadeWith []Setting `json:"madeWith,omitempty"`
}

// part returns how a comparison was made.
func (c *Comparison) part() Part { return Part{c.Commits, c.Paths, c.Shard, c.MadeWith} }

// SameRun returns a usage error that names in what two parts are not of one run; nil where they are.
func SameRun(a, b Part) error {
	if err := sameCommits(a, b); err != nil {
		return err
	}
	return sameMaking(a, b)
}

// sameCommits checks that two parts are of the same commits, and of work trees that are alike as far as that is known.
func sameCommits(a, b Part) error {
	one, other := Commits{}, Commits{}
	if a.Commits != nil {
		one = *a.Commits
	}
	if b.Commits != nil {
		other = *b.Commits
	}
	if one != other {
		return diag.Usage(fmt.Errorf("one is of the commits %s, another of %s", one, other), "Join the parts of one run.")
	}
	return nil
}

// sameMaking checks that two parts are of a run that was divided in one way: of the same paths, by one release, with
// the same flags and variables, and into as many.
func sameMaking(a, b Part) error {
	if !slices.Equal(a.Paths, b.Paths) {
		return diag.Usage(fmt.Errorf("one is a part of %s, another of %s", pathsOf(a), pathsOf(b)),
			"Pass the same PATHs to each part: what is in none of them is left out.")
	}
	if a.Shard.Release != b.Shard.Release {
		return otherRelease(*a.Shard, *b.Shard)
	}
	if flag, kind := otherMaking(a, b); flag != "" {
		return diag.Usage(fmt.Errorf("parts were made with %s %s", kind, flag),
			"Set the same flags and variables for each part.")
	}
	if a.Shard.Of != b.Shard.Of {
		return otherNumber(a.Shard.Of, b.Shard.Of)
	}
	return nil
}

func otherNumber(of, other int) error {
	return diag.Usage(fmt.Errorf("one is a part of %d, another of %d", of, other), "Join the parts of one run.")
}

func otherRelease(a, b Shard) error {
	return diag.Usage(fmt.Errorf("one was made by %s, another by %s", ReleaseName(a.Release), ReleaseName(b.Release)),
		"Use one release for all parts of a run.")
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
func otherMaking(a, b Part) (flag, kind string) {
	for _, sides := range [...][2]Part{{a, b}, {b, a}} {
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
func pathsOf(p Part) string {
	if len(p.Paths) == 0 {
		return "no path"
	}
	return strings.Join(p.Paths, " ")
}
