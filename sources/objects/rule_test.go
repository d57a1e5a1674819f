package objects

import (
	"bytes"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func rulePath(t testing.TB, text string) config.Path {
	t.Helper()
	p, err := config.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clusterRule is for an operator that calls what it makes after its object, as CloudNativePG does.
func clusterRule(t testing.TB) config.ProducerRule {
	name, err := config.ParseName("{metadata.name}-app")
	if err != nil {
		t.Fatal(err)
	}
	return config.ProducerRule{
		Group: "postgresql.cnpg.io", Kind: "Cluster", Makes: config.Secret, Name: name,
		Omit:     []config.Path{rulePath(t, "spec.instances"), rulePath(t, "spec.roles[*].comment")},
		Defaults: map[string]config.Scalar{"spec.port": {Text: "5432", Tag: "!!int"}, "spec.roles[*].login": {Text: "true", Tag: "!!bool"}},
		Sets:     []config.Path{rulePath(t, "spec.databases")},
	}
}

// producedByRule returns the bytes of what one object makes by a rule.
func producedByRule(t testing.TB, rule config.ProducerRule, spec, made string) []byte {
	t.Helper()
	x := NewIndex(Options{Namespace: "a", Level: 1, Rules: []config.ProducerRule{rule}})
	indexOf(t, x, "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: db}\nspec: "+spec+"\n")
	o, source := x.Find(secret, "a", made)
	if source != "Cluster/db" {
		t.Fatalf("Secret %s is %s", made, source)
	}
	var out []byte
	for _, p := range read(x, o).Pairs {
		out = append(append(out, p.Key...), p.Value.Reveal()...)
	}
	return out
}

func TestARuleLeavesOutDefaultsAndOrderAsABuiltInRowDoes(t *testing.T) {
	t.Parallel()
	rule := clusterRule(t)
	inContent, keyed := rule, rule
	inContent.Content = []config.Path{rulePath(t, "spec.databases"), rulePath(t, "spec.roles[*]"), rulePath(t, "spec.port"), rulePath(t, "spec.instances")}
	keyed.Keys = &config.KeysRule{Path: rulePath(t, "spec.roles[*]"), Key: rulePath(t, "name")}
	keyed.Content = inContent.Content
	const base = "{databases: [a, b], roles: [{name: x}]}"
	for name, r := range map[string]config.ProducerRule{"the spec": rule, "paths": inContent, "keys": keyed} {
		want := producedByRule(t, r, base, "db-app")
		for _, same := range []string{
			"{databases: [b, a], roles: [{name: x}]}",
			"{databases: [a, b], roles: [{name: x}], instances: 3}",
			"{databases: [a, b], roles: [{name: x}], port: 5432}",
			"{databases: [a, b], roles: [{name: x, comment: hi, login: true}]}",
		} {
			if got := producedByRule(t, r, same, "db-app"); !bytes.Equal(got, want) {
				t.Errorf("%s: %s shapes the content as %q, and %s as %q", name, same, got, base, want)
			}
		}
		for _, other := range []string{
			"{databases: [a, c], roles: [{name: x}]}",
			"{databases: [a, b], roles: [{name: x}], port: 5433}",
			"{databases: [a, b], roles: [{name: x, login: false}]}",
		} {
			if got := producedByRule(t, r, other, "db-app"); bytes.Equal(got, want) {
				t.Errorf("%s: %s shapes the content as %s does", name, other, base)
			}
		}
	}
}

func TestATemplateNamesEachPlaceOfAList(t *testing.T) {
	t.Parallel()
	rule := clusterRule(t)
	rule.Name, _ = config.ParseName("{metadata.name}-{spec.roles[*].name}")
	const spec = "{roles: [{name: x}, {comment: none}, {name: y}]}"
	for _, made := range []string{"db-x", "db-y"} {
		producedByRule(t, rule, spec, made)
	}
	producedByRule(t, rule, "{}", "db") // its own name where a path leads nowhere
}

func TestARuleSaysHowItsSecretJoinsOneOfTheInput(t *testing.T) {
	t.Parallel()
	const own = "apiVersion: v1\nkind: Secret\nmetadata: {name: db-app}\nstringData: {a: mine, empty: ''}\n---\n"
	for strategy, want := range map[config.MergeStrategy]string{
		"": "a empty", config.MergeIgnore: "a empty", config.MergeOverlay: "* a empty", config.MergeFill: "* a", config.MergeReplace: "*",
	} {
		rule := clusterRule(t)
		rule.Merge = strategy
		x := NewIndex(Options{Namespace: "a", Level: 1, Rules: []config.ProducerRule{rule}})
		indexOf(t, x, own+"apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: db}\nspec: {a: b}\n")
		o, _ := x.Find(secret, "a", "db-app")
		var keys []byte
		for _, p := range read(x, o).Pairs {
			keys = append(append(keys, ' '), p.Key...)
		}
		if got := string(bytes.TrimSpace(keys)); got != want {
			t.Errorf("with %q the keys are %q, want %q", strategy, got, want)
		}
	}
}

func TestTheBytesOfARuleStayAsTheyAre(t *testing.T) {
	t.Parallel()
	rule := config.ProducerRule{Group: "postgresql.cnpg.io", Kind: "Cluster", Makes: config.Secret}
	keyed, paths := rule, rule
	keyed.Keys = &config.KeysRule{Path: rulePath(t, "spec.roles[*]"), Key: rulePath(t, "name"), Content: []config.Path{rulePath(t, "from")}}
	paths.Content = []config.Path{rulePath(t, "spec.roles[*].name"), rulePath(t, "spec.size")}
	const spec = "{size: 2, roles: [{name: x, from: kv/x}]}"
	const producer = "8:producer27:scluster.postgresql.cnpg.io"
	for name, c := range map[string]struct {
		rule config.ProducerRule
		want string
	}{
		"the spec": {rule, "*spec\x007:content49:m5:roles28:l24:m4:from5:skv/x4:name2:sx4:size2:n2" + producer},
		"paths":    {paths, "*spec\x007:content44:m18:spec.roles[*].name5:l2:sx9:spec.size2:n2" + producer},
		"keys":     {keyed, "xspec\x004:item14:m4:from5:skv/x" + producer},
	} {
		if got := string(producedByRule(t, c.rule, spec, "db")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
