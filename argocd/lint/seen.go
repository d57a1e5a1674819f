package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
)

// of returns what was seen of one source; of a template's there may be something of each Application.
func (l *Looked) of(source int) (out []Seen) {
	for _, s := range l.Sources {
		if s.Source == source {
			out = append(out, s)
		}
	}
	return out
}

// seen reports what was found in the repository of a source, to which a set may have a patch. Where the source is not
// clean, what was written otherwise than the plugin takes it is reported already.
func (c *checker) seen(s, spec, patch *yaml.Node, all []Seen, isClean bool) {
	reported := map[string]bool{}
	for _, one := range all {
		if one.Elsewhere != nil && !reported[one.Elsewhere.Error()] {
			reported[one.Elsewhere.Error()] = true
			at := orParent(get(s, "chart"), orParent(get(s, "repoURL"), s))
			if one.ByRefs {
				at = orParent(parameterOf(s, "refs"), at)
			}
			c.report(diag.SourceUnjudged, at, "%v: only what is written here is checked", diag.CauseOf(one.Elsewhere)).Hint =
				diag.HintOf(one.Elsewhere)
		}
		c.refusals(s, patch, one, isClean, reported)
		ignored := func(object string) bool { return isIgnored(spec, object) }
		unstable := slices.DeleteFunc(slices.Clone(one.Unstable), ignored)
		if len(unstable) > 0 && !reported[unstable[0]] {
			reported[unstable[0]] = true
			c.unstable(s, spec, unstable, one.Rolling)
		}
	}
}

// invalid reports why Argo CD refuses a source by what is written, where the object is no patch of another.
func (c *checker) invalid(root, s *yaml.Node, all []Seen) {
	isWhole := get(root, "kind").Value == "ApplicationSet" || isComplete(root)
	for i, one := range all {
		isSame := func(before Seen) bool { return before.Invalid != nil && before.Invalid.Error() == one.Invalid.Error() }
		if one.Invalid == nil || !isWhole || slices.ContainsFunc(all[:i], isSame) {
			continue
		}
		f := c.report(diag.SourceRefused, s, "%v", diag.CauseOf(one.Invalid))
		f.Hint = cmp.Or(diag.HintOf(one.Invalid), f.Hint)
	}
}

// parameterOf returns the name of a parameter of a source's plugin where it has that; else it is absent.
func parameterOf(s *yaml.Node, name string) *yaml.Node {
	for _, p := range items(get(s, "plugin", "parameters")) {
		if n := get(p, "name"); n.Value == name {
			return n
		}
	}
	return absent
}

// refusals reports why the plugin or Argo CD refuses a source, each reason at what it is about.
func (c *checker) refusals(s, patch *yaml.Node, one Seen, isClean bool, reported map[string]bool) {
	refused := one.Refused
	if refused == nil {
		return
	}
	var hints []string
	var lines []string
	for _, err := range diag.Unjoin(refused) {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			lines, hints = append(lines, line), append(hints, diag.HintOf(err))
		}
	}
	for i, line := range lines {
		at := orParent(c.filledIn(s, one, line, patch != absent), mentioned(s, patch, line))
		if reported[line] || !isClean && c.hasFailed(around(at, s, patch)) ||
			strings.HasSuffix(line, ": is given twice") && c.isGivenTwice(s, at) {
			continue
		}
		reported[line] = true
		f := c.report(diag.SourceRefused, at, "%s", line)
		f.Hint = cmp.Or(hints[i], f.Hint)
	}
}

// filledIn returns the text of a template that becomes, for the Application of which something was seen, the one that a
// message is about, or the line of a generator's own template that has it; absent where the set's template has it as it
// is, or a patch may have.
func (c *checker) filledIn(s *yaml.Node, one Seen, message string, isPatched bool) *yaml.Node {
	if one.Find == nil {
		return absent
	}
	found := one.Find(message)
	for _, step := range found.Path {
		switch step := step.(type) {
		case string:
			s = get(s, step)
		case int:
			if step >= len(items(s)) {
				return absent
			}
			s = items(s)[step]
		}
	}
	switch {
	case found.Path == nil:
	case strings.Contains(s.Value, "{{"):
		return s
	case s.Value != found.Text && found.Line > 0 && !isPatched:
		return &yaml.Node{Line: found.Line - c.offset}
	}
	return absent
}

// hasFailed reports whether a failure was reported at a node or below it, by what is written there.
func (c *checker) hasFailed(at *yaml.Node) bool {
	if slices.ContainsFunc(at.Content, c.hasFailed) {
		return true
	}
	return slices.ContainsFunc(c.findings, func(f diag.Finding) bool {
		return isFailure(f) && f.Code != diag.SourceRefused && f.Line == at.Line+c.offset
	})
}

// isGivenTwice reports whether the parameter of a source whose name a node has is reported for being there twice.
func (c *checker) isGivenTwice(s, name *yaml.Node) bool {
	return slices.ContainsFunc(items(get(s, "plugin", "parameters")), func(p *yaml.Node) bool {
		n := get(p, "name")
		return n != name && n.Value == name.Value && c.hasFailed(n)
	})
}

// around returns the parameter or variable of the plugin, in a source or in the patch of a set, that a node is in; the
// node itself where it is in none.
func around(at, s, patch *yaml.Node) *yaml.Node {
	var isIn func(n *yaml.Node) bool
	isIn = func(n *yaml.Node) bool { return n == at || slices.ContainsFunc(n.Content, isIn) }
	for _, source := range append(sourcesOf(patch), s) {
		for _, field := range []string{"parameters", "env"} {
			for _, one := range items(get(source, "plugin", field)) {
				if isIn(one) {
					return one
				}
			}
		}
	}
	return at
}

// unstable reports objects that no sync brings to rest.
func (c *checker) unstable(s, spec *yaml.Node, objects, rolling []string) {
	at, then := orParent(get(s, "path"), s), "the application is OutOfSync after each refresh"
	if n := get(spec, "syncPolicy", "automated", "selfHeal"); n.Value == "true" {
		at, then = n, "each refresh makes the application OutOfSync, and selfHeal applies them again"
	}
	isIgnoredToo := func(o string) bool { return !slices.Contains(objects, o) }
	if rolling = slices.DeleteFunc(slices.Clone(rolling), isIgnoredToo); len(rolling) > 0 {
		then += ", which restarts " + few(rolling)
	}
	c.report(diag.SourceUnstable, at, "%s: %s", fewDiffer(objects), then)
}

func fewDiffer(objects []string) string {
	verb := "differs"
	if len(objects) > 1 {
		verb = "differ"
	}
	return few(objects) + " " + verb + " from one render to the next"
}

// few names the first objects of a list.
func few(objects []string) string {
	const most = 3
	if len(objects) <= most {
		return strings.Join(objects, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(objects[:most], ", "), len(objects)-most)
}

// isIgnored reports whether ignoreDifferences has something about an object. What that comes to is not judged.
func isIgnored(spec *yaml.Node, object string) bool {
	kind, name, _ := strings.Cut(object, " ")
	name = name[strings.LastIndexByte(name, '/')+1:]
	return slices.ContainsFunc(items(get(spec, "ignoreDifferences")), func(rule *yaml.Node) bool {
		isKind := get(rule, "kind").Value == kind || get(rule, "kind").Value == "*"
		return isKind && (get(rule, "name").Value == "" || get(rule, "name").Value == name)
	})
}

// mentioned returns the node that an error is about: the longest text in a source, or in the patch of a set, that the
// error has; what the patch says of the source; or the source's path.
func mentioned(s, patch *yaml.Node, message string) *yaml.Node {
	if strings.Contains(message, "multiple application sources defined") {
		if key := nativeKey(append([]*yaml.Node{s}, sourcesOf(patch)...)); key != absent {
			return key
		}
	}
	message, _, _ = strings.Cut(message, "; did you mean ") // that is another one
	best := orParent(get(s, "path"), s)
	longest, names := 0, map[*yaml.Node]bool{}
	for _, p := range items(get(s, "plugin", "parameters")) {
		names[get(p, "name")] = true
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		n = resolve(n)
		if size := weight(n, message, names); size > longest {
			best, longest = n, size
		}
		for i, below := range n.Content {
			if n.Kind != yaml.MappingNode || i%2 == 1 || isMapOfTexts(n) {
				walk(below)
			}
		}
	}
	walk(get(s, "plugin", "parameters"))
	walk(get(s, "plugin", "env"))
	for _, native := range argocd.NativeFields() {
		walk(get(s, native))
	}
	for _, source := range sourcesOf(patch) {
		walk(get(source, "plugin", "parameters"))
		walk(get(source, "plugin", "env"))
	}
	if isAbout := get(s, "path").Value; longest > 0 || isAbout != "" && strings.Contains(message, isAbout) {
		return best
	}
	for _, source := range sourcesOf(patch) {
		for i := 0; i+1 < len(source.Content); i += 2 {
			if slices.Contains(append(argocd.NativeFields(), "plugin"), source.Content[i].Value) {
				return source.Content[i]
			}
		}
	}
	return best
}

// weight returns how much of a message a text is, 0 where it is not in it; of a text that is a list, as variables have
// them, an item.
func weight(n *yaml.Node, message string, names map[*yaml.Node]bool) int {
	if n.Kind != yaml.ScalarNode {
		return 0
	}
	most := argocd.Weight(message, n.Value, names[n])
	if strings.HasPrefix(n.Value, "[") {
		for item := range strings.FieldsFuncSeq(n.Value, func(r rune) bool { return strings.ContainsRune("[],'\" \n", r) }) {
			most = max(most, argocd.Weight(message, item, false))
		}
	}
	return most
}

// nativeKey returns the first field of sources with options of what Argo CD renders itself; absent where none has any.
func nativeKey(sources []*yaml.Node) *yaml.Node {
	for _, source := range sources {
		for _, name := range chosen(source, false) {
			key, _ := entry(source, name)
			return key
		}
	}
	return absent
}

// sourcesOf returns what a patch says of sources.
func sourcesOf(patch *yaml.Node) []*yaml.Node {
	spec := get(patch, "spec")
	return append(items(get(spec, "sources")), get(spec, "source"), get(spec, "sourceHydrator", "drySource"))
}

// isMapOfTexts reports whether the keys of a mapping are names that somebody chose.
func isMapOfTexts(n *yaml.Node) bool { return !has(n, "name") && !has(n, "string") }
