package lint

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/refs"
)

// applyManager is the field manager of Argo CD's own applies.
const applyManager = "argocd-controller"

// sync checks what an Application says of its syncs: a stamp that is not compared, or not applied, restarts nothing.
func (c *checker) sync(spec, metadata *yaml.Node, stamps stamps) {
	for _, field := range []string{"ignoreDifferences", "syncPolicy"} {
		c.check(get(spec, field), fieldShapes()["Application"].fields["spec"].fields[field], field, names)
	}
	options := scalars(get(spec, "syncPolicy", "syncOptions"))
	for _, rule := range items(get(spec, "ignoreDifferences")) {
		c.ignoring(rule, options, stamps)
	}
	c.syncOptions(spec, metadata, options)
}

// patchOf returns what the templatePatch of a set says, with the lines of the file, as far as it can be read before it
// is filled in: lines of template code alone are left out. It is absent where it cannot.
func patchOf(root *yaml.Node) *yaml.Node {
	n := get(root, "spec", "templatePatch")
	lines := strings.Split(n.Value, "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "{{") && strings.HasSuffix(line, "}}") {
			lines[i] = ""
		}
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &doc) != nil || len(doc.Content) == 0 {
		return absent
	}
	var place func(below *yaml.Node)
	place = func(below *yaml.Node) {
		if below.Line += n.Line; n.Style&yaml.LiteralStyle == 0 {
			below.Line = n.Line // its lines are not those of the file
		} // else the text begins on the line after the indicator
		for _, one := range below.Content {
			place(one)
		}
	}
	place(doc.Content[0])
	return doc.Content[0]
}

// patch checks what the templatePatch of a set says of ignored differences.
func (c *checker) patch(patch, spec *yaml.Node, stamps stamps) {
	patched := get(patch, "spec")
	c.compiles(patched)
	options := scalars(get(spec, "syncPolicy", "syncOptions"))
	if has(patched, "syncPolicy", "syncOptions") {
		options = scalars(get(patched, "syncPolicy", "syncOptions"))
	}
	c.syncOptions(patched, get(patch, "metadata"), options)
	for _, rule := range items(get(patched, "ignoreDifferences")) {
		c.ignoring(rule, options, stamps)
	}
}

// syncOptions checks options of syncs that change what a stamp does.
func (c *checker) syncOptions(spec, metadata *yaml.Node, options []string) {
	compare := get(metadata, "annotations", "argocd.argoproj.io/compare-options")
	if hasOption(compare.Value, "ServerSideDiff=true") && !slices.Contains(options, "ServerSideApply=true") {
		c.report(diag.SourceSync, compare,
			"ServerSideDiff without ServerSideApply does not see that a stamp is gone: what was applied by the client "+
				"stays in the comparison").Hint = "Add the sync option ServerSideApply=true, which takes stamps out, too."
	}
	for _, o := range items(get(spec, "syncPolicy", "syncOptions")) {
		switch {
		case c.isFilledIn("syncOptions", o):
		case o.Value == "Replace=true" && slices.Contains(options, "Force=true"):
			f := c.report(diag.SourceSync, o, "Replace with Force deletes a workload and creates it again for each "+
				"changed stamp: all of its pods stop at once")
			f.Severity, f.Hint = diag.Warning, "Set them on the objects that need it, with argocd.argoproj.io/sync-options."
		case o.Value == "Replace=true":
			c.report(diag.SourceSync, o, "with Replace each changed stamp also sets back what others wrote into the "+
				"workload, such as the replicas of an autoscaler").Hint =
				"Set it on the objects that need it, with argocd.argoproj.io/sync-options."
		}
	}
}

// hasOption reports whether a list with commas has an item.
func hasOption(list, option string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return strings.TrimSpace(s) == option })
}

// ignoring checks one rule of ignoreDifferences. One that fits no workload has no effect, so that only one which is
// known to fit is an error.
func (c *checker) ignoring(rule *yaml.Node, options []string, stamps stamps) {
	kinds := ignoredKinds(get(rule, "group").Value, get(rule, "kind").Value)
	if len(kinds) == 0 {
		return
	}
	fit := stamps.fitting(rule)
	report := func(at *yaml.Node, what string) {
		if fit == fitsNone {
			f := c.report(diag.SourceIgnored, at, "%s of %s covers no stamps: no workload that is rendered with some is one "+
				"of these", what, ignoredName(rule))
			f.Severity, f.Hint = diag.Info, "The entry has no effect on stamps: correct its group, kind and name, or leave it."
			return
		}
		f := c.report(diag.SourceIgnored, at, "%s of %s covers stamps: %s", what, ignoredName(rule), consequence(options))
		if fit == fitsSome && consequence(options) != consequence(nil) {
			f.Severity = diag.Failure
		}
	}
	for _, n := range items(get(rule, "jsonPointers")) {
		if c.isFilledIn("jsonPointers", n) {
			continue
		}
		if n.Value != "" && n.Value[0] != '/' {
			f := c.report(diag.PluginValue, n, "jsonPointers %s begins with no slash, and selects nothing", n.Value)
			f.Severity, f.Hint = diag.Warning, "Write it as /"+n.Value+"."
			continue
		}
		if n.Value == "" || coversStamps(pointer(n.Value), kinds) {
			report(n, "jsonPointers "+n.Value)
		}
	}
	for _, n := range items(get(rule, "jqPathExpressions")) {
		if c.isFilledIn("jqPathExpressions", n) {
			continue
		}
		q, err := c.query(n)
		if q == nil || err != nil {
			continue
		}
		covers := func(p []string) bool { return coversStamps(p, kinds) }
		if slices.ContainsFunc(jqPaths(q, [][]string{{}}), covers) {
			report(n, "jqPathExpressions "+n.Value)
		}
	}
	for _, n := range items(get(rule, "managedFieldsManagers")) {
		if n.Value == applyManager {
			report(n, "managedFieldsManagers "+n.Value)
		}
	}
}

// isFilledIn reports whether a template fills in an entry, as that of a set, and reports that it is not judged.
func (c *checker) isFilledIn(field string, n *yaml.Node) bool {
	if !strings.Contains(n.Value, "{{") {
		return false
	}
	f := c.report(diag.SourceUnjudged, n, "%s %s is filled in by a template: what it becomes is not judged here", field,
		n.Value)
	f.Hint = "Of an ApplicationSet whose generators cannot be resolved here, check what Argo CD makes of it."
	return true
}

// compiles checks the expressions of jq in a list of ignored differences, of all kinds: Argo CD compiles each.
func (c *checker) compiles(spec *yaml.Node) {
	for _, rule := range items(get(spec, "ignoreDifferences")) {
		for _, n := range items(get(rule, "jqPathExpressions")) {
			if strings.Contains(n.Value, "{{") || c.isWrong(n) {
				continue // a set fills it in, or it is no text
			}
			if _, err := c.query(n); err != nil {
				c.report(diag.PluginValue, n, "jqPathExpressions %s: %v, and Argo CD compares nothing of the application",
					n.Value, err)
			}
		}
	}
}

// ignoredName returns what a rule of ignoreDifferences is about.
func ignoredName(rule *yaml.Node) string {
	return strings.TrimSpace(get(rule, "kind").Value + " " + get(rule, "name").Value)
}

// consequence returns what becomes of a stamp that is not compared.
func consequence(options []string) string {
	switch {
	case slices.Contains(options, "RespectIgnoreDifferences=true"):
		return "with RespectIgnoreDifferences they reach no workload that exists, and nothing restarts"
	case slices.Contains(options, "ApplyOutOfSyncOnly=true"):
		return "with ApplyOutOfSyncOnly a workload of which only they changed is not applied, and does not restart"
	}
	return "where only they change, the application stays Synced and no automated sync applies them"
}

// ignoredKinds returns the paths of the annotations that are stamped, for the kinds that a rule is about.
func ignoredKinds(group, kind string) (out [][]string) {
	for _, k := range refs.Kinds() {
		if k.Stamping != refs.ByDefault || len(k.Annotations) == 0 {
			continue
		}
		if isOfKind(k, group, kind) {
			out = append(out, slices.Concat(k.Template, k.Annotations))
		}
	}
	return out
}

// isOfKind reports whether the patterns of a rule for group and kind fit a kind.
func isOfKind(k refs.Kind, group, kind string) bool {
	isKind, _ := path.Match(kind, k.Kind)
	return isKind && slices.ContainsFunc(k.ServedGroups(), func(g string) bool {
		is, _ := path.Match(group, g)
		return is
	})
}

// coversStamps reports whether a path is that of the annotations of a pod template, of what they lie in, or of a stamp.
func coversStamps(at []string, kinds [][]string) bool {
	return slices.ContainsFunc(kinds, func(annotations []string) bool {
		return leadsTo(at, append(slices.Clip(annotations), hashing.DefaultPrefix))
	})
}

// leadsTo reports whether the steps of a path lead along others, of which the last one is the beginning of a name.
func leadsTo(at, along []string) bool {
	switch {
	case len(at) == 0:
		return true
	case at[0] == anyDepth:
		return leadsTo(at[1:], along) || len(along) > 0 && leadsTo(at, along[1:])
	case len(along) == 0:
		return false
	case at[0] == everyEntry, at[0] == along[0], len(along) == 1 && strings.HasPrefix(at[0], along[0]):
		return leadsTo(at[1:], along[1:])
	}
	return false
}

// pointer returns the steps of a JSON pointer.
func pointer(text string) []string {
	steps := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps
}
