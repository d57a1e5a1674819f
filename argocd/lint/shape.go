package lint

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// shape is what Argo CD reads at a place in a file. Argo CD's own decoder ignores everything else there.
type shape struct {
	is     kind
	fields map[string]*shape // of a mapping; nil if the user chooses its keys
	item   *shape            // of a list, or of a mapping whose keys the user chooses; nil for anything
	legacy map[string]string // keys of older versions and of other tools, with their replacements
	others others            // whether there may be other fields
	family map[string]bool   // the names of all fields of its API, wherever they belong; nil if that is not known
	by     string            // who refuses a file with another field; "" where that is ignored
}

// others is which fields a mapping may have that are not known here. What is near to a known one is a mistake
// in any case.
type others uint8

const (
	noOthers    others = iota
	newerOthers        // those of newer versions
	anyOthers          // whatever there is
)

type kind uint8

const (
	anything kind = iota
	mapping
	list
	scalar // a text, which may be written as a number
	text
	truth
	number
)

var (
	scalarShape  = &shape{is: scalar}
	truthShape   = &shape{is: truth}
	scalarsShape = &shape{is: list, item: scalarShape}
	anyShape     = &shape{}
)

// aspects are what is checked of a shape.
type aspects uint8

const (
	types aspects = 1 << iota // what values are
	names                     // whether there are such keys
	newer                     // where there are none, whether newer versions may have them
)

// strict checks the keys and types of a node and of everything below it. Where names the place in messages.
func (c *checker) strict(n *yaml.Node, s *shape, where string) { c.check(n, s, where, types|names) }

// check checks some aspects of a node and of everything below it. An empty node is one that is not set.
func (c *checker) check(n *yaml.Node, s *shape, where string, what aspects) {
	n = resolve(n)
	if n == absent || isNull(n) {
		return
	}
	if s == nil || s.is == anything {
		return
	}
	if want, found := s.is.mismatch(n); want != "" {
		if what&types != 0 && !(c.inValues && strings.Contains(n.Value, "{{")) {
			c.wrongType(n, where, want, found)
		}
		return
	}
	switch {
	case s.is == mapping && s.fields != nil:
		c.keys(n, s, where, what)
	case s.is == mapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.check(n.Content[i+1], s.item, where+"."+n.Content[i].Value, what)
		}
	case s.is == list:
		for _, item := range items(n) {
			if what&types != 0 && isNull(item) {
				c.wrongType(item, where+"[]", s.item.is.wanted(), "nothing")
			}
			c.check(item, s.item, where+"[]", what)
		}
	}
}

func (c *checker) wrongType(n *yaml.Node, where, want, found string) {
	f := c.report(diag.PluginValue, n, "%s: want %s, found %s", where, want, found)
	switch {
	case want == text.wanted() && n.Kind == yaml.ScalarNode && found != "nothing":
		f.Hint = "Put it in quotes."
	case want == truth.wanted() || want == number.wanted():
		f.Hint = "Write it without quotes."
	}
	c.wrong[n.Line+c.offset] = true
}

// isWrong reports whether a node, or one below it, was reported for its type.
func (c *checker) isWrong(n *yaml.Node) bool {
	return c.wrong[n.Line+c.offset] || slices.ContainsFunc(n.Content, c.isWrong)
}

// wanted returns what a kind is, as messages write it.
func (k kind) wanted() string {
	switch k {
	case mapping:
		return "a mapping"
	case list:
		return "a list"
	case truth:
		return "true or false"
	case number:
		return "a number"
	case anything, scalar, text:
	}
	return "a text"
}

// mismatch returns what is wanted in place of a node and what it is, where it is of another kind; no value is in it.
func (k kind) mismatch(n *yaml.Node) (want, found string) {
	is, found := kindOf(n)
	switch {
	case is == k, k == scalar && is != mapping && is != list:
		return "", ""
	}
	return k.wanted(), found
}

// kindOf returns what a node is to Kubernetes, and as messages write it.
func kindOf(n *yaml.Node) (is kind, called string) {
	switch n.Kind {
	case yaml.MappingNode:
		return mapping, "a mapping"
	case yaml.SequenceNode:
		return list, "a list"
	default:
	}
	const typed = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if n.Style&typed == 0 {
		switch manifest.PlainType(n.Value) {
		case manifest.Bool:
			return truth, "a boolean"
		case manifest.Number:
			return number, "a number"
		case manifest.String, manifest.Null, manifest.Other:
		}
	}
	return text, "a text"
}

func isNull(n *yaml.Node) bool { return n.ShortTag() == "!!null" }

// keys checks the entries of a mapping. Argo CD ignores the case of keys, and of two uses counts the last.
func (c *checker) keys(n *yaml.Node, s *shape, where string, what aspects) {
	known := make([]string, 0, len(s.fields))
	for name := range s.fields {
		known = append(known, name)
	}
	slices.Sort(known)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		place := strings.TrimPrefix(where+"."+key.Value, ".")
		if first, twice := seen[key.Value]; twice && what&names != 0 {
			c.report(diag.PluginValue, key, "%s is given twice, first in line %d; the last one counts", place,
				first+c.offset)
		}
		seen[key.Value] = key.Line
		if field, ok := s.fields[key.Value]; ok {
			c.check(value, field, place, what)
		} else if what&names != 0 {
			c.reportUnknown(key, s, place, known, what)
		}
	}
}

func (c *checker) reportUnknown(key *yaml.Node, s *shape, place string, known []string, what aspects) {
	if key.Tag == "!!merge" || isFilledIn(key.Value) || c.unknown[key] {
		return
	}
	c.unknown[key] = true
	now, old := s.legacy[key.Value]
	if !old && nearly(key.Value, known) == "" {
		now, old = s.legacy[nearly(key.Value, slices.Sorted(maps.Keys(s.legacy)))]
	}
	if old {
		c.report(diag.PluginKey, key, "%s has no effect: %s", place, now)
		return
	}
	same := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, key.Value) })
	near := didYouMean(nearly(key.Value, known))
	if s.others != anyOthers && near == "" {
		near = didYouMean(begins(key.Value, known))
	}
	switch {
	case s.others != noOthers:
	case same >= 0:
		c.report(diag.PluginKey, key, "%s is read as %s, by chance", place, known[same]).Hint = "Write it as " +
			known[same] + "."
		return
	default:
		near = cmp.Or(config.Suggest(key.Value, known), near)
	}
	if near == "" && s.others == anyOthers {
		return
	}
	effect := "has no effect: there is no such key"
	if s.by != "" {
		effect = "is no key, and " + s.by + " refuses the file"
	}
	f := c.report(diag.PluginKey, key, "%s %s%s", place, effect, near)
	if s.by != "" {
		f.Severity = diag.Failure
	}
	if near == "" {
		f.Hint = takes(known)
	}
	if near == "" && (s.others == newerOthers || what&newer != 0) && !s.family[key.Value] {
		f.Severity, f.Message = diag.Info, place+" is no key that is known here, and has no effect unless a newer version has it"
	}
}

// begins returns the one of some words that another is the beginning of, or "".
func begins(word string, all []string) string {
	const least = 4 // letters that say something
	for _, w := range all {
		if len(word) >= least && strings.HasPrefix(w, word) {
			return w
		}
	}
	return ""
}

// takes returns the hint for a key that is near to none of those which there are.
func takes(known []string) string {
	const most = 16 // of which one can see whether one of them is meant
	if len(known) == 0 || len(known) > most {
		return diag.New(diag.PluginKey, "", "").Hint
	}
	return "Take it out, or write what there is: " + strings.Join(known, ", ") + "."
}
