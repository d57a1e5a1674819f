package compat

import (
	"errors"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// objectsOfReloader are the kinds that Reloader watches.
var objectsOfReloader = []string{refs.ConfigMap, refs.Secret, refs.SecretProviderClass}

// rollout is restarted only where an argument says so. Without any argument nobody knows, and it counts.
const rollout = "Rollout"

// reloadedKinds are the kinds of workloads that Reloader restarts, with their API groups.
var reloadedKinds = map[string]string{
	"Deployment": "apps", "DaemonSet": "apps", "StatefulSet": "apps", "CronJob": "batch", "Job": "batch",
	rollout: "argoproj.io",
}

// reloader is Stakater's controller: what it would restart, by its annotations and its arguments.
type reloader struct {
	args reloaderArgs
	only bool // what it does not restart is not stamped
}

func newReloader(s *config.Settings) (reader, []diag.Finding) {
	r := &reloader{args: parseReloaderArgs(config.Strings(s.Compat.ReloaderArgs.Value)),
		only: s.Compat.Reloader.Value == config.ReloaderOnly}
	at, _ := s.Where("compat.reloaderArgs")
	var found []diag.Finding
	for _, problem := range slices.Concat(r.args.malformed, r.args.dropGlobal()) {
		found = append(found, diag.New(diag.BadCompat, "", "compat.reloaderArgs: "+problem).At(at))
	}
	return r.read, found
}

// findUnreadArgs reports arguments where Reloader's annotations are not read, so that they change nothing.
func findUnreadArgs(s *config.Settings) []diag.Finding {
	if len(s.Compat.ReloaderArgs.Value) == 0 || isSet(s.Compat.Reloader.Value, config.ReloaderOff) {
		return nil
	}
	at, _ := s.Where("compat.reloaderArgs")
	f := diag.New(diag.BadCompat, "", "compat.reloaderArgs: compat.reloader is off, so no annotation of Reloader is read")
	f.Hint = "Set compat.reloader to honour or only, or take the arguments out."
	return []diag.Finding{f.At(at)}
}

// choice is what a workload says to Reloader about objects of one kind.
type choice struct {
	auto     bool // whatever it refers to
	declined bool // it says that it is not to be restarted, but for what is named
	search   bool // what it refers to and says match
	named    []pattern
	exclude  []string
}

// choices are what a workload says of each of the kinds of objectsOfReloader, in that order.
type choices [3]choice

// of returns what is said about objects of a kind; nothing of another kind.
func (c *choices) of(kind string) choice {
	if i := slices.Index(objectsOfReloader, kind); i >= 0 {
		return c[i]
	}
	return choice{}
}

// pattern is an item of a list of names, which is an expression.
type pattern struct {
	text  string
	exact bool        // a name as Kubernetes has them
	whole *Expression // the item from the beginning of a name to its end; nil for an exact one
	loose *Expression // what Reloader makes of it, nil where that is the same
}

// read returns what the annotations of a workload mean. A workload of a kind that Reloader does not know is one that it
// does not restart.
func (r *reloader) read(w *Workload) *Rule {
	if why := r.skipsWorkload(w); why != "" {
		return &Rule{judge: func(*Candidate) string { return why }, compare: r.skipped(w)}
	}
	var rule Rule
	d := &differences{reloader: r, kind: w.Object.Kind}
	for i, kind := range objectsOfReloader {
		d.choices[i] = r.choose(w, kind, &rule)
	}
	d.readNotes(w)
	r.reportUnknown(w, w.Object.Node.At("metadata", "annotations"))
	r.reportUnknown(w, w.Template.At("metadata", "annotations"))
	rule.judge, rule.compare = d.judgeOne, d.of
	return &rule
}

// skipsWorkload returns why Reloader does not look at a workload; "" where it does.
func (r *reloader) skipsWorkload(w *Workload) string {
	kind := w.Object.Kind
	switch {
	case slices.Contains(r.args.ignoredWorkloads, kind):
		return "Reloader ignores workloads of the kind " + kind
	case slices.Contains(r.args.ignoredNamespaces, w.Namespace):
		return "Reloader ignores the namespace " + w.Namespace
	case !r.only:
		return ""
	case len(r.args.namespaces) > 0 && !slices.Contains(r.args.namespaces, w.Namespace):
		return "Reloader does not watch the namespace " + w.Namespace
	case kind == rollout && r.args.given && !r.args.rollouts:
		return "Reloader restarts no Rollout without --is-Argo-Rollouts"
	case reloadedKinds[kind] != w.Object.Group():
		return "Reloader does not restart workloads of the kind " + kind
	case w.Template.At("spec", "containers").Len() == 0 && kind != rollout:
		return "Reloader finds no container"
	}
	return ""
}

// choose reads what a workload says about objects of one kind. Where its own metadata has none of the four groups of
// annotations, its pod template's count; excluding is read from the workload alone.
func (r *reloader) choose(w *Workload, kind string, rule *Rule) (c choice) {
	n := &r.args.names
	own, at := w.Object.Node.At("metadata", "annotations"), w.Object.Node.At("metadata", "annotations")
	groups := []string{n.named[kind], n.auto, n.typedAuto[kind], n.search}
	if !slices.ContainsFunc(groups, func(key string) bool { return at.Get(key).Valid() }) {
		at = w.Template.At("metadata", "annotations")
	}
	c.exclude = splitList(own.Get(n.exclude[kind]).StringValue())
	auto, typed := at.Get(n.auto).StringValue(), at.Get(n.typedAuto[kind]).StringValue()
	if kind == objectsOfReloader[0] {
		reportNoBool(w, at, n.auto)
	}
	reportNoBool(w, at, n.typedAuto[kind])
	plainOn, typedOn := parseBool(auto), parseBool(typed)
	c.auto = plainOn || typedOn || auto == "" && typed == "" && r.args.autoReloadAll
	c.declined = !c.auto && auto+typed != ""
	search := at.Get(n.search)
	c.search = search.StringValue() == "true"
	if search.Valid() && !c.search && kind == refs.ConfigMap { // once for all kinds
		reportNoTrue(w, at, n.search)
	}
	c.named = r.patterns(w, at, n.named[kind], kind, rule)
	return c
}

func parseBool(text string) bool {
	if text == "" { // mostly; the error of it would be made for each
		return false
	}
	on, _ := strconv.ParseBool(text)
	return on
}

// reportNoBool reports an annotation that is to be a truth value, and is none: Reloader takes it for false.
func reportNoBool(w *Workload, at manifest.Node, key string) {
	value := at.Get(key)
	if value.StringValue() == "" {
		return
	}
	if _, err := strconv.ParseBool(value.StringValue()); err != nil {
		w.Report(diag.New(diag.BadCompat, w.Object.String(), key+" is "+diag.Quote(value.StringValue())+
			", which is no truth value, and counts as false"), value.Offset())
	}
}

// patterns reads a list of names, and adds what it names to a rule.
func (r *reloader) patterns(w *Workload, at manifest.Node, key, kind string, rule *Rule) (out []pattern) {
	list := at.Get(key)
	for _, item := range splitList(list.StringValue()) {
		p, err := compilePattern(strings.Clone(item))
		if err != nil {
			w.Report(diag.New(diag.BadCompat, w.Object.String(), key+" has "+diag.Quote(beginning(item))+
				", which is no regular expression"+whyNot(err)), list.Offset())
			continue
		}
		out = append(out, p)
		named := Named{Kind: kind, Offset: list.Offset()}
		if p.exact {
			named.Name = p.text
		} else {
			named.Match = p.whole
		}
		rule.Named = append(rule.Named, named)
	}
	return out
}

// compilePattern reads an item of a list.
func compilePattern(item string) (p pattern, err error) {
	p = pattern{text: item, exact: isName(item)}
	if !p.exact {
		if p.whole, err = compileExpression("^(?:" + item + ")$"); err != nil {
			return p, err
		}
	}
	if p.exact && strings.Contains(item, ".") || strings.Contains(item, "|") {
		p.loose, err = compileExpression("^" + item + "$")
	}
	return p, err
}

// longestShown is how much of an expression is shown that cannot be one.
const longestShown = 60

// beginning returns an expression as far as it is shown.
func beginning(item string) string {
	if len(item) <= longestShown {
		return item
	}
	return item[:longestShown] + "..."
}

// whyNot returns, behind a colon, what is wrong with an expression; "" where that is not known.
func whyNot(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return ""
	}
	return ": " + e.Code.String()
}

// isName reports whether text is a name as Kubernetes has them: as an expression its dots would fit anything.
func isName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

func (p *pattern) matches(name string) bool {
	if p.exact {
		return p.text == name
	}
	return p.whole.Fits(name)
}

// judge returns why Reloader does not restart a workload for an object; "" where it does, or where nothing is said of
// it.
func (r *reloader) judge(c *Candidate, said choice) string {
	n := &r.args.names
	switch {
	case slices.Contains(r.args.ignoredKinds, c.Kind):
		return "Reloader ignores objects of the kind " + c.Kind
	case c.annotation(n.ignore) == "true":
		return n.ignore + " is true on it"
	case slices.Contains(said.exclude, c.Name):
		return n.exclude[c.Kind] + " names it"
	case said.names(c.Name):
		return r.unwatched(c)
	case said.search && c.annotation(n.match) == "true":
		return r.unseen(c)
	case said.declined:
		return n.auto + " is not true"
	case r.only && !said.auto:
		return "no annotation asks Reloader for it"
	}
	return r.unseen(c)
}

// names reports whether a list names an object.
func (c *choice) names(name string) bool {
	return slices.ContainsFunc(c.named, func(p pattern) bool { return p.matches(name) })
}

// unseen returns why Reloader knows nothing of an object that is not named; "" where it does, or where that does not
// matter.
func (r *reloader) unseen(c *Candidate) string {
	if why := r.unwatched(c); why != "" || !r.only || slices.ContainsFunc(c.References, seenByReloader) {
		return why
	}
	return "Reloader does not see how the pods refer to it"
}

// unwatched returns why Reloader does not watch an object; "" where it does, or where that does not matter.
func (r *reloader) unwatched(c *Candidate) string {
	if !r.only {
		return ""
	}
	if !r.args.objectsSelector.IsZero() && (c.Object == nil || !r.args.objectsSelector.Matches(c.Object.Labels())) {
		return "Reloader does not watch it: --resource-label-selector"
	}
	if !r.args.namespaceSelector.IsZero() {
		if labels, known := c.Index.NamespaceLabels(c.Namespace); known && !r.args.namespaceSelector.Matches(labels) {
			return "Reloader does not watch its namespace: --namespace-selector"
		}
	}
	return ""
}

// seenByReloader reports whether Reloader finds a reference.
func seenByReloader(r refs.Reference) bool {
	switch r.Form {
	case refs.FormEnv, refs.FormEnvFrom:
		return true
	case refs.FormVolume, refs.FormProjected:
		return r.VolumeIssue != refs.Unmounted
	case refs.FormCSI:
		return r.Kind == refs.SecretProviderClass && r.VolumeIssue != refs.Unmounted
	}
	return false
}
