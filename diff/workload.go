package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// kindTable is the rows for kinds of workloads.
type kindTable struct{ builtIn, ruled *refs.Table }

// newKindTable joins the built-in rows with those of a configuration's rules.
func newKindTable(rules []config.KindRule) kindTable {
	t := kindTable{builtIn: refs.NewTable(config.MaxLevel, nil)}
	if len(rules) > 0 {
		t.ruled = refs.NewTable(config.MaxLevel, rules)
	}
	return t
}

// rulesOf returns the rules under which an application was stamped, those of the new side first.
func rulesOf(old, now *App) (rules []config.KindRule) {
	for _, a := range []*App{now, old} {
		if a != nil {
			rules = append(rules, a.Kinds...)
		}
	}
	return rules
}

// rowsOf returns the rows of the table for an object. A rule says where stamps are, and the built-in rows of its kind
// what else reaches the pods.
func rowsOf(kinds kindTable, o *object) []*refs.Kind {
	as := manifest.Object{APIVersion: o.Group + "/v1", Kind: o.Kind}
	rows := kinds.builtIn.Rows(as)
	if kinds.ruled == nil {
		return rows
	}
	rows = slices.Clone(rows)
	for _, row := range kinds.ruled.Rows(as) {
		if row.Described() != nil && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// restartOf compares the pod templates of a workload; nil where Kubernetes sees no difference.
func restartOf(c *compared, rows []*refs.Kind, old, now *inventory, configs *configs) *Restart {
	var out *Restart
	prefixes := prefixes{old: old.prefix, now: now.prefix}.of(c.pair)
	for _, row := range rows {
		from, to := templateOf(row, c.from.table), templateOf(row, c.to.table)
		if from == nil || to == nil {
			continue
		}
		changes := prefixes.dropAdopted(c.pair, now, prefixes.templateChanges(from, to))
		if len(changes) == 0 {
			continue
		}
		why := newCauses(old, now, configs, c.pair, below(c.unstable, row.Template))
		found := make([]Cause, 0, len(changes))
		for _, f := range changes {
			if len(changes) > 1 && prefixes.isBeside(&f) {
				continue
			}
			found = append(found, why.all(f)...)
		}
		if found = joinWays(slices.DeleteFunc(found, why.isRefused)); len(found) == 0 {
			continue
		}
		if out == nil {
			out = &Restart{Name: c.now.Name, Rollout: c.rollout(old, now, row.Rollout)}
		}
		out.add(found)
	}
	return out
}

// rollout returns how the workload goes over to its new template.
func (c *compared) rollout(old, now *inventory, way refs.Rollout) Rollout {
	if why := now.applier.leaves(c.to.table); why != "" {
		return Rollout{Effect: Nothing, Detail: "Flux leaves it as it is: " + why}
	}
	r := now.rolloutOf(now.applier.over(c.from.table), c.now, c.to.table, way)
	return r.scaled(old.ranNone(c.old), now.ranNone(c.now))
}

// templateOf returns the pod template of a workload. Of a kind that a rule describes only the annotations are known to
// reach the pods: they are all that its template holds here.
func templateOf(row *refs.Kind, table map[string]any) map[string]any {
	steps := row.Described()
	if steps == nil {
		return at(table, row.Template...)
	}
	annotations := map[string]any{}
	addEntries(annotations, table, steps)
	return map[string]any{"metadata": map[string]any{"annotations": annotations}}
}

// addEntries adds the entries of the mappings that steps lead to. Of a key that several have, each value counts.
func addEntries(into map[string]any, at any, steps []config.Step) {
	table, isTable := at.(map[string]any)
	if len(steps) == 0 {
		for key, value := range table {
			if had, ok := into[key]; ok && !equal(had, value) {
				value = fmt.Sprint(had, ", ", value)
			}
			into[key] = value
		}
		return
	}
	switch list, isList := at.([]any); {
	case steps[0].Each == config.Field && isTable:
		addEntries(into, table[steps[0].Field], steps[1:])
	case steps[0].Each == config.Items && isList:
		for _, item := range list {
			addEntries(into, item, steps[1:])
		}
	case steps[0].Each == config.Values && isTable:
		for _, key := range slices.Sorted(maps.Keys(table)) {
			addEntries(into, table[key], steps[1:])
		}
	}
}

// below returns the paths below another path, as seen from there.
func below(paths map[string]bool, path []string) map[string]bool {
	if len(path) == 0 || len(paths) == 0 {
		return paths
	}
	prefix := ""
	for _, field := range path {
		prefix = join(prefix, field)
	}
	out := map[string]bool{}
	for p := range paths {
		if len(p) > len(prefix) && p[:len(prefix)] == prefix {
			rest := p[len(prefix):]
			if rest[0] == '.' {
				rest = rest[1:]
			}
			out[rest] = true
		}
	}
	return out
}
