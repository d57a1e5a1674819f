package convert

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A templatePatch is a template before it is YAML. One without actions is read as the YAML that it is. Of another one
// each text is judged that its conditions can come to: its lines by their indentation, because what an action prints
// there may be a mapping, and then the tree that it is where actions print a word. What cannot be read that way may
// hide anything.

// printed stands for what an action prints while a text is read as YAML.
const printed = "rollstamp-printed"

// patchObstacle returns the line of a templatePatch, from 0, that can put options into a source or replace the sources,
// and how; "" if none can.
func patchObstacle(text string) (line int, why string) {
	if !strings.Contains(text, "{{") {
		docs, err := documents(text)
		if err != nil {
			return 0, "cannot be read as YAML"
		}
		return patchTree{}.judge(docs)
	}
	if line, why := lineObstacle(text); why != "" {
		return line, why
	}
	all, err := branches(text)
	if err != nil {
		return 0, err.Error()
	}
	for _, branch := range all {
		if why := branchObstacle(branch); why != "" {
			return 0, why
		}
	}
	return 0, ""
}

// branchObstacle is patchObstacle of a template that has no other actions than those that print.
func branchObstacle(text string) (why string) {
	if _, why := lineObstacle(text); why != "" {
		return why
	}
	if docs, err := documents(substituted(text)); err == nil {
		_, why := patchTree{isTemplate: true}.judge(docs)
		return why
	}
	for _, l := range patchLines(text) {
		plain, _, _ := strings.Cut(quotedText().ReplaceAllString(l.text, "''"), " #")
		switch {
		case reference().MatchString(plain), escapedName().MatchString(l.text):
			return "has an anchor, a tag or an escape, and what that comes to is known only when it is filled in"
		case strings.Count(plain, "{")+strings.Count(plain, "[") > strings.Count(plain, "}")+strings.Count(plain, "]"):
			return "has brackets over several lines, and what they hold is known only when it is filled in"
		}
	}
	return ""
}

// substituted returns a text with printed for what its actions print. What is indented by its action stands on lines of
// its own, which are left out.
func substituted(text string) string {
	return templateAction().ReplaceAllStringFunc(text, func(action string) string {
		switch {
		case strings.Contains(action, "nindent"):
			return "\n"
		case indentation().MatchString(action):
			return ""
		}
		return printed
	})
}

var (
	// reference matches, outside of texts in quotes, what refers to another part of the text or says how to read it.
	reference = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[\s\[{,:-])([*&!][!<A-Za-z0-9_]|<<\s*:|\?\s)`)
	})
	escapedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*\\[^"]*"\s*:`) })
	quotedText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`) })
)

// documents returns the documents of a text.
func documents(text string) (out []*yaml.Node, err error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, doc.Content...)
	}
}

// patchTree judges a templatePatch as the tree that it is, or is with printed in it.
type patchTree struct{ isTemplate bool }

// judge is patchObstacle of documents.
func (p patchTree) judge(docs []*yaml.Node) (line int, why string) {
	for _, doc := range docs {
		if at, why := p.node(doc, nil, 0); why != "" {
			return max(0, at.Line-1), why
		}
	}
	return 0, ""
}

// maxMerged bounds mappings that are merged into others; an anchor may lie in itself.
const maxMerged = 32

// node judges the value of a field that concerns the sources.
func (p patchTree) node(n *yaml.Node, path []string, depth int) (at *yaml.Node, why string) {
	switch {
	case depth > maxMerged:
		return n, "merges mappings without end" + below(path)
	case n.Kind == yaml.AliasNode && p.isTemplate:
		return n, "refers to *" + n.Value + below(path) + ", and what that is is known only when it is filled in"
	case n.Kind == yaml.AliasNode:
		_, why := p.node(n.Alias, path, depth+1)
		return n, why
	case n.Kind == yaml.ScalarNode && strings.Contains(n.Value, printed):
		return n, "puts in" + below(path) + " what is known only when it is filled in"
	case n.Kind == yaml.SequenceNode && depth > 0: // of what is merged
		for _, item := range n.Content {
			if _, why := p.node(item, path, depth+1); why != "" {
				return n, why
			}
		}
	}
	if n.Kind != yaml.MappingNode {
		return nil, ""
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if at, why := p.entry(n.Content[i], n.Content[i+1], path, depth); why != "" {
			return at, why
		}
	}
	return nil, ""
}

// entry judges a field of a mapping that concerns the sources.
func (p patchTree) entry(key, value *yaml.Node, path []string, depth int) (at *yaml.Node, why string) {
	name := key.Value
	switch {
	case key.Kind == yaml.AliasNode && !p.isTemplate:
		name = key.Alias.Value
	case key.Kind == yaml.AliasNode, strings.Contains(name, printed):
		return key, "sets a field" + below(path) + " whose name is made by a template"
	}
	full := append(slices.Clone(path), name)
	switch {
	case name == "<<":
		return p.node(value, path, depth+1)
	case !concerns(full):
		return nil, ""
	case isBeyond(full):
		return key, "sets " + strings.Join(full, ".")
	}
	return p.node(value, full, depth)
}
