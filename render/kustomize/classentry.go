package kustomize

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

const replacementsField = "replacements"

// replicas finds the entry by its name.
func (w where) replicas(m []string) spot {
	return spot{pos: w.k.one(w.k.entries(named("name", m[1]), "replicas"), "replicas")}
}

// replacements finds nodes in the replacements of the kustomization, and in those of files that it names.
func (w where) replacements(find func(replacement manifest.Node) []manifest.Node) spot {
	var all []diag.Position
	for entry := range w.k.root().Get(replacementsField).Items() {
		text, file, one := w.k.disk, w.k.shown, entry
		if path := entry.Get("path").StringValue(); path != "" {
			text, file = w.content(path), w.shownPath(path)
			d, err := manifest.Parse(text)
			if err != nil {
				continue
			}
			one = d.Root()
		}
		several := []manifest.Node{one}
		if one.IsSeq() {
			several = slices.Collect(one.Items())
		}
		for _, replacement := range several {
			for _, n := range find(replacement) {
				all = append(all, diag.Position{File: file, Line: manifest.NewLines(text).At(n.Offset())})
			}
		}
	}
	if len(all) == 1 {
		return spot{pos: all[0]}
	}
	return spot{pos: diag.Position{File: w.k.shown, Line: w.k.fieldLine(replacementsField)}}
}

// source finds a replacement by what kustomize calls its source.
func (w where) source(m []string) spot {
	return w.replacements(func(n manifest.Node) []manifest.Node {
		source := n.Get("source")
		selector := types.SourceSelector{ResId: idIn(source), FieldPath: source.Get("fieldPath").StringValue()}
		known := selector.String()
		if selector.FieldPath == "" {
			known += ":" + types.DefaultReplacementFieldPath
		}
		return nodeIf(source, m[1] == known || m[1] == selector.String() ||
			source.Get("options").IsMap() && strings.HasPrefix(m[1], known+":"))
	})
}

// sourceField finds a replacement by the object that is its source, and the path there.
func (w where) sourceField(m []string) spot { return w.source([]string{m[0], m[2] + ":" + m[1]}) }

// incomplete finds a replacement without a source or without targets.
func (w where) incomplete([]string) spot {
	return w.replacements(func(n manifest.Node) []manifest.Node {
		return nodeIf(n, !n.Get("source").IsMap() || n.Get("targets").Len() == 0)
	})
}

// fieldPath finds the path of a replacement's target.
func (w where) fieldPath(m []string) spot {
	return w.replacements(func(n manifest.Node) (out []manifest.Node) {
		for target := range n.Get("targets").Items() {
			for path := range target.Get("fieldPaths").Items() {
				out = append(out, nodeIf(path, path.StringValue() == m[1])...)
			}
		}
		return out
	})
}

// targetOfReplacement finds what is no regular expression in the targets of replacements.
func (w where) targetOfReplacement([]string) spot {
	return w.replacements(func(n manifest.Node) (out []manifest.Node) {
		for target := range n.Get("targets").Items() {
			for _, selector := range append(slices.Collect(target.Get("reject").Items()), target.Get("select")) {
				for _, value := range selector.Entries() {
					_, err := regexp.Compile(value.StringValue())
					out = append(out, nodeIf(value, err != nil)...)
				}
			}
		}
		return out
	})
}

// generatorFields are the fields of generators, by the kind of what they generate.
var generatorFields = map[string]string{"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}

// generator finds the generator of an object.
func (w where) generator(m []string) spot {
	field := generatorFields[m[1]]
	return spot{pos: w.k.one(w.k.entries(named("name", m[2]), field), field)}
}

// variable finds an entry of vars.
func (w where) variable(m []string) spot {
	return spot{pos: w.k.one(w.k.entries(named("name", m[1]), "vars"), "vars")}
}

// namelessGenerator finds a generator without a name.
func (w where) namelessGenerator([]string) spot {
	found := w.k.entries(named("name", ""), "configMapGenerator", "secretGenerator")
	return spot{pos: w.k.one(found, "")}
}

// literal finds the generator with a literal that has no key.
func (w where) literal([]string) spot {
	keyless := func(n manifest.Node) (out []manifest.Node) {
		for literal := range n.Get("literals").Items() {
			out = append(out, nodeIf(literal, strings.Index(literal.Text(), "=") <= 0)...)
		}
		return out
	}
	return spot{pos: w.k.one(w.k.entries(keyless, "configMapGenerator", "secretGenerator"), "")}
}

// noText finds the line of a file with variables that is no UTF-8.
func (w where) noText([]string) spot {
	var all []diag.Position
	for _, file := range w.k.files() {
		if !strings.HasSuffix(file.field, "Generator") || !w.hasVariables(file.path) {
			continue
		}
		line := 0
		for text := range strings.Lines(string(w.content(file.path))) {
			if line++; !utf8.ValidString(text) {
				all = append(all, diag.Position{File: w.shownPath(file.path), Line: line})
				break
			}
		}
	}
	return onlyOne(all)
}

// hasVariables reports whether a generator takes variables from a file.
func (w where) hasVariables(file string) bool {
	var all []string
	for _, g := range w.k.kust.ConfigMapGenerator {
		all = append(all, g.EnvSources...)
	}
	for _, g := range w.k.kust.SecretGenerator {
		all = append(all, g.EnvSources...)
	}
	return slices.Contains(all, file)
}

// repeatedSource finds where the sources of a generator name a key for the second time.
func (w where) repeatedSource(m []string) spot {
	var all []diag.Position
	add := func(field string, g types.GeneratorArgs) {
		if g.Name != m[1] {
			return
		}
		if pos, ok := w.secondOf(g.KvPairSources, m[2]); ok {
			if pos.File == "" {
				pos = w.k.one(w.k.entries(named("name", m[1]), field), field)
			}
			all = append(all, pos)
		}
	}
	for _, g := range w.k.kust.ConfigMapGenerator {
		add("configMapGenerator", g.GeneratorArgs)
	}
	for _, g := range w.k.kust.SecretGenerator {
		add("secretGenerator", g.GeneratorArgs)
	}
	return onlyOne(all)
}

// secondOf returns where sources have a key for the second time, in kustomize's order: a line of a file with variables,
// or no file for what stands in the kustomization. Not ok where they have it but once.
func (w where) secondOf(sources types.KvPairSources, key string) (pos diag.Position, ok bool) {
	count := 0
	for _, file := range sources.EnvSources {
		line := 0
		for text := range strings.Lines(string(w.content(file))) {
			line++
			text = strings.TrimLeft(strings.TrimRight(strings.TrimPrefix(text, "\ufeff"), "\r\n"), " \t")
			if name, _, _ := strings.Cut(text, "="); name != key || strings.HasPrefix(text, "#") {
				continue
			}
			if count++; count == 2 {
				return diag.Position{File: w.shownPath(file), Line: line}, true
			}
		}
	}
	for _, literal := range sources.LiteralSources {
		if name, _, _ := strings.Cut(literal, "="); name == key {
			count++
		}
	}
	for _, source := range sources.FileSources {
		if keyOf(source) == key {
			count++
		}
	}
	return pos, count > 1
}

// keyOf returns the key of a file that a generator takes.
func keyOf(source string) string {
	if name, _, found := strings.Cut(source, "="); found {
		return name
	}
	return source[strings.LastIndex(source, "/")+1:]
}
