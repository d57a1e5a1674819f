// Package check looks for what is likely wrong with one rendered application, besides what stamping finds.
package check

import (
	"bytes"
	"context"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// Application returns the findings of a stamped result: those of the plan, and what only a look at all objects shows.
// The settings are those under which it was stamped.
func Application(ctx context.Context, r *pipeline.Result, s *config.Settings) ([]diag.Finding, error) {
	c := newChecker(r, s.Kinds.Value)
	c.settings = s
	// The names of configuration first, then what else holds them.
	for _, visit := range []func(manifest.Object, diag.Position){c.object, c.mention} {
		if err := r.EachObject(ctx, visit); err != nil {
			return nil, err
		}
	}
	found := c.otherNamespaces(slices.Clone(r.Findings()))
	c.findUnused()
	c.reportConsumers()
	return diag.Sort(append(found, c.found...)), nil
}

// subdomain is how most objects may be called: RFC 1123, as the API server takes it.
var subdomain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
})

// keyName is how a key of a ConfigMap or Secret may be called.
var keyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-._a-zA-Z0-9]+$`) })

const longestName = 253

func (c *checker) object(o manifest.Object, at diag.Position) {
	o = refs.PutIn(c.home, o)
	configuration := o.Group() == "" && (o.Kind == refs.ConfigMap || o.Kind == refs.Secret)
	if configuration {
		c.config(o, at)
	}
	rows := c.kinds.Rows(o)
	if len(rows) > 0 {
		c.leftovers(o, rows)
	}
	if len(rows) > 0 && rows[0].Rollout == refs.ByReplacement {
		c.job(o, at)
	}
	c.mutators(o, at)
	name := o.Node.At("metadata", "name").StringValue()
	if o.Name == "" {
		c.find(diag.New(diag.InvalidName, o.Kind, "the API server takes no object without a name"), at)
	}
	if name != "" && (configuration || len(rows) > 0) && (len(name) > longestName || !subdomain().MatchString(name)) {
		c.find(diag.New(diag.InvalidName, o.String(), "the API server takes no such name"), at)
	}
}

// invalidKey returns the finding about a key that an object cannot have. That of a Secret is not shown: it may be a
// line of a file, with the value in it.
func invalidKey(o manifest.Object, key string) diag.Finding {
	if o.Kind == refs.Secret {
		return diag.New(diag.InvalidName, o.String(),
			`the API server takes no key that has other characters than letters, digits, "-", "_" and ".", or more than 253`)
	}
	return diag.New(diag.InvalidName, o.String(),
		"the API server takes no key \""+strings.ToValidUTF8(key, "?")+"\"").WithKey(key)
}

func (c *checker) config(o manifest.Object, at diag.Position) {
	one := configObject{kind: o.Kind, namespace: o.Namespace, name: o.Name, at: at}
	if one.namespace == "" {
		one.namespace = c.home
	}
	values, size := 0, 0
	for _, field := range []string{"data", "binaryData", "stringData"} {
		for k, v := range o.Node.Get(field).Entries() {
			size += sizeOf(v.StringValue(), field == "binaryData" || field == "data" && o.Kind == refs.Secret)
			key := k.Field()
			one.keys = append(one.keys, key)
			if len(key) > longestName || !keyName().MatchString(key) || key == "." || key == ".." {
				c.find(invalidKey(o, key), at)
			}
			if v.StringValue() != "" {
				values++
			}
		}
	}
	if size > largest {
		c.find(diag.New(diag.InvalidContent, o.String(), "its values have more than 1 MiB"), at)
	}
	slices.Sort(one.keys)
	one.keys = slices.Compact(one.keys)
	one.elsewhere, one.earlier = readElsewhere(o), stamp.IsEarlier(o)
	c.configs = append(c.configs, one)
	c.words[o.Name] = false
	encrypted := o.Node.Get("sops").IsMap()
	if o.Kind == refs.Secret && values > 0 && !encrypted && c.result.Output.Kind != render.KindHelm && !placeholder(o) {
		c.find(diag.New(diag.PlainSecret, o.String(), "the values of the Secret stand in the manifests as they are"), at)
	}
}

// largest is how many bytes the values of a ConfigMap or Secret may have.
const largest = 1 << 20

// sizeOf returns how many bytes a value has.
func sizeOf(text string, encoded bool) int {
	if encoded {
		digits := len(strings.TrimRight(text, "=\n")) - strings.Count(text, "\n")
		return base64.RawStdEncoding.DecodedLen(digits)
	}
	return len(text)
}

// placeholder reports whether the values are to be filled in by another tool.
func placeholder(o manifest.Object) bool {
	for _, field := range []string{"data", "stringData"} {
		for _, v := range o.Node.Get(field).Entries() {
			text := v.StringValue()
			decoded, _ := base64.StdEncoding.DecodeString(text) // a generator encodes a file that SOPS encrypted
			if strings.Contains(text, "<path:") || strings.Contains(text, "${") || strings.Contains(text, "ENC[") ||
				strings.HasPrefix(text, "vault:") || field == "data" && bytes.Contains(decoded, []byte("ENC[")) {
				return true
			}
		}
	}
	return false
}

// readers are labels and types by which something that no manifest names reads a ConfigMap or Secret.
var readers = []string{"grafana_dashboard", "grafana_datasource", "argocd.argoproj.io/secret-type",
	"app.kubernetes.io/part-of", "sealedsecrets.bitnami.com/sealed-secrets-key",
	"owner", "k8s-app", "prometheus", "config.k8s.io/owning-inventory"}

func readElsewhere(o manifest.Object) string {
	if t := o.Node.Get("type").StringValue(); t != "" && t != "Opaque" {
		return "it is of type " + t
	}
	labels := o.Labels()
	for _, l := range readers {
		if _, ok := labels[l]; ok {
			return "its label " + l + " is for something that looks for it"
		}
	}
	if o.Annotation("helm.sh/hook") != "" {
		return "it is a hook"
	}
	return ""
}

// mention notes the names of configuration that another object holds, as a word in any of its values.
func (c *checker) mention(o manifest.Object, at diag.Position) {
	if o.Group() == "" && (o.Kind == refs.ConfigMap || o.Kind == refs.Secret) {
		return
	}
	c.mentionIn(o.Node)
	c.unknownConsumer(o, at)
}

func (c *checker) mentionIn(n manifest.Node) {
	switch {
	case n.IsMap():
		for _, v := range n.Entries() {
			c.mentionIn(v)
		}
	case n.IsSeq():
		for v := range n.Items() {
			c.mentionIn(v)
		}
	case n.IsScalar():
		for word := range strings.FieldsFuncSeq(n.Text(), notName) {
			if mentioned, known := c.words[word]; known && !mentioned {
				c.words[word] = true
			}
		}
	}
}

func notName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.'
}

func describe(w plan.Workload) string { return manifest.Describe(w.Kind, w.Namespace, w.Name) }

// findUnused finds objects that nothing reads, and keys of the others that nothing reads.
func (c *checker) findUnused() {
	type id struct{ kind, namespace, name string }
	all := map[id]bool{}
	keys := map[id]map[string]bool{}
	for _, w := range c.result.Plan.Workloads {
		for _, r := range w.References {
			at := id{r.Kind, r.Namespace, r.Name}
			if keys[at] == nil {
				keys[at] = map[string]bool{}
			}
			all[at] = all[at] || r.Keys == nil
			for _, key := range r.Keys {
				keys[at][key] = true
			}
		}
	}
	for _, o := range c.configs {
		at := id{o.kind, o.namespace, o.name}
		read, referred := keys[at]
		name := manifest.Describe(o.kind, o.namespace, o.name)
		switch {
		case o.earlier:
		case !referred && !c.words[o.name] && o.elsewhere == "":
			c.find(diag.New(diag.UnusedObject, name, "no workload of the application refers to it"), o.at)
		case referred && !all[at]:
			for _, key := range o.keys {
				if !read[key] {
					c.find(diag.New(diag.UnusedKey, name, "no workload of the application reads the key \""+key+"\"").WithKey(key),
						o.at)
				}
			}
		}
	}
}
