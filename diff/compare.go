package diff

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/refs"
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
	for _, file := range to.Unread {
		out.Unknown = append(out.Unknown, Unknown{Reason: Unread, File: file})
	}
	for _, file := range to.PerhapsRead {
		out.Unknown = append(out.Unknown, Unknown{Reason: PerhapsRead, File: file})
	}
	was, err := renamings(old, now)
	if err != nil {
		return nil, err
	}
	for name, before := range was {
		a := *old[before]
		a.Name, old[name] = name, &a
		delete(old, before)
	}
	settleLeaves(old, now)
	c, all := comparer{newMask(), newKindTable(nil), &config.Compat{}}, names(old, now)
	n := neighboursOf(all, old, now)
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
	out.settle()
	return out.withoutValues(from, to), nil
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
}

// app compares one application, which is nil on a side where it is not.
func (c comparer) app(name string, old, now *App, n neighbours) (*Comparison, error) {
	out := &Comparison{}
	if failed, ok := failure(name, old, now); ok {
		out.Apps = append(out.Apps, failed)
		return out, nil
	}
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
	change := AppChange{Name: name, Status: Changed, From: len(a.all), To: len(b.all)}
	if len(m.moved) > 0 || move != nil && move.Unsure {
		out.Objects = append(out.Objects, move.list(m.moved, c.kinds)...)
		change.Move, changed = move, true
	}
	switch {
	case old == nil:
		change.Status = Added
	case now == nil:
		change.Status = Removed
	case !changed:
		change.Status = Same
	}
	if now != nil && now.Suspended {
		suspend(out.Restarts)
	}
	if now != nil && len(b.all) == 0 {
		out.Unknown = append(out.Unknown, Unknown{Reason: NoObject, App: name})
	}
	out.Apps = append(out.Apps, change)
	out.Findings = n.newFindings(old, now, randomParts{m.renamed(), out.Unstable, stable.isFormer()})
	out.Findings = slices.DeleteFunc(out.Findings, unknown.isOf)
	return out, out.refuse(b)
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

// objects compares the objects of an application, and reports whether any is not what it was.
func (c comparer) objects(
	out *Comparison, m matched, old, now *inventory, s stability, n neighbours,
) (changed bool, err error) {
	configs, err := compareConfigs(m.pairs, s, c.mask, now.applier)
	if err != nil {
		return false, err
	}
	found, rest, err := c.others(out, m.pairs, old, now, s, configs)
	if err != nil {
		return false, err
	}
	deltas := slices.Concat(configs.all, rest)
	prefixes := prefixes{old: old.prefix, now: now.prefix}
	prefixes.mark(deltas)
	prefixes.dropStamps(deltas, configs)
	var values map[*object]bool
	out.Unknown, values = elsewhereVia(now, configs)
	for _, d := range deltas {
		changed = !d.onlyUnstable() || changed
		out.addDelta(d, found[d.now])
	}
	if err := c.onOneSide(out, m); err != nil {
		return false, err
	}
	if !changed && len(m.removed)+len(m.added) == 0 {
		out.Blocked = append(out.Blocked, n.missingOf(old, now, false)...)
		return false, nil
	}
	out.Unknown = append(out.Unknown, valuesGone(old, now, c.mask)...)
	gone, err := c.requiredGone(m.removed, now)
	if err != nil {
		return false, err
	}
	out.Blocked = slices.Concat(out.Blocked, n.missingOf(old, now, true), gone)
	readers, named := readersOf(now), sync.OnceValue(now.named)
	unread := unread{n, now.space, named, out}
	bringHeld(found, deltas, readers)
	restarts := newRestarts(found)
	templates := templatesOf(now, configs)
	out.Edges = edgesOf(old, now, configs, restarts, n)
	for _, d := range deltas {
		out.Blocked = append(out.Blocked, n.keysGone(d, now.space)...)
		out.Quiet, out.Edges = append(out.Quiet, n.quiet(d, now.space)...), append(out.Edges, n.edges(d, now.space)...)
		if !d.now.isConfig() || len(readers[d.now]) == 0 && (values[d.now] || n.isValue(d, now.space)) {
			continue // what they restart is not known
		}
		d = n.withoutTemplates(d, templates[d.now], now, restarts)
		quiet := n.withoutRead(d, now.space, quietOf(d, readers[d.now], restarts, c.kinds, c.compat))
		unread.changed(d, quiet)
	}
	unread.onOneSide(m.removed, Removal, readersOf(old))
	unread.onOneSide(m.added, Addition, readers)
	unread.describe()
	out.Quiet = append(out.Quiet, n.rotated(m.pairs, prefixes, now.lock)...)
	for _, r := range found {
		out.Restarts = append(out.Restarts, *r)
	}
	return true, nil
}

// others compares the objects that are no configuration, and returns the restarts by the object as it is now, and what
// changed.
func (c comparer) others(
	out *Comparison, pairs []pair, old, now *inventory, s stability, changed *configs,
) (restarts map[*object]*Restart, deltas []*delta, err error) {
	restarts = map[*object]*Restart{}
	for _, p := range pairs {
		if p.now.isConfig() {
			continue
		}
		pair, err := compareObjects(p, s, c.mask)
		if err != nil {
			return nil, nil, err
		}
		rows := rowsOf(c.kinds, p.now)
		if r := restartOf(&pair, rows, old, now, changed); r != nil {
			restarts[p.now] = r
		}
		d := pair.delta
		d.refused, d.isElsewhere = now.applier.refusalsOf(&pair, rows), isElsewhere(&pair, rows)
		out.Repeated = append(out.Repeated, d.dropRepeated(len(rows) > 0)...)
		deltas = append(deltas, &d)
	}
	return restarts, deltas, nil
}

// onOneSide takes the objects that are on one side only.
func (c comparer) onOneSide(out *Comparison, m matched) error {
	for _, o := range m.removed {
		out.addObject(o, Removal)
		if err := out.addRemoved(o, rowsOf(c.kinds, o)); err != nil {
			return err
		}
	}
	for _, o := range m.added {
		out.addObject(o, Addition)
		refused, err := newRefusals(o, rowsOf(c.kinds, o))
		if err != nil {
			return err
		}
		out.addRefusals(o, refused)
	}
	return nil
}

// addObject takes an object that is on one side only.
func (c *Comparison) addObject(o *object, change Change) {
	one := ObjectChange{Name: o.Name, Change: change}
	if change == Removal {
		one.Stays = o.remainsBy()
	}
	c.Objects = append(c.Objects, one)
	if one.Stays == "" && isRendered(o) && o.Group != sourceGroup {
		c.Unknown = append(c.Unknown, Unknown{Reason: Elsewhere, App: o.App, Object: &o.Name, Change: change})
	}
}

// addRemoved takes an object that is gone and whose pods an operator ran. Workloads of kinds with rows are counted.
func (c *Comparison) addRemoved(o *object, rows []*refs.Kind) error {
	if len(rows) > 0 || isRendered(o) || o.remains() {
		return nil
	}
	table, err := o.table()
	if err == nil && hasPods(o, nil, table) {
		c.Unknown = append(c.Unknown, Unknown{Reason: Elsewhere, App: o.App, Object: &o.Name, Change: Removal})
	}
	return err
}

// addRefusals takes what the API server refuses of an object.
func (c *Comparison) addRefusals(o *object, refused []refusal) {
	for _, r := range refused {
		c.Blocked = append(c.Blocked, Blocked{Name: o.Name, Reason: Refused, Path: r.path, Why: r.why})
	}
}

// addDelta takes what a pair comes to; restart is nil where it is no workload that restarts.
func (c *Comparison) addDelta(d *delta, restart *Restart) {
	if o, differs := d.change(); differs {
		c.Objects = append(c.Objects, o)
	}
	if len(d.unstable) > 0 {
		c.Unstable = append(c.Unstable, Unstable{Name: d.now.Name, Paths: d.paths()})
	}
	c.addRefusals(d.now, d.refused)
	if restart != nil {
		if rollout, ok := restart.inPlace(); ok {
			restart.Rollout = rollout
		}
		switch {
		case len(d.refused) > 0:
			restart.Rollout = Rollout{Effect: Rejected, Detail: d.refused[0].path + ": " + d.refused[0].why}
		case restart.Rollout.Effect == Rejected && !d.onlyUnstable(): // else it is refused at each render
			c.Blocked = append(c.Blocked, Blocked{Name: d.now.Name, Reason: Refused, Why: restart.Rollout.Detail})
		}
	}
	if d.isElsewhere && restart == nil {
		c.Unknown = append(c.Unknown, Unknown{Reason: Elsewhere, App: d.now.App, Object: &d.now.Name})
	}
}
