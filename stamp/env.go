package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/splice"
)

// environment is the strategy of a digest in an environment variable of each container that uses the object. What is no
// digest goes into the annotations.
type environment struct {
	annotations strategy
	containers  []container
	way         config.Strategy
	all         bool // every container gets every variable
	combined    bool // one variable is for all references
	prefix      hashing.Prefix
	key         *hashing.Key // nil for plain digests
}

func isEnvironment(t *template) bool { return t.way == config.StrategyEnv }

// locateEnvironment finds the containers of a pod template, and its annotations.
func locateEnvironment(at location) (strategy, error) {
	annotations, err := locateAnnotations(at)
	if err != nil {
		return nil, err
	}
	e := environment{annotations: annotations, containers: containersOf(at), way: at.way, all: at.all,
		combined: at.combined, prefix: at.prefix, key: at.key}
	all := e.all || len(e.containers) == 1 && len(at.References) > 0 || anyUnused(at, e.containers)
	for i := range e.containers {
		if c := &e.containers[i]; all || len(c.used) > 0 || len(c.ours) > 0 {
			if err := c.try(); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// anyUnused reports whether the template refers to an object that none of its containers uses.
func anyUnused(at location, containers []container) bool {
	return slices.ContainsFunc(at.References, func(r refs.Reference) bool {
		one := used{r.Kind, r.Namespace, r.Name}
		return !slices.ContainsFunc(containers, func(c container) bool { return slices.Contains(c.used, one) })
	})
}

// withoutVariables returns a strategy that also removes variables of earlier stamping, where there are any.
func withoutVariables(other strategy, at location) (strategy, error) {
	all := containersOf(at)
	all = slices.DeleteFunc(all, func(c container) bool { return len(c.ours) == 0 })
	if len(all) == 0 {
		return other, nil
	}
	for i := range all {
		if _, err := all[i].edits(nil); err != nil {
			return nil, err
		}
	}
	return environment{annotations: other, containers: all, way: at.way}, nil
}

func (e environment) withBase(base map[named]string) strategy {
	e.containers = slices.Clone(e.containers)
	for i := range e.containers {
		c := &e.containers[i]
		c.used = slices.Clone(c.used)
		for k, u := range c.used {
			c.used[k].name = cmp.Or(base[named{u.kind, u.name}], u.name)
		}
	}
	return e
}

func (e environment) foreign() []string { return e.annotations.foreign() }

func (e environment) earlier() map[string]string {
	out := e.annotations.earlier()
	for i := range e.containers {
		for _, o := range e.containers[i].ours {
			out[o.name] = o.value
		}
	}
	return out
}

func (e environment) edits(wanted []plan.Wanted) (out []splice.Edit) {
	if e.way != config.StrategyEnv {
		out = e.annotations.edits(wanted)
		wanted = nil
	} else {
		variables, others := splitDigests(wanted)
		out = e.annotations.edits(others)
		wanted = variables
	}
	for i := range e.containers {
		c := &e.containers[i]
		edits, err := c.edits(c.variables(e.wantedIn(c, wanted)))
		if err != nil {
			continue // tried before
		}
		out = append(out, edits...)
	}
	return out
}

// wantedIn returns what is wanted in a container: the digests of what it uses, and of what no container does.
func (e environment) wantedIn(c *container, wanted []plan.Wanted) []plan.Wanted {
	if e.way != config.StrategyEnv {
		return nil
	}
	mine := wanted
	if !e.all && len(e.containers) > 1 {
		mine = nil
		for _, w := range wanted {
			if c.uses(&w) || !slices.ContainsFunc(e.containers, func(c container) bool { return c.uses(&w) }) {
				mine = append(mine, w)
			}
		}
	}
	if e.combined && len(mine) > 0 {
		return combine(wanted, e.prefix, e.key)
	}
	return mine
}

// splitDigests returns what is about the content of objects, and all else.
func splitDigests(wanted []plan.Wanted) (digests, others []plan.Wanted) {
	if !slices.ContainsFunc(wanted, isNoDigest) {
		return wanted, nil
	}
	for _, w := range wanted {
		if isNoDigest(w) {
			others = append(others, w)
		} else {
			digests = append(digests, w)
		}
	}
	return digests, others
}

func isNoDigest(w plan.Wanted) bool {
	switch w.Reason {
	case plan.Restart, plan.Refresh, plan.Foreign, plan.Variable:
		return true
	}
	return false
}

// variable is an environment variable that holds a digest.
type variable struct{ name, value string }

// variables returns what is wanted in a container as variables, sorted. Where no digest is known, an earlier one stays.
func (c *container) variables(wanted []plan.Wanted) []variable {
	out := make([]variable, 0, len(wanted))
	for _, w := range wanted {
		v := variable{hashing.Variable(w.Kind, annotatedName(w.Namespace, w.Name)), w.Value}
		if w.Kind == "" {
			v.name = hashing.CombinedVariable
		}
		if v.value == "" {
			at := slices.IndexFunc(c.ours, func(o ourVariable) bool { return o.name == v.name })
			if at < 0 {
				continue
			}
			v.value = c.ours[at].value
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b variable) int { return cmp.Compare(a.name, b.name) })
	return out
}

// annotatedName returns an object's name as its stamp has it. Where a workload names the object in another namespace,
// that is a part of it: no name has an underscore.
func annotatedName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return strings.Join([]string{namespace, name}, "_")
}
