// Package output orders and prints what a build made, as kustomize build does.
package output

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	printer "go.yaml.in/yaml/v2"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Print returns the text of resources, which is that of kustomize's own AsYaml.
//
// AsYaml prints each node as YAML, reads that, prints it as JSON, reads that, and prints the values as YAML: about
// half of the work of a small build. For a node whose values do not depend on that, all but the last step are left
// out; every other resource takes the long way.
func Print(rs []*resource.Resource) ([]byte, error) {
	var buf bytes.Buffer
	for i, r := range rs {
		if i > 0 {
			buf.WriteString("---\n")
		}
		text, err := PrintOne(r)
		if err != nil {
			return nil, fmt.Errorf("print %s: %w", r.CurId(), err)
		}
		buf.Write(text)
	}
	return buf.Bytes(), nil
}

// PrintOne returns the text of one resource.
func PrintOne(r *resource.Resource) ([]byte, error) {
	if v, ok := plainResource(r); ok {
		return printer.Marshal(v)
	}
	return r.AsYAML()
}

func plainResource(r *resource.Resource) (any, bool) {
	n := r.YNode()
	if n == nil || !onlyComments(n) {
		return nil, false
	}
	return plainValue(n, false)
}

// plainValue returns the value of a node after kustomize's conversion from YAML to JSON and back, where that is beyond
// doubt. flow reports that the node lies in a {...} or [...].
func plainValue(n *yaml.Node, flow bool) (any, bool) {
	if n == nil || n.Style&yaml.TaggedStyle != 0 {
		return nil, false
	}
	flow = flow || n.Style&yaml.FlowStyle != 0
	switch {
	case n.Kind == yaml.MappingNode && isTag(n.Tag, yaml.NodeTagMap):
		return plainMap(n, flow)
	case n.Kind == yaml.SequenceNode && isTag(n.Tag, yaml.NodeTagSeq):
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, ok := plainValue(e, flow)
			if !ok || !itemRoundTrips(e, flow) {
				return nil, false
			}
			list[i] = v
		}
		return list, true
	case n.Kind == yaml.ScalarNode:
		return plainScalar(n, flow)
	default:
		return nil, false
	}
}

func plainMap(n *yaml.Node, flow bool) (any, bool) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, e := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || !isString(k) || !keyRoundTrips(k) {
			return nil, false
		}
		v, ok := plainValue(e, flow)
		if !ok || !entryRoundTrips(k, e, flow) {
			return nil, false
		}
		m[k.Value] = v
	}
	// A key written twice is an error that AsYaml reports.
	return m, len(m) == len(n.Content)/2
}

func plainScalar(n *yaml.Node, flow bool) (any, bool) {
	if isString(n) {
		return n.Value, roundTrips(n)
	}
	switch {
	case n.Style != 0:
		return nil, false
	case n.Tag == yaml.NodeTagInt && isDecimal(n.Value):
		i, err := strconv.Atoi(n.Value)
		return i, err == nil
	case n.Tag == yaml.NodeTagBool && (n.Value == "true" || n.Value == "false"):
		return n.Value == "true", true
	case n.Tag == yaml.NodeTagNull && (n.Value == "null" || n.Value == "~" || n.Value == "" && !flow):
		return nil, true
	default:
		return nil, false
	}
}

func isTag(tag, want string) bool { return tag == want || tag == "" }

// isString reports whether a scalar is text: it says so, or, as in nodes that kustomize made, nothing says otherwise.
func isString(n *yaml.Node) bool {
	if n.Tag != "" {
		return n.Tag == yaml.NodeTagString
	}
	if n.Value == "" || n.Style != 0 {
		return false
	}
	if c := n.Value[0] | 0x20; c < 'a' || c > 'z' {
		return false
	}
	switch strings.ToLower(n.Value) {
	case "true", "false", "null", "y", "n", "yes", "no", "on", "off":
		return false
	}
	return true
}

// isDecimal reports whether s is an integer in its one usual spelling, small enough for every number type on the way.
func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == 0 || len(digits) > 15 || digits[0] == '0' && s != "0" {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

// roundTrips reports whether text survives being printed and read: printable characters, and lines in a style that
// keeps them.
func roundTrips(n *yaml.Node) bool {
	s := n.Value
	lines := strings.Contains(s, "\n")
	switch {
	case n.Style&yaml.FoldedStyle != 0:
		if first := strings.IndexByte(s, '\n'); lines && first != len(s)-1 || strings.HasPrefix(s, " ") {
			return false
		}
	case lines && n.Style&(yaml.SingleQuotedStyle) != 0:
		return false
	}
	if lines && (s[0] == '\n' || s[0] == ' ') {
		return false
	}
	if strings.HasSuffix(s, "\n\n") {
		return false // a comment that follows is printed below one more empty line, which is read as the text's
	}
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if (c < 0x20 && c != '\n') || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r > 0xFFFD && r < 0x10000 || r == utf8.RuneError {
			return false
		}
		i += size
	}
	return true
}

// keyRoundTrips reports whether a mapping's key prints on one line and is no merge.
func keyRoundTrips(k *yaml.Node) bool {
	return k.Style&yaml.TaggedStyle == 0 && len(k.Value) <= 128 && k.Value != "<<" && !strings.Contains(k.Value,
		"\n") && roundTrips(k)
}

// entryRoundTrips reports whether the comments of a mapping's entry are where they cannot change what is read again:
// above and below the key, beside the key of a block, beside a value on one line.
func entryRoundTrips(k, e *yaml.Node, flow bool) bool {
	if !hasComment(k) && !hasComment(e) {
		return true
	}
	switch {
	case flow || e.HeadComment != "" || e.FootComment != "":
		return false
	case k.LineComment != "" && !isBlock(e), e.LineComment != "" && (e.Kind != yaml.ScalarNode ||
		strings.Contains(e.Value, "\n")):
		return false
	default:
		return onlyComments(k) && onlyComments(e)
	}
}

// itemRoundTrips reports the same of an item of a list.
func itemRoundTrips(e *yaml.Node, flow bool) bool {
	if !hasComment(e) {
		return true
	}
	if flow || !onlyComments(e) {
		return false
	}
	if e.Kind == yaml.ScalarNode {
		return !strings.Contains(e.Value, "\n")
	}
	return isBlock(e) && e.LineComment == "" && e.FootComment == ""
}

// isBlock reports whether a node prints as lines below the one that it begins on.
func isBlock(n *yaml.Node) bool {
	return n.Kind != yaml.ScalarNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

func hasComment(n *yaml.Node) bool {
	return n.HeadComment != "" || n.LineComment != "" || n.FootComment != ""
}

func onlyComments(n *yaml.Node) bool {
	for _, c := range [...]string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.SplitSeq(c, "\n") {
			if line != "" && line[0] != '#' {
				return false
			}
		}
	}
	return !strings.Contains(n.LineComment, "\n")
}
