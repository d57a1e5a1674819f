package diff

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/config"
)

// Compare compares two sides. An application that could not be rendered on one of them is listed as such, and the
// others are compared.
func Compare(from, to Side) (*Comparison, error) {
	if err := usageError(to); err != nil {
		return nil, err
	}
	old, err := byName(from)
	if err != nil {
		return nil, err
	}
	now, err := byName(to)
	if err != nil {
		return nil, err
	}
	out := newComparison(from.Label, to.Label)
	out.Commits = commitsOf(from, to)
	out.Unknown = append(out.Unknown, unreadFiles(to)...)
	was, err := renamings(old, now)
	if err != nil {
		return nil, err
	}
	takeNames(old, was)
	settleLeaves(old, now)
	c, all := comparer{newMask(), newKindTable(nil), &config.Compat{}, secretHashes{}}, names(old, now)
	n := neighboursOf(all, old, now)
	n.naming, n.nameOf = to.Naming, to.NameOf
	if n.part = to.Part; n.part {
		out.FailedApps = n.failed
	}
	for i, name := range all {
		part, err := c.app(name, old[name], now[name], n.at(i))
		if err != nil {
			return nil, err
		}
		if before, renamed := was[name]; renamed {
			part.rename(before)
		}
		out.add(part)
	}
	if err := locate(out.Blocked, n.after); err != nil {
		return nil, err
	}
	if err := out.remove(removals{n.before, n.after, all, c.kinds}); err != nil {
		return nil, err
	}
	if err := out.spare(n.after); err != nil {
		return nil, err
	}
	out.Unknown = append(withoutRendered(out.Unknown, from, to), replacing(old, now)...)
	more, err := protected(protections{old, n.after, all, c.mask}, to.Approvals)
	if err != nil {
		return nil, err
	}
	out.Findings = append(out.Findings, more...)
	namespaces{old, now}.put(out)
	out.settle()
	if err := loadError(from, to); err != nil {
		return nil, err
	}
	return out.withoutValues(from, to).withoutHashes(c.hashes), nil
}

// takeNames has applications of the old side be known by the names that they have on the new one.
func takeNames(old map[string]*App, was map[string]string) {
	for name, before := range was {
		a := *old[before]
		a.Name, old[name] = name, &a
		delete(old, before)
	}
}

// loadError returns why an application's result, of which a summary was known, could not be had when it was needed; nil
// where none was missing.
func loadError(sides ...Side) error {
	for _, side := range sides {
		for i := range side.Apps {
			if err := side.Apps[i].Render.Err(); err != nil {
				return fmt.Errorf("%s: %w", side.Apps[i].Name, err)
			}
		}
	}
	return nil
}

// commitsOf returns the commits of two sides; nil where they are none.
func commitsOf(from, to Side) *Commits {
	if from.Commit == "" {
		return nil
	}
	return &Commits{From: from.Commit, To: to.Commit, Head: to.Head, Modified: to.Changes != "", Changes: to.Changes}
}

// comparer is what the comparisons of all applications share.
type comparer struct {
	mask   mask
	kinds  kindTable
	compat *config.Compat // of the new side: which other tools' annotations are in force
	hashes secretHashes   // of what has changed
}

// unreadFiles returns the changed files of which nothing is known, or not all.
func unreadFiles(to Side) (out []Unknown) {
	for _, file := range to.Unread {
		out = append(out, Unknown{Reason: Unread, File: file})
	}
	for _, file := range to.PerhapsRead {
		out = append(out, Unknown{Reason: PerhapsRead, File: file})
	}
	return out
}

// app compares one application, which is nil on a side where it is not.
func (c comparer) app(name string, old, now *App, n neighbours) (*Comparison, error) {
	if out := n.unread(name, old, now); out != nil {
		return out, nil
	}
	out := &Comparison{}
	a, b, stable, err := takeBoth(old, now)
	if err != nil {
		return nil, err
	}
	if rules := rulesOf(old, now); len(rules) > 0 {
		c.kinds = newKindTable(rules)
	}
	if now != nil {
		c.compat = &now.Compat
	}
	move := moveOf(old, now)
	m := out.match(a, b, move, stable)
	changed, err := c.objects(out, m, a, b, stable, n)
	if err != nil {
		return nil, err
	}
	if out.Stale, err = c.stale(old, now, b, out.Restarts, n); err != nil {
		return nil, err
	}
	unknown := n.unrendered(b)
	out.Unknown = append(out.Unknown, unknown.all...)
	out.Restarts = slices.DeleteFunc(out.Restarts, unknown.isFor)
	uncheckedIn(a, b).takeFrom(out)
	if now != nil {
		blocked, err := n.blocked(a, b)
		if err != nil {
			return nil, err
		}
		out.Blocked = append(out.Blocked, blocked...)
	}
	if err := c.repeated(out, b); err != nil {
		return nil, err
	}
	change := AppChange{Name: name, From: len(a.all), To: len(b.all)}
	if len(m.moved) > 0 || move != nil && move.Unsure {
		out.Objects = append(out.Objects, move.list(m.moved, c.kinds)...)
		change.Move, changed = move, true
	}
	change.Status = statusOf(old, now, changed)
	if change.Status != Same {
		c.hashes.add(a.all)
		c.hashes.add(b.all)
	}
	if now != nil && now.Suspended {
		suspend(out.Restarts)
	}
	if now != nil && len(b.all) == 0 {
		out.Unknown = append(out.Unknown, Unknown{Reason: NoObject, App: name})
	}
	if old != nil && old.Unstamped || now != nil && now.Unstamped {
		out.Unknown = append(out.Unknown, Unknown{Reason: StampsBefore, App: name})
	}
	out.Apps = append(out.Apps, change)
	out.Findings = n.newFindings(old, now, randomParts{m.renamed(), out.Unstable, stable.isFormer()})
	out.Findings = slices.DeleteFunc(out.Findings, unknown.isOf)
	return out, out.refuse(b)
}

// unread returns the comparison of an application whose objects need not be read, or cannot be; nil for any other.
func (n neighbours) unread(name string, old, now *App) *Comparison {
	if failed, ok := failure(name, old, now); ok {
		return &Comparison{Apps: []AppChange{failed}}
	}
	if !isQuiet(old, now) {
		return nil
	}
	count := now.Render.Summary().Objects
	return &Comparison{Apps: []AppChange{{Name: name, Status: Same, From: count, To: count}},
		Findings: n.newFindings(old, now, randomParts{})}
}

// statusOf returns what became of an application, which is nil on a side where it is not.
func statusOf(old, now *App, changed bool) Status {
	switch {
	case old == nil:
		return Added
	case now == nil:
		return Removed
	case !changed:
		return Same
	default:
		return Changed
	}
}

// rename notes the old name of the application that a comparison is of.
func (c *Comparison) rename(before string) {
	for i := range c.Apps {
		if move := c.Apps[i].Move; move != nil {
			move.Was = before
			continue
		}
		c.Unknown = append(c.Unknown, Unknown{Reason: Renamed, App: c.Apps[i].Name, Via: before})
	}
}
