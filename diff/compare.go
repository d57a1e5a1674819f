package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// comparer is one comparison under way.
type comparer struct {
	out   *Comparison
	mask  mask
	kinds *refs.Table

	old, now       map[string]*inventory // by application
	removed, added []*object             // that have no counterpart, as far as it has been looked for
	pairs          []pair
	restarted      map[*object]*Restart // by workload of the new side
}

// inventory is an application's objects on one side.
type inventory struct {
	all   []*object
	by    map[id]*object
	space string // namespace of the objects that name none
}

// pair is one object on both sides.
type pair struct{ old, now *object }

func (c *comparer) app(name string, old, now *App) error {
	change := AppChange{Name: name, Status: Changed}
	for _, side := range []struct {
		name string
		app  *App
	}{{"from", old}, {"to", now}} {
		if side.app != nil && side.app.Err != nil {
			change.Status = Failed
			change.Problems = append(change.Problems,
				Problem{Side: side.name, Error: side.app.Err.Error(), Hint: diag.HintOf(side.app.Err)})
		}
	}
	if change.Status == Failed {
		c.out.Apps = append(c.out.Apps, change)
		return nil
	}
	a, err := c.take(name, old)
	if err != nil {
		return err
	}
	b, err := c.take(name, now)
	if err != nil {
		return err
	}
	c.old[name], c.now[name] = a, b
	before := len(c.removed) + len(c.added) + len(c.pairs)
	for _, o := range a.all {
		if other := b.by[o.id()]; other == nil {
			c.removed = append(c.removed, o)
		} else if !same(o, other) {
			c.pairs = append(c.pairs, pair{o, other})
		}
	}
	for _, o := range b.all {
		if a.by[o.id()] == nil {
			c.added = append(c.added, o)
		}
	}
	switch {
	case old == nil:
		change.Status = Added
	case now == nil:
		change.Status = Removed
	case len(c.removed)+len(c.added)+len(c.pairs) == before:
		change.Status = Same
	}
	change.From, change.To = len(a.all), len(b.all)
	c.out.Apps = append(c.out.Apps, change)
	c.findings(old, now)
	return nil
}

// take reads an application's objects; it has none where it is not on that side.
func (c *comparer) take(name string, a *App) (*inventory, error) {
	in := &inventory{by: map[id]*object{}}
	if a == nil || a.Result == nil {
		return in, nil
	}
	in.space = a.Result.Output.Namespace
	var err error
	if in.all, err = c.mask.read(name, a); err != nil {
		return nil, err
	}
	for _, o := range in.all {
		in.by[o.id()] = o
	}
	return in, nil
}

// findings takes those that are new.
func (c *comparer) findings(old, now *App) {
	if now == nil || now.Result == nil {
		return
	}
	known := map[diag.Finding]bool{}
	if old != nil && old.Result != nil {
		for _, f := range old.Result.Findings() {
			known[placeless(f)] = true
		}
	}
	for _, f := range now.Result.Findings() {
		if !known[placeless(f)] {
			c.out.Findings = append(c.out.Findings, f)
		}
	}
}

// placeless is a finding without its place, which moves with every line above it.
func placeless(f diag.Finding) diag.Finding {
	return f.At(diag.Position{})
}

// match pairs removed and added objects that have one handle, where it is the only one of each.
func (c *comparer) match(handle func(*object) any) {
	byHandle := map[any][]*object{}
	for _, o := range c.added {
		if h := handle(o); h != nil {
			byHandle[h] = append(byHandle[h], o)
		}
	}
	count := map[any]int{}
	for _, o := range c.removed {
		count[handle(o)]++
	}
	found := map[*object]bool{}
	c.removed = slices.DeleteFunc(c.removed, func(o *object) bool {
		h := handle(o)
		if h == nil || count[h] != 1 || len(byHandle[h]) != 1 {
			return false
		}
		other := byHandle[h][0]
		found[other] = true
		c.pairs = append(c.pairs, pair{o, other})
		return true
	})
	c.added = slices.DeleteFunc(c.added, func(o *object) bool { return found[o] })
}

// compare goes through what is not the same.
func (c *comparer) compare() error {
	for _, p := range c.pairs {
		if err := c.pair(p); err != nil {
			return err
		}
	}
	for _, o := range c.removed {
		c.out.Objects = append(c.out.Objects, ObjectChange{Name: o.Name, Change: Removal})
	}
	for _, o := range c.added {
		c.out.Objects = append(c.out.Objects, ObjectChange{Name: o.Name, Change: Addition})
	}
	c.quiet()
	c.edges()
	return nil
}

// ObjectChange is an object that is not what it was.
type ObjectChange struct {
	Name
	Change Change        `json:"change"`
	Was    string        `json:"was,omitempty"` // its name on the old side, where that has another hash at its end
	Fields []FieldChange `json:"fields,omitempty"`
}

func (c *comparer) pair(p pair) error {
	old, err := p.old.values()
	if err != nil {
		return err
	}
	now, err := p.now.values()
	if err != nil {
		return err
	}
	o := ObjectChange{Name: p.now.Name, Change: Modification, Fields: fields("", old, now)}
	if p.old.Name.Name != p.now.Name.Name {
		o.Was = p.old.Name.Name
	}
	if len(o.Fields) > 0 {
		c.out.Objects = append(c.out.Objects, o)
	}
	for _, row := range c.rows(p.now) {
		c.template(p, row)
	}
	return nil
}

// rows returns the rows of the table of kinds for an object.
func (c *comparer) rows(o *object) []*refs.Kind {
	return c.kinds.Rows(manifest.Object{APIVersion: o.Group + "/v1", Kind: o.Kind})
}

// at follows a path; nil where it does not lead to a mapping.
func at(table map[string]any, path []string) map[string]any {
	for _, field := range path {
		table, _ = table[field].(map[string]any)
	}
	return table
}

func newComparer(out *Comparison) *comparer {
	return &comparer{out: out, mask: newMask(), kinds: refs.NewTable(config.MaxLevel, nil),
		old: map[string]*inventory{}, now: map[string]*inventory{},
		restarted: map[*object]*Restart{}}
}

// find returns the object that a reference of a workload means, in its own application: so applications can be
// compared in parts and the parts joined.
func find(side map[string]*inventory, app, kind, namespace, name string) *object {
	in := side[app]
	if in == nil {
		return nil
	}
	for _, space := range []string{namespace, "", in.space} {
		if o := in.by[id{kind: kind, namespace: space, name: name}]; o != nil {
			return o
		}
	}
	return nil
}

// compareKeys orders changes of keys.
func compareKeys(a, b KeyChange) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Change, b.Change))
}
