package report

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// elsewheres counts the objects that controllers render, by what becomes of them and by their kinds, where these are
// few.
func elsewheres(c *diff.Comparison) (out []string) {
	changes := map[diff.Change]*kindCount{}
	seen := map[string]bool{}
	var order []diff.Change
	for _, u := range c.Unknown {
		if u.Reason != diff.Elsewhere {
			continue
		}
		change := u.Change
		if u.Via != "" {
			change = ""
		}
		if key := u.App + "\x00" + u.Object.String() + "\x00" + string(change); !seen[key] {
			seen[key] = true
			if changes[change] == nil {
				changes[change] = &kindCount{objects: map[string]int{}}
				order = append(order, change)
			}
			changes[change].add(u.Object.Kind)
		}
	}
	for _, change := range order {
		one, many := " changes: what it restarts", " change: what they restart"
		switch change {
		case diff.Removal:
			one, many = " is removed: what it had", " are removed: what they had"
		case diff.Addition:
			one, many = " is new: what it brings", " are new: what they bring"
		}
		for _, text := range changes[change].texts(one, many) {
			out = append(out, text+" is not known here")
		}
	}
	return out
}

// kindCount counts objects by their kinds.
type kindCount struct {
	objects map[string]int
	order   []string
	all     int
}

func (k *kindCount) add(kind string) {
	if k.objects[kind] == 0 {
		k.order = append(k.order, kind)
	}
	k.objects[kind]++
	k.all++
}

// texts returns the counts with a verb for one object or many: one text for all of them where there are many kinds.
func (k *kindCount) texts(one, many string) (out []string) {
	if len(k.order) > few {
		return []string{fmt.Sprintf("%d objects of %d kinds", k.all, len(k.order)) + many}
	}
	for _, kind := range k.order {
		verb := one
		if k.objects[kind] > 1 {
			verb = many
		}
		out = append(out, diag.Count(k.objects[kind], kind)+verb)
	}
	return out
}
