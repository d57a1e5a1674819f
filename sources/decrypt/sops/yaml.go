package sops

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/getsops/sops/v3"
	"go.yaml.in/yaml/v3"
)

// yamlIndent is the indentation of what SOPS writes.
const yamlIndent = 4

// loadYAML reads documents with their comments.
func loadYAML(text []byte) (out sops.TreeBranches, err error) {
	if err := yaml.Unmarshal(text, new(map[string]any)); err != nil { // finds keys that stand twice
		return nil, err
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		branch, err := documentOf(&doc)
		if err != nil {
			return nil, err
		}
		out = append(out, branch)
	}
}

// documentOf returns the mapping of a document, between the comments of the document itself.
func documentOf(doc *yaml.Node) (sops.TreeBranch, error) {
	branch := remarks(doc.HeadComment+"\n"+doc.LineComment, false)
	for _, top := range doc.Content {
		for top.Kind == yaml.AliasNode {
			top = top.Alias
		}
		switch {
		case top.Kind == yaml.MappingNode:
			branch = append(branch, mappingOf(top, true)...)
		case top.ShortTag() != "!!null":
			return nil, ErrFormat
		}
	}
	return append(branch, remarks(doc.FootComment, false)...), nil
}

// comments returns the lines of a comment.
func comments(text string, inline bool) (out []sops.Comment) {
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			out = append(out, sops.Comment{Value: line[1:], Inline: inline})
		}
	}
	return out
}

// remarks returns the lines of a comment as items of a mapping.
func remarks(text string, inline bool) sops.TreeBranch {
	out := sops.TreeBranch{}
	for _, c := range comments(text, inline) {
		out = append(out, sops.TreeItem{Key: c})
	}
	return out
}

// mappingOf returns a mapping. Its own comments are left out where those around it have them.
func mappingOf(n *yaml.Node, withOwn bool) sops.TreeBranch {
	out := sops.TreeBranch{}
	if withOwn {
		out = append(out, remarks(n.HeadComment+"\n"+n.LineComment, false)...)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		isPlain := value.Kind == yaml.ScalarNode || value.Kind == yaml.AliasNode
		out = append(out, remarks(key.HeadComment+"\n"+key.LineComment, false)...)
		if isPlain {
			out = append(out, remarks(value.HeadComment, false)...)
			out = append(out, remarks(value.LineComment, true)...)
		}
		out = append(out, sops.TreeItem{Key: scalarOf(key), Value: commentedValue(value, !isPlain)})
		if isPlain {
			out = append(out, remarks(value.FootComment, false)...)
		}
		out = append(out, remarks(key.FootComment, false)...)
	}
	if withOwn {
		out = append(out, remarks(n.FootComment, false)...)
	}
	return out
}

// commentedValue returns a value as mappingOf does.
func commentedValue(n *yaml.Node, withOwn bool) any {
	switch n.Kind {
	case yaml.MappingNode:
		return mappingOf(n, withOwn)
	case yaml.SequenceNode:
		return sequenceOf(n, withOwn)
	case yaml.AliasNode:
		return commentedValue(n.Alias, true)
	}
	return scalarOf(n)
}

func sequenceOf(n *yaml.Node, withOwn bool) []any {
	out := []any{}
	add := func(text string, inline bool) {
		for _, c := range comments(text, inline) {
			out = append(out, c)
		}
	}
	if withOwn {
		add(n.HeadComment+"\n"+n.LineComment, false)
	}
	for _, item := range n.Content {
		add(item.HeadComment, false)
		add(item.LineComment, true)
		out = append(out, commentedValue(item, false))
		add(item.FootComment, false)
	}
	if withOwn {
		add(n.FootComment, false)
	}
	return out
}

// scalarOf returns a scalar; nil where it cannot be read.
func scalarOf(n *yaml.Node) any {
	var out any
	if err := n.Decode(&out); err != nil {
		return nil
	}
	return out
}

// emitYAML writes documents with their comments.
func emitYAML(content sops.TreeBranches) ([]byte, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(yamlIndent)
	for _, branch := range content {
		top, err := mappingNode(branch)
		if err != nil {
			return nil, err
		}
		if err := e.Encode(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{top}}); err != nil {
			return nil, err
		}
	}
	err := e.Close()
	return out.Bytes(), err
}

// pending are comments that wait for the node that they are written at.
type pending struct{ head, line []string }

func (p *pending) add(c sops.Comment) {
	if c.Inline {
		p.line = append(p.line, c.Value)
	} else {
		p.head = append(p.head, c.Value)
	}
}

// join puts comments in front of a comment, or behind it.
func join(before, after string) string {
	if before == "" || after == "" {
		return before + after
	}
	return before + "\n" + after
}

// lines returns the text of comments.
func lines(of []string) string {
	if len(of) == 0 {
		return ""
	}
	return "#" + strings.Join(of, "\n#")
}

// toHead writes what waits for the start of a node.
func (p *pending) toHead(n *yaml.Node) {
	n.HeadComment, p.head = join(lines(p.head), n.HeadComment), nil
}

// toLine writes what waits for the line of a node.
func (p *pending) toLine(n *yaml.Node) {
	n.LineComment, p.line = join(n.LineComment, lines(p.line)), nil
}

// toEnd writes what is left behind the last node, or in front of all where there is none.
func (p *pending) toEnd(all, last *yaml.Node) {
	p.head = append(p.head, p.line...)
	if last == nil {
		p.toHead(all)
		return
	}
	last.FootComment = join(last.FootComment, lines(p.head))
}

func mappingNode(branch sops.TreeBranch) (*yaml.Node, error) {
	out, waits := &yaml.Node{Kind: yaml.MappingNode}, pending{}
	var last *yaml.Node
	for _, item := range branch {
		if c, is := item.Key.(sops.Comment); is {
			waits.add(c)
			continue
		}
		if last == nil {
			waits.toHead(out)
		}
		key := &yaml.Node{}
		if err := key.Encode(item.Key); err != nil {
			return nil, err
		}
		waits.toHead(key)
		value, err := valueNode(item.Value)
		if err != nil {
			return nil, err
		}
		waits.toLine(value)
		out.Content, last = append(out.Content, key, value), key
	}
	waits.toEnd(out, last)
	return out, nil
}

func sequenceNode(items []any) (*yaml.Node, error) {
	out, waits := &yaml.Node{Kind: yaml.SequenceNode}, pending{}
	var last *yaml.Node
	for _, item := range items {
		if c, is := item.(sops.Comment); is {
			waits.add(c)
			continue
		}
		if last == nil {
			waits.toHead(out)
		}
		value, err := valueNode(item)
		if err != nil {
			return nil, err
		}
		waits.toHead(value)
		waits.toLine(value)
		out.Content, last = append(out.Content, value), value
	}
	waits.toEnd(out, last)
	return out, nil
}

func valueNode(v any) (*yaml.Node, error) {
	switch v := v.(type) {
	case sops.TreeBranch:
		return mappingNode(v)
	case []any:
		return sequenceNode(v)
	}
	out := &yaml.Node{}
	err := out.Encode(v)
	return out, err
}
