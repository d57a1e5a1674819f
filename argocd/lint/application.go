package lint

import (
	"slices"
	"strings"

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
	c.objectKeys(root, get(root, "kind").Value) // what is said of a key so far is said there
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
		c.unnamed(key, plugin)
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
func (c *checker) unnamed(key, plugin *yaml.Node) {
	c.check(plugin, sourceShape().field("plugin"), "source.plugin", names)
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
