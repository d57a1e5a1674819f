package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/manifest"
)

// obstacle returns the node of an ApplicationSet because of which its template cannot be converted, and why: what the
// controller puts into the Applications from elsewhere would lie beside the plugin, and Argo CD takes one kind of
// options only. The node is not Valid where nothing is in the way.
func obstacle(spec manifest.Node) (at manifest.Node, line int, why string) {
	if n, why := generatorObstacle(spec.Get("generators"), 0); n.Valid() {
		return n, 0, why
	}
	patch := spec.Get("templatePatch")
	if line, why := patchObstacle(patch.Text()); why != "" {
		if raw := patch.Raw(); len(raw) > 0 && (raw[0] == '|' || raw[0] == '>') {
			line++ // the text begins on the line after the indicator
		}
		return patch, line, "templatePatch " + why
	}
	return manifest.Node{}, 0, ""
}

// maxGenerators bounds generators inside generators; Argo CD takes fewer.
const maxGenerators = 8

// generatorObstacle finds a template of a generator that sets what is converted.
func generatorObstacle(generators manifest.Node, depth int) (at manifest.Node, why string) {
	if depth > maxGenerators {
		return manifest.Node{}, ""
	}
	for g := range generators.Items() {
		for kind, body := range g.Entries() {
			spec := body.At("template", "spec")
			if sources := spec.Get("sources"); sources.Len() > 0 {
				return sources, fmt.Sprintf("the template of the generator %s sets spec.sources", kind.Text())
			}
			for key, value := range spec.Get("source").Entries() {
				if isOptions(key.Text()) && value.Len() > 0 {
					return key, fmt.Sprintf("the template of the generator %s sets spec.source.%s", kind.Text(), key.Text())
				}
			}
			if n, why := generatorObstacle(body.Get("generators"), depth+1); n.Valid() {
				return n, why
			}
		}
	}
	return manifest.Node{}, ""
}

// isOptions reports whether a field of a source holds options of one kind.
func isOptions(field string) bool {
	return field == "plugin" || slices.Contains(argocd.NativeFields(), field)
}

// The parts of a template's text. What a patch will be is known only when it is filled in, so its lines are judged by
// their indentation.
var (
	templateAction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{` + actionBody + `\}\}`) })
	silentAction   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\{\{-?\s*(/\*|(if|else|end|range|with|define|block|break|continue)\b|\$\w+\s*:?=)`)
	})
	indentation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bn?indent\s+(\d+)`) })
	blockKey    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s"'{\[#&*!|>%@-][^:{]*?))\s*:(?:\s+(.*))?$`)
	})
	flowKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\b(?:helm|kustomize|directory|plugin|sources|sourceHydrator)|\$[A-Za-z/]+)["']?\s*:`)
	})
)

// actionBody matches what stands in an action: a comment, or else texts in quotes and what is around them.
const actionBody = `(?:-?\s*/\*.*?\*/\s*-?|(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|` + "`[^`]*`|[^\"'`]" + `)*?)`

// filled stands for what an action prints while a line is read.
const filled = "\x00"

// lineObstacle is patchObstacle as far as the lines of a template show it.
func lineObstacle(text string) (line int, why string) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") && !strings.HasPrefix(strings.TrimSpace(text), "{{") { // JSON
		return 0, inserted(nil, text)
	}
	p := patchReader{}
	for i, l := range patchLines(text) {
		if why := p.line(l.text, l.indent); why != "" {
			return i, why
		}
	}
	return 0, ""
}

// patchLine is a line of a templatePatch, with filled for each action that prints something.
type patchLine struct {
	text   string
	indent int // at which what is printed lies, if the action says so; else -1
}

func patchLines(text string) []patchLine {
	indents := []int{}
	text = templateAction().ReplaceAllStringFunc(text, func(action string) string {
		breaks := strings.Repeat("\n", strings.Count(action, "\n"))
		if silentAction().MatchString(action) {
			return breaks
		}
		indent := -1
		if all := indentation().FindAllStringSubmatch(action, -1); all != nil {
			indent, _ = strconv.Atoi(all[len(all)-1][1])
		}
		indents = append(indents, indent)
		return filled + breaks
	})
	var out []patchLine
	for l := range strings.SplitSeq(text, "\n") {
		line := patchLine{text: l, indent: -1}
		for range strings.Count(l, filled) {
			line.indent, indents = indents[0], indents[1:]
		}
		out = append(out, line)
	}
	return out
}

// patchReader knows which field the lines of a templatePatch belong to.
type patchReader struct {
	above  []patchField
	isOpen bool // the last field has its value on the lines below
}

type patchField struct {
	indent int
	name   string
}

func (p *patchReader) line(text string, indent int) string {
	body := strings.TrimLeft(text, " ")
	if body = strings.TrimRight(body, " \t\r"); body == "" || body[0] == '#' || strings.HasPrefix(body, "---") {
		return ""
	}
	column := len(text) - len(strings.TrimLeft(text, " "))
	m := blockKey().FindStringSubmatch(body)
	if m == nil {
		if strings.Trim(body, filled+"- ") == "" && indent >= 0 {
			column = indent
		}
		if p.isOpen || strings.HasPrefix(body, "- ") {
			column++ // a list may begin where the name of its field does
		}
		return inserted(p.path(column), body)
	}
	column += len(m[1])
	path := p.path(column)
	key := m[2] + m[3] + m[4]
	p.isOpen = m[5] == ""
	if !concerns(path) {
		p.above = append(p.above, patchField{column, key})
		return ""
	}
	full := append(slices.Clone(path), key)
	p.above = append(p.above, patchField{column, key})
	switch {
	case strings.Contains(key, filled):
		return "sets a field" + below(path) + " whose name is made by a template"
	case concerns(full) && isBeyond(full):
		return "sets " + strings.Join(full, ".")
	case concerns(full):
		return inserted(full, m[5])
	}
	return ""
}

// path returns the fields that lie above a column, and forgets those that have ended.
func (p *patchReader) path(column int) []string {
	for len(p.above) > 0 && p.above[len(p.above)-1].indent >= column {
		p.above = p.above[:len(p.above)-1]
	}
	var out []string
	for _, f := range p.above {
		out = append(out, f.name)
	}
	return out
}

// concerns reports whether a field is, or may contain, the sources of an Application.
func concerns(path []string) bool {
	switch len(path) {
	case 0:
		return true
	case 1:
		return path[0] == "spec" || isDirective(path[0])
	case 2:
		return path[0] == "spec" &&
			(slices.Contains([]string{"source", "sources", "sourceHydrator"}, path[1]) || isDirective(path[1]))
	}
	return path[0] == "spec" && path[1] == "source" && len(path) == 3 && (isOptions(path[2]) || isDirective(path[2]))
}

// isDirective reports whether a field says how its neighbours are merged, such as $patch.
func isDirective(name string) bool { return strings.HasPrefix(name, "$") }

// isBeyond reports whether a field replaces sources or sets options.
func isBeyond(path []string) bool {
	last := path[len(path)-1]
	return len(path) == 3 || last == "sources" || last == "sourceHydrator" || isDirective(last)
}

// inserted returns why a text that is the value of a field, or lies in it, may set options.
func inserted(path []string, text string) string {
	if !concerns(path) {
		return ""
	}
	if m := flowKey().FindStringSubmatch(text); m != nil {
		return "sets " + m[1] + below(path)
	}
	if strings.Contains(text, filled) {
		return "puts in" + below(path) + " what is known only when it is filled in"
	}
	return ""
}

func below(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return " below " + strings.Join(path, ".")
}
