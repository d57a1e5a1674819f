package check

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// checker is one look at an application.
type checker struct {
	result    *pipeline.Result
	kinds     *refs.Table
	home      string         // namespace of the objects that name none
	index     *objects.Index // asked which kinds make something
	configs   []configObject
	consumers []consumer
	words     map[string]bool // names of ConfigMaps and Secrets; true where another object holds the word
	found     []diag.Finding
}

// configObject is a ConfigMap or Secret of the application.
type configObject struct {
	kind, namespace, name string
	keys                  []string
	at                    diag.Position
	elsewhere             string // why something outside of the application may read it, or ""
}

func newChecker(r *pipeline.Result, rules []config.KindRule) *checker {
	return &checker{
		result: r, kinds: refs.NewTable(config.MaxLevel, rules),
		home: r.Output.Namespace, words: map[string]bool{}, index: objects.NewIndex(objects.Options{}),
	}
}

func (c *checker) find(f diag.Finding, at diag.Position) { c.found = append(c.found, f.At(at)) }
