package objects

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

// which Namespaces trigger a rule.
func TestARuleOfKyvernoIsTriggeredByTheNamespacesThatItMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rule string
		want       []string // of shop (tenant: a), kube-system and shop-b (tenant: b)
	}{
		{"all", "match: {any: [{resources: {kinds: [Namespace]}}]}", []string{"shop", "kube-system", "shop-b"}},
		{"as it was", "match: {resources: {kinds: [v1/Namespace], name: shop*}}", []string{"shop", "shop-b"}},
		{"names", "match: {any: [{resources: {kinds: [Namespace], names: [shop, 'kube-?*']}}]}",
			[]string{"shop", "kube-system"}},
		{"labels", "match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {tenant: a}}}}]}", []string{"shop"}},
		{"any of two", "match: {any: [{resources: {kinds: [Namespace], names: [shop]}}, " +
			"{resources: {kinds: [Namespace], names: [shop-b]}}]}", []string{"shop", "shop-b"}},
		{"all of two", "match: {all: [{resources: {kinds: [Namespace], names: ['shop*']}}, " +
			"{resources: {kinds: [Namespace], selector: {matchLabels: {tenant: b}}}}]}", []string{"shop-b"}},
		{"excluded", "match: {any: [{resources: {kinds: [Namespace]}}]}\n" +
			"exclude: {any: [{resources: {kinds: [Namespace], names: ['kube-*']}}]}", []string{"shop", "shop-b"}},
		{"namespaces", "match: {any: [{resources: {kinds: [Namespace], namespaces: ['shop*']}}]}",
			[]string{"shop", "shop-b"}},
		{"excluded namespaces", "match: {resources: {kinds: [Namespace]}}\n" +
			"exclude: {any: [{resources: {namespaces: [shop]}}]}", []string{"kube-system", "shop-b"}},
		{"excluded names of any kind", "match: {resources: {kinds: [Namespace]}}\n" +
			"exclude: {resources: {names: [shop]}}", []string{"kube-system", "shop-b"}},
		{"an exclude that says nothing", "match: {resources: {kinds: [Namespace]}}\nexclude: {any: [{resources: {}}]}",
			[]string{"shop", "kube-system", "shop-b"}},
		{"excluded operations", "match: {resources: {kinds: [Namespace]}}\n" +
			"exclude: {any: [{resources: {namespaces: [shop], operations: [DELETE]}}]}",
			[]string{"shop", "kube-system", "shop-b"}},
		{"excluded for somebody", "match: {any: [{resources: {kinds: [Namespace]}}]}\n" +
			"exclude: {any: [{resources: {kinds: [Namespace], names: [shop]}, clusterRoles: [admin]}]}",
			[]string{"shop", "kube-system", "shop-b"}},
		{"wildcards of labels", "match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {x: '*'}}}}]}",
			[]string{"shop", "kube-system", "shop-b"}},
		{"by another kind", "match: {any: [{resources: {kinds: [Deployment]}}]}", []string{"shop", "kube-system", "shop-b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := manifest.Parse([]byte(c.rule + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range []struct{ name, tenant string }{{"shop", "a"}, {"kube-system", ""}, {"shop-b", "b"}} {
				labels := func(key string) (string, bool) { return n.tenant, key == "tenant" && n.tenant != "" }
				if triggers(d.Root(), n.name, labels) {
					got = append(got, n.name)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("triggered by %q, want %q", got, c.want)
			}
		})
	}
}

func TestAGeneratingPolicyClonesWhatItNamesByLiterals(t *testing.T) {
	t.Parallel()
	const source = `resource.Get("v1", "secrets", "default", "regcred")`
	for _, c := range []struct {
		name, variable, generate string
		want                     int
		namespace                string
	}{
		{"by variables", source, `generator.Apply(object.metadata.name, [variables.source])`, 1, ""},
		{"into one namespace", source, `generator.Apply("shop", [variables.source])`, 1, "shop"},
		{"an expression", `resource.Get("v1", "secrets", "default", object.metadata.name)`,
			`generator.Apply(object.metadata.name, [variables.source])`, 0, ""},
		{"another kind", `resource.Get("v1", "services", "default", "a")`, `generator.Apply("shop", [variables.source])`, 0, ""},
		{"what it makes itself", source, `generator.Apply("shop", [{"kind": dyn("Secret")}])`, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := manifest.Parse([]byte("variables: [{name: source, expression: '" + c.variable +
				"'}]\ngenerate: [{expression: '" + c.generate + "'}]\n"))
			if err != nil {
				t.Fatal(err)
			}
			got := clonedByExpression(d.Root())
			if len(got) != c.want || c.want > 0 && (got[0].namespace != c.namespace ||
				got[0].from != (id{kind: secret, namespace: "default", name: "regcred"})) {
				t.Errorf("clones are %+v, want %d", got, c.want)
			}
		})
	}
}
