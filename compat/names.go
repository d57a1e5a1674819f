package compat

import (
	"cmp"
	"index/suffixarray"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"github.com/rollstamp/rollstamp/sources/objects"
)

// Expression fits names of objects. What each of them has to contain is known, so that not all have to be tried.
type Expression struct {
	text     string
	match    *regexp.Regexp
	contains []string // one of these; nil where that is not known
}

// border is before and after each name of a list of them.
const border = "\x00"

// compileExpression returns an expression in Go's syntax.
func compileExpression(text string) (*Expression, error) {
	match, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &Expression{text: text, match: match, contains: literals(tree)}, nil
}

// Fits reports whether the expression fits a name.
func (e *Expression) Fits(name string) bool { return e.match.MatchString(name) }

// literals returns texts of which one is in whatever an expression fits; nil where there are none.
func literals(e *syntax.Regexp) (out []string) {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase == 0 {
			return []string{string(e.Rune)}
		}
	case syntax.OpCapture:
		return literals(e.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			some := literals(sub)
			if some == nil {
				return nil
			}
			out = append(out, some...)
		}
	case syntax.OpConcat:
		for i, sub := range e.Sub {
			some := literals(sub)
			if some == nil {
				continue
			}
			for k := range some {
				some[k] = bordered(some[k], e.Sub, i)
			}
			if out == nil || shortest(some) > shortest(out) {
				out = some
			}
		}
	}
	return out
}

// bordered returns a text with the borders of a name that the neighbours of its expression ask for.
func bordered(text string, all []*syntax.Regexp, i int) string {
	if i > 0 && all[i-1].Op == syntax.OpBeginText && !strings.HasPrefix(text, border) {
		text = border + text
	}
	if i+1 < len(all) && all[i+1].Op == syntax.OpEndText && !strings.HasSuffix(text, border) {
		text += border
	}
	return text
}

func shortest(all []string) int {
	return len(slices.MinFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// Names finds objects of an input by expressions.
type Names struct {
	index *objects.Index
	lists map[place]*names // nil until one is asked for
	found map[search][]*objects.Object
}

// place is where objects of one kind lie: a namespace, "" for those that name none, or everywhere.
type place struct {
	kind, namespace string
	everywhere      bool
}

// search is a question that several workloads may ask.
type search struct {
	kind, namespace, text string
}

// NewNames returns the names of an index to which nothing is added any more.
func NewNames(index *objects.Index) *Names {
	return &Names{index: index, found: map[search][]*objects.Object{}}
}

// Find returns the objects of a kind whose names an expression fits, in the order of the index: those that are, or may
// be, in a namespace; any where the namespace is "".
func (n *Names) Find(kind, namespace string, e *Expression) []*objects.Object {
	asked := search{kind, namespace, e.text}
	if found, known := n.found[asked]; known {
		return found
	}
	if n.lists == nil {
		n.list()
	}
	var hits []numbered
	if namespace == "" {
		hits = n.lists[place{kind: kind, everywhere: true}].find(e)
	} else {
		hits = slices.Concat(n.lists[place{kind: kind, namespace: namespace}].find(e), n.lists[place{kind: kind}].find(e))
	}
	slices.SortFunc(hits, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	found := make([]*objects.Object, len(hits))
	for i := range hits {
		found[i] = hits[i].object
	}
	n.found[asked] = found
	return found
}

// list sorts the objects of the index by where they lie.
func (n *Names) list() {
	n.lists = map[place]*names{}
	number := 0
	for o := range n.index.All() {
		for _, at := range [...]place{{o.Kind, o.Namespace, false}, {o.Kind, "", true}} {
			if n.lists[at] == nil {
				n.lists[at] = &names{}
			}
			n.lists[at].objects = append(n.lists[at].objects, numbered{o, number})
		}
		number++
	}
}

// numbered is an object with its number in the index.
type numbered struct {
	object *objects.Object
	number int
}

// names are those of the objects of one place.
type names struct {
	objects []numbered
	begins  []int              // of each name in the text
	text    *suffixarray.Index // all names with borders around them; nil until it is asked for
}

// find returns the objects whose names an expression fits.
func (n *names) find(e *Expression) (out []numbered) {
	if n == nil {
		return nil
	}
	if e.contains == nil {
		for _, o := range n.objects {
			if e.Fits(o.object.Name) {
				out = append(out, o)
			}
		}
		return out
	}
	var tried []int
	for _, part := range e.contains {
		for _, at := range n.joined().Lookup([]byte(part), -1) {
			tried = append(tried, sort.SearchInts(n.begins, at+1)-1)
		}
	}
	slices.Sort(tried)
	for _, i := range slices.Compact(tried) {
		if e.Fits(n.objects[i].object.Name) {
			out = append(out, n.objects[i])
		}
	}
	return out
}

// joined returns the names as one text in which others are found.
func (n *names) joined() *suffixarray.Index {
	if n.text == nil {
		var all strings.Builder
		for _, o := range n.objects {
			n.begins = append(n.begins, all.Len())
			all.WriteString(border + o.object.Name)
		}
		all.WriteString(border)
		n.text = suffixarray.New([]byte(all.String()))
	}
	return n.text
}
