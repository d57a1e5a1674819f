package convert

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// isTrue reports whether a scalar is true by the rules of YAML 1.1.
func isTrue(n *yaml.Node) bool {
	return slices.Contains([]string{"true", "yes", "on", "y"}, strings.ToLower(n.Value))
}

// isBoolean reports whether Argo CD reads a scalar as true or false.
func isBoolean(n *yaml.Node) bool {
	isFalse := slices.Contains([]string{"false", "no", "off", "n"}, strings.ToLower(n.Value))
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && (isTrue(n) || isFalse)
}

// isEmptyMapping reports whether a node is a mapping without a key.
func isEmptyMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && len(n.Content) == 0 }

// embed returns a scalar with a tree as its text, with its comments.
func embed(value *yaml.Node) (*yaml.Node, error) {
	inner, err := encode(value)
	if err != nil {
		return nil, err
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: inner}, nil
}

// asText returns a scalar that is read as a string.
func asText(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!str" && n.Style&^yaml.TaggedStyle != 0 {
		return n
	}
	out := *n
	out.Tag, out.Style = "!!str", 0
	if ambiguous(n.Value) {
		out.Style = yaml.DoubleQuotedStyle
	}
	return &out
}

// ambiguous matches texts that YAML 1.1 reads as another type, not all of which yaml's own encoder quotes.
func ambiguous(s string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "~", ""}, strings.ToLower(s))
}

func quoteLike(value string, like *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value,
		LineComment: like.LineComment}
}

func word(s string) *yaml.Node {
	return asText(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s})
}

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s}
}

func encode(n *yaml.Node) (string, error) {
	marks, restore := markSpecial(n)
	defer restore()
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return "", errors.New("write YAML")
	}
	return marks.Replace(out.String()), e.Close()
}

// special matches what the library writes no block with, but one line in quotes: blanks at the end of a line, and
// characters beyond the first plane. What is read has no objection to either.
var special = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)[^ \t\n][ \t]+$|[\x{10000}-\x{10FFFF}]`)
})

// markSpecial writes characters of private use for special ones into the blocks of a tree. The first result takes them
// out of a text, the second out of the tree.
func markSpecial(n *yaml.Node) (marks *strings.Replacer, restore func()) {
	blocks := map[*yaml.Node]string{}
	var all strings.Builder
	var find func(n *yaml.Node)
	find = func(n *yaml.Node) {
		all.WriteString(n.Value)
		if n.Style&yaml.LiteralStyle != 0 && special().MatchString(n.Value) {
			blocks[n] = n.Value
		}
		for _, below := range n.Content {
			find(below)
		}
	}
	find(n)
	next, back := '\uE000', []string{}
	mark := func(r rune) rune {
		for strings.ContainsRune(all.String(), next) {
			next++
		}
		back = append(back, string(next), string(r))
		next++
		return next - 1
	}
	known := map[rune]rune{}
	for n, value := range blocks {
		n.Value = special().ReplaceAllStringFunc(value, func(match string) string {
			return strings.Map(func(r rune) rune {
				if r != ' ' && r != '\t' && r < 0x10000 {
					return r
				}
				if known[r] == 0 {
					known[r] = mark(r)
				}
				return known[r]
			}, match)
		})
	}
	return strings.NewReplacer(back...), func() {
		for n, value := range blocks {
			n.Value = value
		}
	}
}

// flow encodes an entry in one line, without comments.
func flow(entry *yaml.Node) (string, error) {
	flatten := func(*yaml.Node) {}
	flatten = func(n *yaml.Node) {
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		} else if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			n.Style = yaml.DoubleQuotedStyle
		}
		for _, inner := range n.Content {
			flatten(inner)
		}
	}
	flatten(entry)
	line, err := encode(entry)
	line = strings.TrimSpace(line)
	return strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}"), err
}
