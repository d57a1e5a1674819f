package refs

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// Table is the kinds and positions that are in force. It is for one goroutine at a time.
type Table struct {
	rows
	search search // its memory is used again for each pod spec
}

// rows are the kinds and positions themselves. Nothing changes them.
type rows struct {
	kinds map[string][]*Kind
	pod   *step
}

// builtinRows returns the built-in rows up to each level of coverage, from 0 on. Most tables have no others.
var builtinRows = sync.OnceValue(func() (byLevel [config.MaxLevel + 1]rows) {
	for level := range byLevel {
		byLevel[level] = rows{kinds: joined(level, nil), pod: podSteps(level)}
	}
	return byLevel
})

// NewTable joins the built-in rows up to a level of coverage with the rules of a configuration. A rule replaces the
// built-in rows of its kind and group, unless it is about copies alone.
func NewTable(level int, rules []config.KindRule) *Table {
	t := &Table{rows: builtinRows()[min(level, config.MaxLevel)]}
	rules = slices.DeleteFunc(slices.Clone(rules), func(r config.KindRule) bool { return !r.DescribesConsumers() })
	if len(rules) > 0 {
		t.kinds = joined(level, rules)
	}
	return t
}

// joined returns the rows of kinds up to a level, with those of rules.
func joined(level int, rules []config.KindRule) map[string][]*Kind {
	known := builtinKinds()
	out := make(map[string][]*Kind, len(known)+len(rules))
	for i := range rules {
		k := ruleKind(&rules[i], level)
		out[k.Kind] = append(out[k.Kind], k)
	}
	for i := range known {
		k := &known[i]
		if k.Level > level {
			continue
		}
		replaced := func(group string) bool {
			is := func(r config.KindRule) bool { return string(r.Kind) == k.Kind && r.Group == group }
			return slices.ContainsFunc(rules, is)
		}
		if slices.ContainsFunc(k.Groups, replaced) {
			left := *k
			left.Groups = slices.DeleteFunc(slices.Clone(k.Groups), replaced)
			k = &left
		}
		if len(k.Groups) > 0 {
			out[k.Kind] = append(out[k.Kind], k)
		}
	}
	return out
}

// ruleKind returns the row of a user's rule. What a rule does not cover is that of the built-in row of its kind and
// group.
func ruleKind(rule *config.KindRule, level int) *Kind {
	k := &Kind{Groups: []string{rule.Group}, Kind: string(rule.Kind), Rollout: ByOperator, Level: level,
		rule: func() *config.KindRule { return rule }}
	if !rule.IsStamped() {
		k.Stamping = OnRequest
	}
	known := builtinKinds()
	for i := range known {
		b := &known[i]
		if b.Kind != k.Kind || !slices.Contains(b.Groups, rule.Group) {
			continue
		}
		k.Follows, k.Rollout, k.Replicas = b.Follows, b.Rollout, b.Replicas
		if b.Stamping == WhenFollowed {
			k.Stamping = WhenFollowed
		}
	}
	return k
}

// Rows returns the rows that describe an object's kind; more than one where it may hold its template in one of several
// places.
func (t *Table) Rows(o manifest.Object) []*Kind {
	rows := t.kinds[o.Kind]
	if len(rows) == 0 {
		return nil
	}
	group := o.Group()
	other := func(k *Kind) bool { return !slices.Contains(k.Groups, group) }
	if slices.ContainsFunc(rows, other) {
		return slices.DeleteFunc(slices.Clone(rows), other)
	}
	return rows
}

func (t *Table) podSpec(spec manifest.Node) ([]Reference, []Malformed) {
	s := &t.search
	s.refs, s.malformed, s.mounts, s.volumes = s.refs[:0], nil, s.mounts[:0], s.volumes[:0]
	s.walk(spec, t.pod)
	s.scopes()
	return slices.Clone(slices.DeleteFunc(s.refs, func(r Reference) bool { return r.Name == "" })), s.malformed
}
