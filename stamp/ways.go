package stamp

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// wayOf returns how digests get into a template; none where they do not.
func (t *template) wayOf() (w plan.Way) {
	switch {
	case !t.isWritten():
		return 0
	case !isEnvironment(t):
		w = plan.ByAnnotation
	case t.all:
		w = plan.ByVariable | plan.AllContainers
	default:
		w = plan.ByVariable
	}
	if t.combined {
		w |= plan.Together
	}
	return w
}

// inWay returns a template into which digests get in a way, whatever it has been located by.
func (t *template) inWay(w plan.Way) *template {
	out := *t
	out.way, out.combined, out.all = config.StrategyAnnotation, w.Has(plan.Together), w.Has(plan.AllContainers)
	if w.Has(plan.ByVariable) {
		out.way = config.StrategyEnv
	}
	return &out
}

// adoptedWays is the strategy of a template of which people keep stamps as they got there until now: it is written in
// that way where all that is wanted is, and else by the strategy that is asked for.
type adoptedWays struct {
	strategy
	before map[plan.Way]strategy
}

// withAdopted returns a strategy for a template that also knows the ways of before that decisions name for its
// workload, where there are any.
func (r *reader) withAdopted(other strategy, o manifest.Object, at location, t *template) (strategy, error) {
	ways := r.people.Ways(o.Kind, o.Name)
	if len(ways) == 0 || isReportOnly(t) {
		return other, nil
	}
	before := make(map[plan.Way]strategy, len(ways))
	for _, way := range ways {
		located, err := r.locateWay(at, t.inWay(way))
		if err != nil {
			return nil, err
		}
		before[way] = located
	}
	return adoptedWays{other, before}, nil
}

func (a adoptedWays) withBase(base map[named]string) strategy {
	out := adoptedWays{withNames(a.strategy, base), make(map[plan.Way]strategy, len(a.before))}
	for way, s := range a.before {
		out.before[way] = withNames(s, base)
	}
	return out
}

// withNames returns a strategy by the names that digests know, where that makes a difference for it.
func withNames(s strategy, base map[named]string) strategy {
	if n, isNaming := s.(naming); isNaming {
		return n.withBase(base)
	}
	return s
}

func (a adoptedWays) edits(wanted []plan.Wanted) []splice.Edit {
	for i := range wanted {
		if s, known := a.before[wanted[i].Way]; known {
			return s.edits(wanted)
		}
	}
	return a.strategy.edits(wanted)
}
