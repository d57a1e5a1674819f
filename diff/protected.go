package diff

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/protect"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// breach is what became of a protected object.
type breach struct {
	Name
	as   protect.Object // what the rules protect: the object, or what it makes
	text string
	by   []config.NonEmpty // files of which a line approves it
}

// protections finds what becomes of objects that rules of either side protect.
type protections struct {
	old   map[string]*App
	now   inventories
	names []string
	mask  mask
}

// breaches returns what became of protected objects. Applications that could not be rendered on a side are reported as
// such, and nothing is known of their objects.
func (p protections) breaches() (all []breach, err error) {
	for _, name := range p.names {
		old, now := p.old[name], p.now.apps[name]
		if old == nil || old.Render == nil || now != nil && (now.Err != nil || now.Render == old.Render) ||
			old.Protect.IsZero() && (now == nil || now.Protect.IsZero()) {
			continue
		}
		if now == nil {
			now = &App{Name: name}
		}
		some, err := p.app(old, now)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// app returns the breaches in one application.
func (p protections) app(old, now *App) (out []breach, err error) {
	a, b, stable, err := takeBoth(old, now)
	if err != nil {
		return nil, err
	}
	move := moveOf(old, now)
	m := matchObjects(a, b, move).withRandomNames(stable)
	g := guard{old: old, now: now, space: a.space, mask: p.mask, stable: stable, made: madeBy(old)}
	for _, one := range m.pairs {
		if out, err = g.pair(out, one); err != nil {
			return nil, err
		}
	}
	for _, one := range m.moved {
		_, is := move.places(one)
		out = g.gone(out, one.old, "it goes to "+cmp.Or(is.Namespace, move.ToCluster, "another place"))
	}
	for _, o := range m.removed {
		if rules, _, _ := g.rules(o); rules == nil {
			continue // where else it is does not matter
		}
		to, err := p.other(now.Name, old, a.space, o)
		switch {
		case err != nil:
			return nil, err
		case to == nil:
			text, err := goneText(o, m.added)
			if err != nil {
				return nil, err
			}
			out = g.gone(out, o, text)
		default:
			if out, err = g.pair(out, pair{o, to}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// other returns the object on the new side in another application of the same cluster; nil where none has it.
func (p protections) other(name string, of *App, space string, o *object) (*object, error) {
	if cmp.Or(o.Namespace, space) == "" && !isOfCluster(o) {
		return nil, nil
	}
	for _, one := range p.names {
		a := p.now.apps[one]
		if one == name || a == nil || a.Render == nil || a.Destination.Like(of.Destination) != app.SameCluster {
			continue
		}
		in, err := p.now.of(one)
		if err != nil {
			return nil, err
		}
		for _, found := range in.kinds()[[2]string{o.Kind, o.Name.Name}] {
			same := cmp.Or(found.Namespace, in.space) == cmp.Or(o.Namespace, space)
			if found.Group == o.Group && (same || isOfCluster(o)) {
				return found, nil
			}
		}
	}
	return nil, nil
}

// guard judges the objects of one application.
type guard struct {
	old, now *App
	space    string // of the old side's objects that name no namespace
	mask     mask
	stable   stability
	made     map[string][]objects.Provided // what an object makes, by its name in messages
}

// madeBy returns the ConfigMaps and Secrets that objects of an application make.
func madeBy(a *App) map[string][]objects.Provided {
	out := map[string][]objects.Provided{}
	for _, p := range a.result().Provided {
		if p.Producer != "" {
			out[p.Producer] = append(out[p.Producer], p)
		}
	}
	return out
}

// rules returns the rules that protect an object of the old side, and what they know it as. Files are those of which a
// line approves a change: of the old side, where its rules protect the object.
func (g guard) rules(o *object) (rules []config.ProtectRule, as protect.Object, files []config.NonEmpty) {
	for _, as = range g.known(o) {
		rules, files = protect.RulesFor(g.old.Protect, as), g.old.Protect.Approvals.Value
		if rules == nil {
			files = g.now.Protect.Approvals.Value
		}
		if rules = append(rules, protect.RulesFor(g.now.Protect, as)...); rules != nil {
			for _, rule := range rules {
				if as.Unplaced && rule.Match.Namespace != "" {
					as.Among = append(as.Among, rule.Match.Namespace)
				}
			}
			return rules, as, files
		}
	}
	return nil, as, nil
}

// known returns what rules may call an object: its name, that without a hash of its content, and what it makes.
func (g guard) known(o *object) []protect.Object {
	labels := func() map[string]string { return labelsOf(o) }
	self := protect.Object{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name.Name, Labels: labels}
	if !isOfCluster(o) {
		self.Namespace = cmp.Or(o.Namespace, g.space)
		if self.Unplaced = g.isUnplaced(self.Namespace); self.Unplaced {
			self.Namespace = ""
		}
	}
	base, isGenerated := generated.Base(self.Name)
	if isGenerated = isGenerated && o.isConfig(); isGenerated {
		self.Base = base
	}
	out := []protect.Object{self}
	if isGenerated {
		self.Name, self.Base = base, ""
		out = append(out, self)
	}
	for _, p := range g.made[o.Name.String()] {
		one := protect.Object{Kind: p.Kind, Namespace: cmp.Or(p.Namespace, self.Namespace), Name: p.Name,
			Labels: func() map[string]string { return nil }}
		if one.Unplaced = g.isUnplaced(one.Namespace); one.Unplaced {
			one.Namespace = ""
		}
		out = append(out, one)
	}
	return out
}

// isUnplaced reports whether a namespace is none, or only stands in for one that nobody names.
func (g guard) isUnplaced(namespace string) bool {
	return namespace == "" || g.old.Member != nil && g.old.Member.IsStandIn(namespace)
}

func labelsOf(o *object) map[string]string {
	table, err := o.table()
	if err != nil {
		return nil // it is reported where it is read
	}
	out := map[string]string{}
	for k, v := range at(table, "metadata", "labels") {
		out[k], _ = v.(string)
	}
	return out
}

// goneText returns that an object is gone, and which of those that are new has what it held: then it was renamed.
func goneText(o *object, added []*object) (string, error) {
	const gone = "it is gone"
	was, err := o.body()
	if err != nil || len(was) == 0 {
		return gone, err
	}
	for _, one := range added {
		if one.Group != o.Group || one.Kind != o.Kind {
			continue
		}
		is, err := one.body()
		if err != nil {
			return "", err
		}
		if reflect.DeepEqual(was, is) {
			return gone + ": " + one.Name.String() + " has what it held, under another name", nil
		}
	}
	return gone, nil
}

// body returns what an object holds besides what tells it apart.
func (o *object) body() (map[string]any, error) {
	table, err := o.table()
	if err != nil {
		return nil, err
	}
	out := maps.Clone(table)
	for _, key := range []string{"apiVersion", "kind", "metadata", "type", "status"} {
		delete(out, key)
	}
	return out, nil
}

// gone appends the breach of an object that is not where it was any more.
func (g guard) gone(out []breach, o *object, text string) []breach {
	rules, as, files := g.rules(o)
	if !protect.Forbid(rules, config.AgainstDelete) {
		return out
	}
	return append(out, breach{o.Name, as, text, files})
}

// pair appends the breach of an object that is on both sides.
func (g guard) pair(out []breach, p pair) ([]breach, error) {
	rules, as, files := g.rules(p.old)
	if rules == nil {
		return out, nil
	}
	c, err := compareObjects(p, g.stable, g.mask)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range c.fields {
		if isContent(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	text := ""
	switch {
	case len(paths) > 0 && g.isEmpty(c.to) && !g.isEmpty(c.from) && protect.Forbid(rules, config.AgainstEmpty):
		text = "it is emptied"
	case len(paths) > 0 && protect.Forbid(rules, config.AgainstChange):
		text = "it changes: " + someOf(paths)
	case slices.ContainsFunc(rules, func(r config.ProtectRule) bool { return leaves(r.Match, p) }):
		text = "its labels change, and it is not protected any more"
	default:
		return out, nil
	}
	return append(out, breach{p.now.Name, as, text, files}), nil
}

// leaves reports whether an object has lost labels by which a rule protects it.
func leaves(m config.Match, p pair) bool {
	return !m.Labels.IsZero() && m.Labels.Matches(labelsOf(p.old)) && !m.Labels.Matches(labelsOf(p.now))
}

// maxPaths is how many places a message names.
const maxPaths = 4

func someOf(paths []string) string {
	if len(paths) > maxPaths {
		paths = append(slices.Clone(paths[:maxPaths]), "...")
	}
	return strings.Join(paths, ", ")
}

// isEmpty reports whether an object holds nothing but what says what it is: each field is empty, or a mapping of
// empty values.
func (g guard) isEmpty(c content) bool {
	for field, v := range c.table {
		switch field {
		case "apiVersion", "kind", "metadata", "type", "immutable":
			continue
		}
		if table, ok := v.(map[string]any); ok {
			for _, value := range table {
				if !g.isNothing(value) {
					return false
				}
			}
		} else if !g.isNothing(v) {
			return false
		}
	}
	return true
}

func (g guard) isNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == g.mask.text("")
	case hidden:
		return v == g.mask.hide(nil)
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
