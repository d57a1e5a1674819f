package lint

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

const pathsAnnotation = "argocd.argoproj.io/manifest-generate-paths"

// application checks those sources of an Application that use rollstamp.
func (c *checker) application(root, spec, metadata *yaml.Node) {
	sources, isDry := c.sources(spec)
	many := len(items(get(spec, "sources"))) > 0 && !isDry
	looked := c.looked(root)
	patch := patchOf(root)
	var uncovered []string
	var ours [][]Seen
	hasPath := false
	for i, s := range sources {
		before := len(c.findings)
		all := looked.of(i)
		c.invalid(root, s, all)
		if c.source(s, many, isDry) {
			ours, hasPath = append(ours, all), hasPath || !has(s, "chart")
			c.seen(s, spec, patch, all, !slices.ContainsFunc(c.findings[before:], isFailure))
		} else {
			c.seen(orParent(get(root, "spec", "templatePatch"), s), spec, patch, all, true)
		}
		for _, one := range all {
			uncovered = append(uncovered, one.Uncovered...)
		}
	}
	before := len(c.findings)
	all := c.syncs(syncing{spec, metadata, patch, looked.stamped(ours)}, looked, ours)
	for _, one := range all {
		c.compiles(one.spec)
	}
	c.once(before)
	c.destination(spec)
	c.fields(root, sources, looked.Fields)
	if len(sources) == 0 && isComplete(root) {
		f := c.report(diag.SourceRefused, orParent(get(root, "spec"), root), "it has no source: Argo CD refuses it, unless "+
			"it is a patch for another Application")
		f.Severity, f.Hint = diag.Info, ""
	}
	if len(ours) == 0 {
		return
	}
	if hasPath { // a chart of a registry has none
		c.paths(root, metadata, uncovered)
	}
	before = len(c.findings)
	for _, one := range all {
		c.sync(one.spec, one.metadata, one.stamps)
		c.patch(one.patch, one.spec, one.stamps)
	}
	c.once(before)
	if n := get(spec, "syncPolicy", "automated", "allowEmpty"); n.Value == "true" &&
		get(spec, "syncPolicy", "automated", "prune").Value == "true" {
		f := c.report(diag.PluginValue, n,
			"allowEmpty with prune: an empty answer deletes everything that the application has")
		f.Severity, f.Hint = diag.Warning, "Take allowEmpty out."
	}
}

// sources returns the sources that count: the dry one of a hydrator, or else the list, or else the single one. Others
// are reported where rollstamp is to render one of them.
func (c *checker) sources(spec *yaml.Node) (counting []*yaml.Node, isDry bool) {
	hydrator, _ := entry(spec, "sourceHydrator")
	list, _ := entry(spec, "sources")
	single, _ := entry(spec, "source")
	ignored, by := single, list
	switch s := get(spec, "sourceHydrator", "drySource"); {
	case s != absent:
		counting, isDry, by = []*yaml.Node{s}, true, hydrator
		if ignored == absent && len(items(get(spec, "sources"))) > 0 {
			ignored = list
		}
	case len(items(get(spec, "sources"))) > 0:
		counting = items(get(spec, "sources"))
	case single != absent:
		return []*yaml.Node{get(spec, "source")}, false
	}
	if ignored != absent && by != absent && !isNull(get(spec, ignored.Value)) && c.mayBeOurs(spec) {
		f := c.report(diag.PluginValue, ignored, "%s has no effect beside %s, which Argo CD reads", ignored.Value, by.Value)
		f.Severity, f.Hint = diag.Warning, "Take it out, or move what is to count to "+by.Value+"."
	}
	return counting, isDry
}

// destination checks that an Application goes to one cluster.
func (c *checker) destination(spec *yaml.Node) {
	to := get(spec, "destination")
	name, server := get(to, "name"), get(to, "server")
	isSet := func(n *yaml.Node) bool { return n != absent && !isNull(n) && n.Value != "" }
	if isSet(name) && isSet(server) && !strings.Contains(name.Value+server.Value, "{{") { // one of them may become empty
		f := c.report(diag.SourceRefused, to, "destination has a name and a server, and Argo CD takes one of them")
		f.Hint = "Keep one of them."
	}
}

// fields reports why an object is refused for its fields, where it is no patch of another: that has no repository.
func (c *checker) fields(root *yaml.Node, sources []*yaml.Node, found []Field) {
	isSet := get(root, "kind").Value == "ApplicationSet"
	top := root
	if isSet {
		top = get(root, "spec", "template")
	}
	if !isSet && !hasRepository(get(root, "spec")) || c.rules.IsTemplate {
		return
	}
	c.required(get(top, "spec"), sources)
	reported := map[string]bool{}
	for _, one := range found {
		at := nodeAt(top, one.Path)
		if text := diag.CauseOf(one.Err).Error(); !reported[text] && !c.wrong[at.Line+c.offset] {
			reported[text] = true
			f := c.report(diag.SourceRefused, at, "%s", text)
			if f.Hint = diag.HintOf(one.Err); one.Elsewhere && !isSet {
				f.Severity = diag.Warning
			}
		}
	}
}

// hasRepository reports whether an Application names a repository of its own.
func hasRepository(spec *yaml.Node) bool {
	named := func(s *yaml.Node) bool { return get(s, "repoURL").Value != "" }
	return named(get(spec, "source")) || slices.ContainsFunc(items(get(spec, "sources")), named) ||
		named(get(spec, "sourceHydrator", "drySource"))
}

// nodeAt returns the key or item at a path, or the last one of it that is there.
func nodeAt(n *yaml.Node, path []any) *yaml.Node {
	at := n
	for _, step := range path {
		switch step := step.(type) {
		case string:
			key, value := entry(n, step)
			if key == absent {
				return at
			}
			at, n = key, value
		case int:
			if step >= len(items(n)) {
				return at
			}
			n = items(n)[step]
			at = n
		}
	}
	return at
}

// paths checks the annotation for the paths that a render reads, of which some are not covered.
func (c *checker) paths(root, metadata *yaml.Node, uncovered []string) {
	v := get(metadata, "annotations", pathsAnnotation)
	slices.Sort(uncovered)
	uncovered = slices.Compact(uncovered)
	switch {
	case v.Value == "":
		c.report(diag.SourcePaths, orParent(metadata, root), "the annotation %s is missing", pathsAnnotation)
	case len(uncovered) > 0:
		c.report(diag.SourcePaths, v, "the annotation %s leaves out %s: where nothing else changes, Argo CD keeps its "+
			"earlier render", pathsAnnotation, few(uncovered))
	}
}

// generators reports the generators of a set that name none, where the set may have a source that a plugin renders.
func (c *checker) generators(root *yaml.Node) {
	for i, item := range items(get(root, "spec", "generators")) {
		isNamed := false
		for k := 0; k+1 < len(item.Content); k += 2 {
			key, value := item.Content[k], resolve(item.Content[k+1])
			isNamed = isNamed || key.Value != "selector" && value.ShortTag() != "!!null"
		}
		if !isNamed && item.Kind == yaml.MappingNode && c.mayBeOurs(root) {
			f := c.report(diag.PluginValue, item,
				"generator %d names none: Argo CD makes no Application of it, and argocd appset create refuses the set", i+1)
			f.Severity, f.Hint = diag.Warning, "Name one, such as list or git, or take the item out."
		}
	}
}

func isFailure(f diag.Finding) bool { return f.Severity == diag.Failure }

// source checks one source, and reports whether it uses rollstamp.
func (c *checker) source(s *yaml.Node, many, isDry bool) bool {
	key, plugin := entry(s, "plugin")
	if plugin = resolve(plugin); key == absent {
		return false
	}
	name := get(plugin, "name").Value
	if name != "" && name != c.rules.Plugin && !strings.HasPrefix(name, c.rules.Plugin+"-") {
		c.otherPlugin(get(plugin, "name"))
		return false
	}
	if name == "" {
		c.unnamed(key)
		return false
	}
	c.check(s, sourceShape(), "source", names)
	for _, other := range chosen(s, isDry) {
		k, _ := entry(s, other)
		c.report(diag.SourceTypes, k, "%s and plugin are both set: multiple application sources defined", other)
	}
	c.parameters(s, get(plugin, "parameters"), many)
	c.environment(get(plugin, "env"))
	var options []option
	for _, p := range items(get(plugin, "parameters")) {
		options = append(options, option{get(p, "name").Value, orParent(get(p, "name"), p)})
	}
	for _, e := range items(get(plugin, "env")) {
		options = append(options, option{get(e, "name").Value, orParent(get(e, "name"), e)})
	}
	c.kinds(s, options)
	return true
}

// unnamed reports a source whose plugin is found by discovery: which one that is, and what it takes, is not known here.
func (c *checker) unnamed(key *yaml.Node) {
	f := c.report(diag.PluginDiscovery, key, "the source does not name its plugin: every plugin that discovers is sent "+
		"the repository, and which of them renders it is not known here, so that its options are not checked")
	f.Severity, f.Hint = diag.Info, "Where that is rollstamp, name it: plugin: {name: "+c.rules.Plugin+"}"
}

// chosen returns the fields of a source with options of what Argo CD renders itself. Those that say nothing are taken
// out before anybody looks, but for a dry source.
func chosen(s *yaml.Node, isDry bool) (out []string) {
	for _, field := range argocd.NativeFields() {
		key, value := entry(s, field)
		var options any
		var source argocd.Source
		switch isRead := resolve(value).Decode(&options) == nil; {
		case key == absent, isRead && options == nil:
		case isDry, !isRead, typed.Decode(map[string]any{field: options}, &source) != nil, len(source.Chosen()) > 0:
			out = append(out, field)
		}
	}
	return out
}

// otherPlugin reports a name that may be a misspelt one of ours.
func (c *checker) otherPlugin(name *yaml.Node) {
	likely := config.Suggest(name.Value, []string{c.rules.Plugin})
	if likely == "" || isFilledIn(name.Value) {
		return
	}
	f := c.report(diag.SourceUnjudged, name, "the plugin %s is another one, and nothing of its source is checked%s",
		name.Value, likely)
	f.Severity, f.Hint = diag.Warning, "Correct the name; if rollstamp is called so, pass --plugin "+name.Value+"."
}

// maxVariable is the size of the largest variable of the environment, with its name and the "=": one byte less than
// the system's 128 KiB.
const maxVariable = 128<<10 - 1

// parameters checks the parameters of a source against the rules.
func (c *checker) parameters(s, n *yaml.Node, many bool) {
	var wire []any
	seen, refs := map[string]int{}, refsFolders(n)
	for _, p := range items(n) {
		name := get(p, "name")
		if first, twice := seen[name.Value]; twice {
			c.report(diag.SourceParameter, name, "parameter %q is given twice, first in line %d", name.Value,
				first+c.offset)
		}
		seen[name.Value] = name.Line
		if c.rules.Parameters != nil {
			c.parameter(p, name)
		}
		c.valueFiles(s, p)
		if many || get(p, "name").Value == "valueFiles" {
			c.references(p, refs)
		}
		var plain any
		if p.Decode(&plain) == nil {
			wire = append(wire, plain)
		}
	}
	text, err := json.Marshal(wire)
	if size := len("ARGOCD_APP_PARAMETERS=") + len(text); err == nil && size > maxVariable {
		f := c.report(diag.SourceEnvironment, n,
			"the parameters have %d bytes; the plugin cannot be started with more than %d", size, maxVariable)
		f.Severity, f.Hint = diag.Failure, "Move the values to a file of the repository and name that in valueFiles."
	}
}

// refsFolders returns the names of the sources for which the parameter refs has folders.
func refsFolders(n *yaml.Node) map[string]bool {
	refs := map[string]bool{}
	for _, p := range items(n) {
		if get(p, "name").Value != "refs" {
			continue
		}
		for i, name := range get(p, "map").Content {
			refs[name.Value] = refs[name.Value] || i%2 == 0
		}
	}
	return refs
}

func (c *checker) parameter(p, name *yaml.Node) {
	want, known := c.collection(name.Value)
	if strings.Contains(name.Value, "{{") {
		return // an ApplicationSet fills it in
	}
	if !known {
		names := make([]string, 0, len(c.rules.Parameters))
		for n := range c.rules.Parameters {
			names = append(names, n)
		}
		slices.Sort(names)
		c.report(diag.SourceParameter, orParent(name, p), "there is no parameter %q%s", name.Value,
			config.Suggest(name.Value, names))
		return
	}
	var forms []string
	for _, form := range []string{"string", "array", "map"} {
		if has(p, form) {
			forms = append(forms, form)
		}
	}
	switch {
	case len(forms) == 0:
		c.report(diag.SourceParameter, name, "parameter %s has no value; it takes %s", name.Value, want)
	case len(forms) > 1:
		c.report(diag.SourceParameter, name, "parameter %s has both %s; it takes %s", name.Value,
			strings.Join(forms, " and "), want)
	case forms[0] != want:
		c.report(diag.SourceParameter, name, "parameter %s is given as %s; it takes %s", name.Value, forms[0], want)
	default:
		c.refused(p, name)
	}
}

// collection returns the collection of a parameter, and whether there is one of that name.
func (c *checker) collection(name string) (string, bool) {
	if want, ok := c.rules.Parameters[name]; ok {
		return want, true
	}
	for _, prefix := range c.rules.Prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return "string", true
		}
	}
	return "", false
}

// references finds files of the Application's other sources that have no folder.
func (c *checker) references(p *yaml.Node, refs map[string]bool) {
	for _, n := range append(items(get(p, "array")), get(p, "map").Content...) {
		name, _, below := strings.Cut(n.Value, "/")
		if ref, ok := strings.CutPrefix(name, "$"); ok && below && !refs[ref] && !strings.HasPrefix(ref, "ARGOCD_") {
			c.report(diag.SourceReference, n, "%s lies in another source, of which a plugin gets no files", n.Value)
		}
	}
}

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(\$|\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*)`)
})

// environment checks plugin.env: values are expanded before the plugin sees them.
func (c *checker) environment(n *yaml.Node) {
	for _, e := range items(n) {
		name, value := get(e, "name").Value, get(e, "value")
		if err := checkVariable(name, value.Value); err != nil {
			at := value
			if argocd.CheckVariableName(name) != nil {
				at = get(e, "name")
			}
			c.report(diag.SourceEnvironment, orParent(at, e), "%v", err).Hint = diag.HintOf(err)
			c.findings[len(c.findings)-1].Severity = diag.Failure
			continue
		}
		if size := len("ARGOCD_ENV_") + len(name) + 1 + len(value.Value); size > maxVariable {
			f := c.report(diag.SourceEnvironment, value,
				"%s has %d bytes; the plugin cannot be started with more than %d", name, size, maxVariable)
			f.Severity, f.Hint = diag.Failure, "Move it to a file of the repository."
		}
		for _, found := range variable().FindAllString(value.Value, -1) {
			word := strings.Trim(found, "${}")
			if found == "$$" || strings.HasPrefix(word, "ARGOCD_") || strings.HasPrefix(word, "KUBE_") {
				continue
			}
			// What follows the dollar may be a part of a password.
			c.report(diag.SourceEnvironment, value,
				"%s: Argo CD expands names after a dollar sign, and removes those that it does not know", name).
				Hint = "Write $$ for a dollar sign."
			break
		}
	}
}

// checkVariable returns what the plugin says to a variable, as far as that is known before its value is filled in.
func checkVariable(name, value string) error {
	switch {
	case isFilledIn(name):
		return nil
	case isFilledIn(value):
		return argocd.CheckVariableName(name)
	}
	return argocd.CheckVariable(name, value)
}
