package diff

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/refs"
)

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
	prefixes.mark(deltas, now)
	prefixes.dropStamps(deltas, configs)
	var values map[*object]bool
	out.Unknown, values = elsewhereVia(now, configs)
	for _, d := range deltas {
		changed = changed || !d.onlyUnstable() && (found[d.now] != nil || !d.isFormat())
		out.addDelta(d, found[d.now])
	}
	if err := c.onOneSide(out, m); err != nil {
		return false, err
	}
	out.Quiet = append(out.Quiet, n.held(old, now)...)
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
	unread := products{unread{n, now.space, named, out}, old, now}
	bringHeld(found, deltas, readers)
	restarts := newRestarts(found)
	templates := templatesOf(now, configs)
	out.Edges = edgesOf(old, now, configs, restarts, n)
	for _, d := range deltas {
		out.Blocked = append(out.Blocked, n.keysGone(d, now.space)...)
		out.Quiet, out.Edges = append(out.Quiet, n.quiet(d, now.space)...), append(out.Edges, n.edges(d, now.space)...)
		if !d.now.isConfig() || len(readers[d.now]) == 0 && (values[d.now] || n.isValue(d, now.space)) {
			unread.value(d)
			unread.producer(d)
			continue
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
