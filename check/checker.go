package check

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// checker is one look at an application.
type checker struct {
	result    *pipeline.Result
	settings  *config.Settings // nil where only leftovers are looked for
	kinds     *refs.Table
	rules     []config.KindRule
	home      string         // namespace of the objects that name none
	index     *objects.Index // asked which kinds make something
	configs   []configObject
	consumers []consumer
	words     map[string]bool // names of ConfigMaps and Secrets; true where another object holds the word
	found     []diag.Finding
	workloads map[kindName][]*plan.Workload // of the plan; nil until one is looked up
	takenOut  map[annotated]bool            // annotations that the plan takes out; nil until one is looked up
	places    *render.Places                // of the render; nil until one is asked for
}

type kindName struct{ kind, name string }

// annotated is an annotation of a workload's pod templates.
type annotated struct {
	workload   *plan.Workload
	annotation string
}

// named returns the workloads of the plan that may be an object: those of its kind and name, in its namespace where it
// names one.
func (c *checker) named(o manifest.Object) (out []*plan.Workload) {
	if c.workloads == nil {
		c.workloads = map[kindName][]*plan.Workload{}
		for i := range c.result.Plan.Workloads {
			w := &c.result.Plan.Workloads[i]
			id := kindName{w.Kind, w.Name}
			c.workloads[id] = append(c.workloads[id], w)
		}
	}
	for _, w := range c.workloads[kindName{o.Kind, o.Name}] {
		if o.Namespace == "" || w.Namespace == o.Namespace {
			out = append(out, w)
		}
	}
	return out
}

// workload returns what the plan has of an object; nil where it is no workload.
func (c *checker) workload(o manifest.Object) *plan.Workload {
	if all := c.named(o); len(all) > 0 {
		return all[0]
	}
	return nil
}

// configObject is a ConfigMap or Secret of the application.
type configObject struct {
	kind, namespace, name string
	keys                  []string
	at                    diag.Position
	elsewhere             string // why something outside of the application may read it, or ""
	earlier               bool   // it is kept for the pods of before, and nothing of this render has to read it
}

func newChecker(r *pipeline.Result, rules []config.KindRule) *checker {
	return &checker{
		result: r, kinds: refs.NewTable(config.MaxLevel, rules), rules: rules,
		home: r.Output.Namespace, words: map[string]bool{}, index: objects.NewIndex(objects.Options{}),
	}
}

func (c *checker) find(f diag.Finding, at diag.Position) { c.found = append(c.found, f.At(at)) }

// findIn is find for a place in an object.
func (c *checker) findIn(f diag.Finding, n manifest.Node) {
	if c.places == nil {
		c.places = render.NewPlaces(c.result.Output.Text, c.result.Output.Origins)
	}
	c.find(f, c.places.At(n.Offset()))
}
