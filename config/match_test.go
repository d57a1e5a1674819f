package config

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
)

func TestMatchNeedsEveryGivenFieldToFit(t *testing.T) {
	web := map[string]string{"app": "web", "tier": "front"}
	selector := func(s string) Selector {
		parsed, err := ParseSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		match          Match
		kind, ns, name string
		labels         map[string]string
		want           bool
	}{
		{Match{Kind: "Deployment"}, "Deployment", "", "x", nil, true},
		{Match{Kind: "deployment"}, "Deployment", "", "x", nil, true},
		{Match{Kind: "Deployment"}, "StatefulSet", "", "x", nil, false},
		{Match{Name: "web-*"}, "Deployment", "a", "web-1", nil, true},
		{Match{Name: "web-*"}, "Deployment", "a", "web", nil, false},
		{Match{Name: "web-?"}, "Deployment", "a", "web-10", nil, false},
		{Match{Name: "web-[0-4]"}, "Deployment", "a", "web-3", nil, true},
		{Match{Name: "*"}, "Deployment", "", "x", nil, true},
		{Match{Namespace: "team-*"}, "Deployment", "team-a", "x", nil, true},
		{Match{Namespace: "team-*"}, "Deployment", "", "x", nil, false},
		{Match{Namespace: "*"}, "Deployment", "", "x", nil, true},
		{Match{Labels: selector("app=web")}, "Deployment", "", "x", web, true},
		{Match{Labels: selector("app=web,tier!=front")}, "Deployment", "", "x", web, false},
		{Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "x", web, true},
		{Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "b", "x", web, false},
		{Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "y", web, false},
		{Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "x", nil, false},
	} {
		if got := c.match.Matches(c.kind, c.ns, c.name, c.labels); got != c.want {
			t.Errorf("%+v on %s %s/%s %v: got %t", c.match, c.kind, c.ns, c.name, c.labels, got)
		}
	}
}

// sets are label sets that selectors are tried on.
var sets = []map[string]string{
	nil, {"a": ""}, {"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "1", "b": "1"}, {"a": "3", "b": ""}, {"in": "1"}, {"notin": "in"},
	{"example.com/a": "1"}, {"a": "1", "b": "2", "in": "in"},
}

// sameAsKubernetes compares our reading of a selector with that of Kubernetes, and reports whether it is one.
func sameAsKubernetes(t *testing.T, text string) bool {
	t.Helper()
	theirs, theirErr := labels.Parse(text)
	ours, ourErr := ParseSelector(text)
	if (theirErr == nil) != (ourErr == nil) {
		t.Errorf("%q: ours says %v, Kubernetes %v", text, ourErr, theirErr)
		return false
	}
	if ourErr != nil {
		return false
	}
	for _, set := range sets {
		if got, want := ours.Matches(set), theirs.Matches(labels.Set(set)); got != want {
			t.Errorf("%q on %v: ours %t, Kubernetes %t", text, set, got, want)
		}
	}
	return true
}

func TestSelectorsMeanWhatTheyMeanInKubernetes(t *testing.T) {
	for _, text := range []string{
		"a", "!a", "! a", "a=1", "a==1", "a!=1", "a=", "a!=", "a = 1", "a in (1,2)", "a in (1, 2 )", "a notin (1,2)", "a in (1)",
		"a in ()", "a in (,1)", "a in (1,)", "a notin (,)", "a,b", "a,!b", "a=1,b=1", " a = 1 , b in ( 1 ) ", "example.com/a=1",
		"in", "in in (in)", "notin=in", "a in(1)", "a=1,a=2", "a!=1,a!=2", "a=in", "a in (in,notin)",
	} {
		if !sameAsKubernetes(t, text) {
			t.Errorf("%q is not read as a selector", text)
		}
	}
}

func TestWhatIsNoSelectorInKubernetesIsNoneHere(t *testing.T) {
	for _, text := range []string{
		",", "a,", ",a", "a b", "a=1 b=2", "=1", "a in", "a in 1", "a in (1", "a in 1)", "a notin", "!", "!a=1", "a=(1)", "-a", "a-", "a=-1",
		"a/b/c=1", "/a=1", "a/=1", "ä=1", "a=ä", "a===1", "a=!1", "a in (-)", strings.Repeat("x", 64), "a=" + strings.Repeat("x", 64),
		"a()", "(a)", "a)", "!!a", "a=1,,b=1", "a in (1 2)", "exa mple.com/a", "A_B./a=1", "a..b/c", "-a/b", strings.Repeat("x", 254) + "/a",
	} {
		if sameAsKubernetes(t, text) {
			t.Errorf("%q is read as a selector", text)
		}
	}
}

func TestRandomSelectorsAreReadAsByKubernetes(t *testing.T) {
	words := []string{"a", "b", "1", "2", "in", "notin", "=", "==", "!=", "!", "(", ")", ",", " ", "example.com/a", "-"}
	r := rand.New(rand.NewPCG(3, 4))
	valid := 0
	for range 20000 {
		var text strings.Builder
		for range 1 + r.IntN(8) {
			text.WriteString(words[r.IntN(len(words))])
		}
		if strings.TrimSpace(text.String()) != "" && sameAsKubernetes(t, text.String()) {
			valid++
		}
	}
	if valid < 200 {
		t.Errorf("only %d of the texts are selectors: too few to show anything", valid)
	}
}

func TestPathsAreFieldsListItemsAndMapValues(t *testing.T) {
	for text, want := range map[string][]Step{
		"":                    nil,
		".":                   nil,
		"spec":                {{Field: "spec"}},
		"spec.template":       {{Field: "spec"}, {Field: "template"}},
		"spec.pools[*].name":  {{Field: "spec"}, {Field: "pools"}, {Each: Items}, {Field: "name"}},
		"spec.grid[*][*]":     {{Field: "spec"}, {Field: "grid"}, {Each: Items}, {Each: Items}},
		"spec.byName.*.ref":   {{Field: "spec"}, {Field: "byName"}, {Each: Values}, {Field: "ref"}},
		"spec.byName.*[*].id": {{Field: "spec"}, {Field: "byName"}, {Each: Values}, {Each: Items}, {Field: "id"}},
	} {
		got, err := ParsePath(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if len(got.Steps()) != len(want) {
			t.Errorf("%q: got %v", text, got.Steps())
			continue
		}
		for i, step := range got.Steps() {
			if step != want[i] {
				t.Errorf("%q: step %d is %v", text, i, step)
			}
		}
	}
	for _, text := range []string{"..", "a..b", ".a", "a.", "a[0]", "a[*", "a[*]b", "[*]", "a b", "a/b", "a*", "**", "a.[*]"} {
		if p, err := ParsePath(text); err == nil {
			t.Errorf("%q is read as %v", text, p.Steps())
		}
	}
}

func TestAFieldBelowAPathLeavesThePathAsItWas(t *testing.T) {
	p, err := ParsePath("spec.template")
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.Field("a"), p.Field("b")
	if a.String() != "spec.template.a" || b.String() != "spec.template.b" || a.Steps()[2].Field != "a" {
		t.Errorf("got %v and %v", a.Steps(), b.Steps())
	}
}
