package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// consumer is a kind without a row of which an object refers to configuration.
type consumer struct {
	group, kind string
	object      string // the first
	at          diag.Position
	more        int // further objects
	names       []string
	rule        config.KindRule
}

// inert are the ends of API groups whose objects restart no pods: what their controllers read takes effect by itself,
// makes an object, or starts with new pods.
var inert = []string{
	"cert-manager.io", "external-secrets.io", "fluxcd.io", "argoproj.io", "kyverno.io", "tekton.dev", "crossplane.io",
	"upbound.io", "monitoring.coreos.com", "operators.coreos.com", "grafana.integreatly.org", "keda.sh", "cnpg.io",
	"traefik.io", "istio.io", "cilium.io", "envoyproxy.io", "velero.io", "volsync.backube", "longhorn.io", "openshift.io",
	"open-cluster-management.io", "cncf.io", "hashicorp.com", "strimzi.io", "rabbitmq.com",
	"zalan.do",
}

// mayConsume reports whether objects of a kind without a row may run pods.
func mayConsume(o manifest.Object) bool {
	group := o.Group()
	return strings.Contains(group, ".") && !slices.ContainsFunc(inert, func(end string) bool {
		return group == end || strings.HasSuffix(group, "."+end)
	})
}

// unknownConsumer looks for references in an object of a kind without a row.
func (c *checker) unknownConsumer(o manifest.Object, at diag.Position) {
	if !mayConsume(o) || len(c.kinds.Rows(o)) > 0 || !mayRefer(o.Node) {
		return
	}
	producer := c.index.Concerns(o) || strings.HasSuffix(o.Group(), "k8s.io")
	s := &consumerSearch{names: func(kind, name string) bool { return !producer && c.has(o, kind, name) }}
	s.walk(o.Node.Get("spec"), config.Path{}.Field("spec"))
	rule := s.rule(o)
	names := namesOf(o, rule)
	if len(names) == 0 {
		return
	}
	c.addConsumer(o, at, rule, names)
}

// mayRefer reports whether the text of an object can name a ConfigMap or Secret.
func mayRefer(n manifest.Node) bool {
	if n.End() == 0 {
		return true
	}
	text := n.Document().Text()[n.Offset():n.End()]
	return bytes.Contains(text, []byte("onfigMap")) || bytes.Contains(text, []byte("ecret")) ||
		bytes.Contains(text, []byte("Ref:")) || bytes.Contains(text, []byte(`Ref":`))
}

// has reports whether the render has a ConfigMap or Secret where an object can read it.
func (c *checker) has(o manifest.Object, kind, name string) bool {
	namespace := o.Namespace
	if namespace == "" {
		namespace = c.home
	}
	return slices.ContainsFunc(c.configs, func(one configObject) bool {
		return one.kind == kind && one.name == name &&
			(one.namespace == namespace || one.namespace == "" || namespace == "")
	})
}

// namesOf returns what a rule finds in an object, without what pulls images.
func namesOf(o manifest.Object, rule config.KindRule) (names []string) {
	table := refs.NewTable(config.MaxLevel, []config.KindRule{rule})
	for _, row := range table.Rows(o) {
		for _, t := range table.Find(o, row) {
			for _, r := range t.References {
				if name := r.Kind + " " + r.Name; r.Form != refs.FormPull && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// addConsumer joins what objects of one kind refer to.
func (c *checker) addConsumer(o manifest.Object, at diag.Position, rule config.KindRule, names []string) {
	i := slices.IndexFunc(c.consumers, func(k consumer) bool { return k.group == o.Group() && k.kind == o.Kind })
	if i < 0 {
		c.consumers = append(c.consumers, consumer{group: strings.Clone(o.Group()), kind: strings.Clone(o.Kind),
			object: o.String(), at: at, names: names, rule: rule})
		return
	}
	k := &c.consumers[i]
	k.more++
	for _, name := range names {
		if !slices.Contains(k.names, name) {
			k.names = append(k.names, name)
		}
	}
	if k.rule.PodSpec.IsZero() {
		k.rule.Template, k.rule.PodSpec = rule.Template, rule.PodSpec
	}
	if k.rule.Annotations.IsZero() {
		k.rule.Annotations, k.rule.Stamp = rule.Annotations, rule.Stamp
	}
	for _, r := range rule.References {
		if !slices.ContainsFunc(k.rule.References, func(have config.ReferenceRule) bool { return sameReference(have, r) }) {
			k.rule.References = append(k.rule.References, r)
		}
	}
}

func sameReference(a, b config.ReferenceRule) bool {
	return a.Path.String() == b.Path.String() && a.Kind == b.Kind && a.Name.String() == b.Name.String()
}

// reportConsumers reports the kinds without a row, each once, with the rule that describes it.
func (c *checker) reportConsumers() {
	for _, k := range c.consumers {
		names := k.names
		if rest := len(names) - shownNames; rest > 0 {
			names = append(slices.Clone(names[:shownNames]), fmt.Sprint(rest, " more"))
		}
		which := ""
		if k.more > 0 {
			which = " (and " + diag.Count(k.more, "more object") + " of the kind)"
		}
		known, where := "no row and no rule is for", "In .rollstamp.yaml: "
		if c.onlyCopies(&k) {
			known, where = "the rule only copies values for", "In .rollstamp.yaml, beside the copies: of that rule: "
		}
		f := diag.New(diag.UnknownConsumer, k.object, known+" the kind "+k.kind+" of "+k.group+which+
			", and it refers to "+strings.Join(names, ", ")).AsNotice()
		f.Hint = where + printRule(k.rule)
		if !k.rule.IsStamped() {
			f.Hint += " Where its operator has a field for annotations of the pods, write its path as annotations: " +
				"instead of stamp: false."
		}
		c.find(f.WithAbout(k.group+"/"+k.kind), k.at)
	}
}

// onlyCopies reports whether a rule is for a kind and says nothing of what its objects refer to.
func (c *checker) onlyCopies(k *consumer) bool {
	return slices.ContainsFunc(c.rules, func(r config.KindRule) bool {
		return r.Group == k.group && string(r.Kind) == k.kind && len(r.Copies) > 0
	})
}

// shownNames is how many names a finding lists.
const shownNames = 5
