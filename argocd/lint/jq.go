package lint

import (
	"encoding/json"
	"slices"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"
)

// maxJq is how many bytes of an expression are looked at. gojq goes down as deep as brackets are nested.
const maxJq = 16 << 10

// parseJq reads an expression of ignoreDifferences as Argo CD does, which deletes what it selects. The query is nil,
// too, where the expression is too long to be looked at, or closes the brackets that are put around it.
func parseJq(text string) (*gojq.Query, error) {
	if len(text) > maxJq {
		return nil, nil
	}
	whole, err := gojq.Parse("del(" + text + ")")
	if err != nil {
		if _, alone := gojq.Parse(text); alone != nil {
			err = alone // which does not speak of brackets that nobody wrote
		}
		return nil, err
	}
	if _, err := gojq.Compile(whole); err != nil || whole.Term == nil || len(whole.Term.SuffixList) > 0 {
		return nil, err
	}
	return whole.Term.Func.Args[0], nil
}

// query returns the expression of a node, which is read and compiled once: whether it can be is one question, and what
// it selects another.
func (c *checker) query(n *yaml.Node) (*gojq.Query, error) {
	q, ok := c.queries[n]
	if !ok {
		q.query, q.err = parseJq(n.Value)
		if c.queries == nil {
			c.queries = map[*yaml.Node]parsedJq{}
		}
		c.queries[n] = q
	}
	return q.query, q.err
}

// parsedJq is what parseJq returned.
type parsedJq struct {
	query *gojq.Query
	err   error
}

// Steps of paths that are no names.
const (
	everyEntry = "[]" // to each value of a mapping or list
	anyDepth   = ".." // to all that something holds, and itself
)

// jqPaths returns the paths that an expression selects, as far as they can be read without running it. Where something
// else follows a path, such as a filter of its entries, the path itself counts.
func jqPaths(q *gojq.Query, from [][]string) [][]string {
	switch {
	case q.Term != nil:
		out := termPaths(q.Term, from)
		for _, s := range q.Term.SuffixList {
			switch {
			case s.Iter:
				out = onwards(out, everyEntry)
			case s.Index != nil:
				out = onwards(out, indexStep(s.Index))
			}
		}
		return out
	case q.Op == gojq.OpPipe && len(q.Patterns) > 0: // a value gets a name
		return jqPaths(q.Right, from)
	case q.Op == gojq.OpPipe:
		return jqPaths(q.Right, jqPaths(q.Left, from))
	case q.Op == gojq.OpComma, q.Op == gojq.OpAlt:
		return slices.Concat(jqPaths(q.Left, from), jqPaths(q.Right, from))
	}
	return computed(from)
}

// termPaths returns the paths of a term without what follows it.
func termPaths(t *gojq.Term, from [][]string) [][]string {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return from
	case gojq.TermTypeRecurse:
		return onwards(from, anyDepth)
	case gojq.TermTypeIndex:
		return onwards(from, indexStep(t.Index))
	case gojq.TermTypeQuery:
		return jqPaths(t.Query, from)
	case gojq.TermTypeTry:
		return jqPaths(t.Try.Body, from)
	case gojq.TermTypeFunc:
		return callPaths(t.Func, from)
	}
	return computed(from)
}

// jqFilters are functions that let some values pass as they are.
var jqFilters = []string{"select", "objects", "iterables", "values", "strings", "scalars"}

// callPaths returns the paths of a call of a function.
func callPaths(f *gojq.Func, from [][]string) [][]string {
	switch {
	case slices.Contains(jqFilters, f.Name):
		return from
	case f.Name == "recurse" && len(f.Args) == 0:
		return onwards(from, anyDepth)
	case f.Name == "getpath" && len(f.Args) == 1:
		var steps []string
		if json.Unmarshal([]byte(f.Args[0].String()), &steps) == nil {
			return onwards(from, steps...)
		}
	}
	return computed(from)
}

// indexStep returns the step of an index. That of a computed one is no name of anything.
func indexStep(x *gojq.Index) string {
	var name string
	switch {
	case x.Name != "":
		return x.Name
	case x.Str != nil && x.Str.Queries == nil:
		return x.Str.Str
	case x.Start != nil && !x.IsSlice && json.Unmarshal([]byte(x.Start.String()), &name) == nil:
		return name
	}
	return x.String()
}

// onwards returns paths with further steps.
func onwards(from [][]string, steps ...string) (out [][]string) {
	for _, path := range from {
		out = append(out, slices.Concat(path, steps))
	}
	return out
}

// computed returns the paths that count where what is made of them is not known.
func computed(from [][]string) (out [][]string) {
	for _, path := range from {
		if len(path) > 0 && !slices.Contains(path, anyDepth) {
			out = append(out, path)
		}
	}
	return out
}
