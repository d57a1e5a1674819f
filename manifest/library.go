package manifest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	goyaml "sigs.k8s.io/yaml"
)

// library is what the YAML library adds to a document that it read: decoded values, by the index of their node.
type library struct {
	values      map[int32][]byte
	shared      []bool // by node: it lies in the target of an alias; nil where there are no aliases
	otherBreaks bool   // there are other line breaks than LF and CR LF
}

// convert turns the library's nodes into those of this package.
type convert struct {
	nodes  []node
	values map[int32][]byte
	seen   map[*yaml.Node]int32
	lines  []int // offset of each line in the text, by the library's idea of a line
	text   []byte

	targets map[int32]bool // the nodes that aliases refer to

	line, column, at int // a place whose offset is known
}

// readWithLibrary reads text[start:end] with the YAML library, and returns the library's panics as errors.
func readWithLibrary(text []byte, start, end int) (lib *library, nodes []node, err error) {
	defer func() {
		if p := recover(); p != nil {
			lib, nodes, err = nil, nil, invalid(text, start, "the YAML library failed on this document")
		}
	}()
	if end >= maxOffsets {
		return nil, nil, invalid(text, start, "the stream is larger than 2 GiB")
	}
	from := start + skipMark(text[start:end])
	chunk := text[from:end]
	if !utf8.Valid(chunk) {
		if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
			return nil, nil, invalid(text, 0, "the text is UTF-16, not UTF-8")
		}
		return nil, nil, invalid(text, from+firstInvalid(chunk), "invalid UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(chunk))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &library{}, nil, nil
		}
		return nil, nil, libraryError(text, from, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, nil, libraryError(text, from, err)
		}
		return nil, nil, invalid(text, from, "a further document begins where no line ends with LF")
	}
	c := &convert{
		values:  map[int32][]byte{},
		seen:    map[*yaml.Node]int32{},
		lines:   lineStarts(chunk, from),
		text:    text,
		targets: map[int32]bool{},
	}
	for _, n := range doc.Content {
		if err := c.add(n); err != nil {
			return nil, nil, err
		}
	}
	if len(c.targets) > 0 {
		// Composing nodes does not expand aliases. The decoder that Kubernetes uses does, and refuses those that would
		// grow without bound.
		var v any
		if err := goyaml.Unmarshal(chunk, &v); err != nil {
			return nil, nil, libraryError(text, from, err)
		}
	}
	if len(c.nodes) == 1 && c.nodes[0].style == absent {
		c.nodes = nil // nothing but comments
	}
	otherBreaks := len(c.lines)-1 != bytes.Count(chunk, []byte{'\n'})
	return &library{c.values, c.markShared(), otherBreaks}, c.nodes, nil
}

func (c *convert) add(n *yaml.Node) error {
	i := int32(len(c.nodes))
	start := int32(c.offset(n.Line, n.Column))
	k := node{start: start, end: start}
	switch n.Kind {
	case yaml.AliasNode:
		target, ok := c.seen[n.Alias]
		if !ok {
			return invalid(c.text, int(start), "an anchor that contains itself")
		}
		c.targets[target] = true
		k.kind, k.aux = aliasNode, target
		c.nodes = append(c.nodes, k)
		return nil
	case yaml.MappingNode:
		k.kind = mapNode
	case yaml.SequenceNode:
		k.kind = seqNode
	default:
		k.style = decoded
		c.values[i] = []byte(n.Value)
		if n.Tag == "!!null" && n.Value == "" && n.Style == 0 {
			k.style = absent
		}
	}
	if k.kind != scalarNode {
		k.style = block
		if n.Style&yaml.FlowStyle != 0 {
			k.style = flow
			k.start = int32(c.bracket(int(start)))
		}
	}
	c.nodes = append(c.nodes, k)
	c.seen[n] = i
	if k.kind == scalarNode {
		c.tag(i, n)
		return nil
	}
	for j, child := range n.Content {
		if k.kind == mapNode && j%2 == 0 && child.Tag == "!!merge" {
			c.nodes[i].merge = true
		}
		if k.kind == mapNode && j%2 == 0 && !scalarKey(child) {
			return badKey(c.text, c.offset(child.Line, child.Column))
		}
		if err := c.add(child); err != nil {
			return err
		}
	}
	if k.kind == mapNode && k.style == block && len(n.Content) > 0 {
		c.nodes[i].start = c.nodes[i+1].start
	}
	c.nodes[i].aux = int32(len(c.nodes))
	return nil
}

// markShared marks what lies in the targets of aliases. A node lies in every earlier one that has not ended yet.
func (c *convert) markShared() []bool {
	if len(c.targets) == 0 {
		return nil
	}
	out := make([]bool, len(c.nodes))
	end := int32(0)
	for i := range c.nodes {
		if c.targets[int32(i)] {
			end = max(end, nextIndex(c.nodes, int32(i)))
		}
		out[i] = int32(i) < end
	}
	return out
}

func scalarKey(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.ScalarNode
}

// tag records whether the scalar's type follows from its text (aux is 1), as a plain one's does, or whether it is a
// string.
func (c *convert) tag(i int32, n *yaml.Node) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case n.Style&yaml.TaggedStyle == 0:
		if n.Style&quoted == 0 {
			c.nodes[i].aux = 1
		}
	case n.Tag == "!!int", n.Tag == "!!float", n.Tag == "!!bool", n.Tag == "!!null":
		c.nodes[i].aux = 1
	case n.Tag == "!!binary":
		if v, err := base64.StdEncoding.DecodeString(n.Value); err == nil {
			c.values[i] = v
		}
	}
}

// bracket returns the offset of the bracket of a flow collection whose anchor or tag is at i.
func (c *convert) bracket(i int) int {
	for k := i; k < len(c.text); k++ {
		if b := c.text[k]; b == '{' || b == '[' {
			return k
		}
	}
	return i
}

// offset turns the library's line and column, both from 1 and the column in characters, into an offset.
func (c *convert) offset(line, column int) int {
	if line < 1 || line > len(c.lines) {
		return len(c.text)
	}
	if line != c.line || column < c.column {
		c.line, c.column, c.at = line, 1, c.lines[line-1]
	}
	// Nodes come in order, so that a long line is read once.
	for ; c.column < column && c.at < len(c.text); c.column++ {
		_, n := utf8.DecodeRune(c.text[c.at:])
		c.at += n
	}
	return c.at
}

// lineStarts returns where lines begin as the library counts them: LF, CR LF, CR, NEL, LS and PS end one.
func lineStarts(chunk []byte, from int) []int {
	starts := []int{from}
	for i := 0; i < len(chunk); {
		r, n := utf8.DecodeRune(chunk[i:])
		i += n
		if r == '\r' && i < len(chunk) && chunk[i] == '\n' {
			i++
		}
		if r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 {
			starts = append(starts, from+i)
		}
	}
	return starts
}

func firstInvalid(s []byte) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}
