package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
)

// others are annotations of tools that restart workloads in the cluster, by how they begin, and environment variables
// that they leave.
var others = []struct{ prefix, tool string }{
	{"reloader.stakater.com/", "Reloader"},
	{"configmap.reloader.stakater.com/", "Reloader"},
	{"secret.reloader.stakater.com/", "Reloader"},
	{"secretproviderclass.reloader.stakater.com/", "Reloader"},
	{"configmaps.exclude.reloader.stakater.com/", "Reloader"},
	{"secrets.exclude.reloader.stakater.com/", "Reloader"},
	{"secretproviderclasses.exclude.reloader.stakater.com/", "Reloader"},
	{"deployment.reloader.stakater.com/", "Reloader"},
	{"wave.pusher.com/", "Wave"},
	{"secrets.doppler.com/reload", "the Doppler operator"},
	{"secrets.infisical.com/auto-reload", "the Infisical operator"},
	{"operator.1password.io/auto-restart", "the 1Password operator"},
	{"secrets-reloader.security.bank-vaults.io/", "the Vault secrets reloader"},
}

// written are annotations that other tools write, by how they begin: left where a live object came into Git.
var written = []struct{ prefix, tool string }{
	{"reloader.stakater.com/last-reloaded-from", "Reloader"},
	{"deployment.reloader.stakater.com/paused-at", "Reloader"},
	{"wave.pusher.com/config-hash", "Wave"},
	{"secrets.doppler.com/secretsupdate.", "the Doppler operator"},
	{"secrets.infisical.com/managed-secret.", "the Infisical operator"},
	{"operator.1password.io/last-restarted", "the 1Password operator"},
	{"secrets-reloader.security.bank-vaults.io/secret-reload-count", "the Vault secrets reloader"},
	{"vso.secrets.hashicorp.com/restartedAt", "the Vault Secrets Operator"},
	{"reloader.external-secrets.io/", "External Secrets' reloader"},
}

// mutators finds rules of Kyverno's policies that change workloads when a ConfigMap or Secret changes.
func (c *checker) mutators(o manifest.Object, at diag.Position) {
	if o.Kind != "ClusterPolicy" && o.Kind != "Policy" || o.Group() != "kyverno.io" {
		return
	}
	for rule := range o.Node.At("spec", "rules").Items() {
		kind := triggerOf(rule.Get("match"))
		if kind == "" || !c.changesWorkloads(rule.At("mutate", "targets")) {
			continue
		}
		name := rule.Get("name").StringValue()
		f := diag.New(diag.OtherTool, o.String(),
			"rule "+diag.Quote(name)+" changes workloads when a "+kind+" changes").WithAbout(name)
		f.Hint = "Take the rule out once rollstamp stamps the workloads."
		c.find(f, at)
	}
}

// triggerOf returns which of ConfigMap and Secret triggers a rule; "" where neither does.
func triggerOf(match manifest.Node) (kind string) {
	filters := []manifest.Node{match}
	for _, field := range []string{"any", "all"} {
		filters = append(filters, slices.Collect(match.Get(field).Items())...)
	}
	for _, filter := range filters {
		for n := range filter.At("resources", "kinds").Items() {
			switch k := strings.TrimPrefix(n.StringValue(), "v1/"); k {
			case refs.Secret, refs.ConfigMap:
				kind = k
			}
		}
	}
	return kind
}

// changesWorkloads reports whether one of the targets of a rule is of a kind that has pods.
func (c *checker) changesWorkloads(targets manifest.Node) bool {
	for n := range targets.Items() {
		o := manifest.Object{Node: n, APIVersion: n.Get("apiVersion").StringValue(), Kind: n.Get("kind").StringValue()}
		if len(c.kinds.Rows(o)) > 0 {
			return true
		}
	}
	return false
}

// checksum is how charts call the annotations in which they write hashes of what they rendered.
var checksum = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^checksum[/._-]|[/._-](checksum|config-?hash)$|^(config-?hash|secret-?hash)$`)
})

// IsChecksum reports whether an annotation is called as charts call those in which they write hashes.
func IsChecksum(annotation string) bool {
	return checksum().MatchString(annotation) && toolOf(annotation, written) == ""
}

// leftovers finds what other tools left at a workload, and hashes that the chart itself writes.
func (c *checker) leftovers(o manifest.Object, rows []*refs.Kind) {
	c.otherTools(o, o.Node, false)
	for _, row := range rows {
		template := o.Node.At(row.Template...)
		if len(row.Template) > 0 {
			c.otherTools(o, template, true)
			c.checksums(o, template)
		}
		for _, field := range []string{"containers", "initContainers"} {
			for container := range template.At(row.PodSpec...).Get(field).Items() {
				c.leftVariables(o, container)
			}
		}
	}
}

// leftVariables finds variables of a container that Reloader wrote.
func (c *checker) leftVariables(o manifest.Object, container manifest.Node) {
	for env := range container.Get("env").Items() {
		if name := env.Get("name").StringValue(); strings.HasPrefix(name, "STAKATER_") {
			c.findIn(diag.New(diag.OtherTool, o.String(), "variable "+name+" was left by Reloader").WithAbout(name), env)
		}
	}
}

// otherTools finds annotations that are for other tools, of an object or of its pod template.
func (c *checker) otherTools(o manifest.Object, n manifest.Node, isTemplate bool) {
	for k, v := range n.At("metadata", "annotations").Entries() {
		key := k.Field()
		if tool := toolOf(key, written); tool != "" {
			f := diag.New(diag.OtherTool, o.String(), "annotation "+key+" was left by "+tool).WithAbout(key)
			f.Hint = "Take it out of the manifests: it comes from a live object."
			c.findIn(f, k)
		} else if tool := toolOf(key, others); tool != "" && isTemplate && compat.IsOwnOnly(key) {
			f := diag.New(diag.OtherTool, o.String(), "annotation "+key+" is for "+tool+
				", which reads it on the workload itself, and not on its pod template: it does nothing").WithAbout(key)
			f.Hint = "Take it out with the next change of the template: without it the template is another one."
			c.findIn(f, k)
		} else if tool != "" {
			c.findIn(c.otherTool(o, key, v.StringValue(), tool), k)
		}
	}
}

// toolOf returns the tool of an annotation, "" where it is of none of a list.
func toolOf(annotation string, list []struct{ prefix, tool string }) string {
	for _, of := range list {
		if strings.HasPrefix(annotation, of.prefix) {
			return of.tool
		}
	}
	return ""
}

// named are annotations of other tools whose value is a list of names, by the kind of these.
var named = map[string]string{
	"configmap.reloader.stakater.com/reload": refs.ConfigMap,
	"secret.reloader.stakater.com/reload":    refs.Secret,
}

// otherTool returns the finding about an annotation of another tool. One that names what the pod does not refer to does
// what no stamp does, and to take it out would lose restarts.
func (c *checker) otherTool(o manifest.Object, annotation, value, tool string) diag.Finding {
	does := ", which would restart the workload a second time"
	if w := c.workload(o); w != nil && !w.Stamped {
		does = ", which may restart the workload: rollstamp does not"
	}
	if !compat.Restarts(annotation, o.Kind) {
		does = ", which restarts no " + o.Kind
	}
	if why := compat.UnknownToReloader(annotation); why != "" {
		f := diag.New(diag.OtherTool, o.String(), "annotation "+annotation+" "+why).WithAbout(annotation)
		f.Hint = "Correct it, or take it out: nothing reads it."
		return f
	}
	f := diag.New(diag.OtherTool, o.String(), "annotation "+annotation+" is for "+tool+does).WithAbout(annotation)
	kind := named[annotation]
	if kind == "" || c.honoursReloader() {
		return f // what it names is stamped
	}
	var others []string
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" && !c.refers(o, kind, name) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return f
	}
	f.Message = "annotation " + annotation + " has " + tool + " restart it for the " + kind + " " +
		strings.Join(others, ", ") + " too, which its pod does not refer to: no stamp does that"
	f.Hint = "Set compat: {reloader: honour} in .rollstamp.yaml, or refer to it in the pod template, such as by envFrom " +
		"with optional: true."
	return f
}

// honoursReloader reports whether what Reloader's annotations name is stamped.
func (c *checker) honoursReloader() bool {
	if c.settings == nil {
		return false
	}
	how := c.settings.Compat.Reloader.Value
	return how == config.ReloaderHonour || how == config.ReloaderOnly
}

// refers reports whether a workload refers to a ConfigMap or Secret of its namespace.
func (c *checker) refers(o manifest.Object, kind, name string) bool {
	w := c.workload(o)
	is := func(r plan.Reference) bool { return r.Kind == kind && r.Name == name }
	return w != nil && slices.ContainsFunc(w.References, is)
}

// checksums finds annotations of a template in which the chart writes a hash. Of what is taken out, the plan has a
// finding.
func (c *checker) checksums(o manifest.Object, template manifest.Node) {
	for k := range template.At("metadata", "annotations").Entries() {
		if key := k.Field(); IsChecksum(key) && !c.result.Plan.Prefix.Has(key) && !c.isTakenOut(o, key) {
			text := " moves with everything that the chart renders, its labels and version too"
			if c.isRandom(o, key) {
				text = " is another one at each render: it is random, or a hash of what is"
			}
			f := diag.New(diag.ForeignChecksum, o.String(), "annotation "+key+text).WithAbout(key)
			if c.settings != nil && c.settings.Foreign(key) {
				f.Hint = c.whyItStays(o)
			}
			if c.waitsBeside(o, key) {
				f = diag.New(diag.NotHeld, o.String(), "annotation "+key+text+
					": what changes it restarts the workload without an approval").WithAbout(key)
				f.Hint = "Have it taken out where a stamp stands for it: render: {foreignChecksums: replace} in .rollstamp.yaml."
			}
			c.findIn(f, k)
		}
	}
}

// isTakenOut reports whether an annotation of an object's pod template is not in the output.
func (c *checker) isTakenOut(o manifest.Object, annotation string) bool {
	w := c.workload(o)
	if w == nil {
		return false
	}
	if c.takenOut == nil {
		c.takenOut = map[annotated]bool{}
		for i, key := range c.result.Plan.TakenOut() {
			c.takenOut[annotated{&c.result.Plan.Workloads[i], key}] = true
		}
	}
	return c.takenOut[annotated{w, annotation}]
}

// whyItStays returns why a hash that the configuration has replaced is still there, as the hint of a finding.
func (c *checker) whyItStays(o manifest.Object) string {
	isAdopted := func(r plan.Reference) bool { return r.Held == plan.Adopted }
	if w := c.workload(o); w != nil && slices.ContainsFunc(w.References, isAdopted) {
		return "It goes with the first change of what the workload reads: until then it is adopted."
	}
	return "It stays where no stamp stands for it: the workload gets none, or reads what the render does not have. " +
		"context: names what other applications render."
}

// waitsBeside reports whether stamps of a workload wait for approvals beside a hash that its chart writes, and that
// stays.
func (c *checker) waitsBeside(o manifest.Object, annotation string) bool {
	w := c.workload(o)
	if c.settings == nil || w == nil || !w.Stamped || len(w.References) == 0 || c.settings.Foreign(annotation) {
		return false
	}
	p := policy.Workload{Object: o, Namespace: w.Namespace, Settings: c.settings}
	return p.Manual()
}

// isRandom reports whether an annotation of a pod template differs in each render.
func (c *checker) isRandom(o manifest.Object, key string) bool {
	const of = "metadata.annotations"
	w := c.workload(o)
	return w != nil && (slices.Contains(w.Unstable, of+"."+key) ||
		slices.Contains(w.Unstable, of+"["+strconv.Quote(key)+"]"))
}

// job finds Jobs that are stamped, or read what has a generated name, and that nothing replaces: the API server
// refuses a changed template.
func (c *checker) job(o manifest.Object, at diag.Position) {
	if refs.IsRecreated(o) {
		return
	}
	for _, w := range c.named(o) {
		if w.Stamped && len(w.References) > 0 {
			c.find(diag.New(diag.JobTemplate, o.String(),
				"the "+o.Kind+" is stamped, and its template is immutable: a sync will fail when its configuration changes"), at)
		}
	}
}
