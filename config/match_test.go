package config

import (
	"fmt"
	"strings"
	"testing"
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
		{
			Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "x",
			web, true,
		},
		{
			Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "b", "x",
			web, false,
		},
		{
			Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "y",
			web, false,
		},
		{
			Match{Kind: "Deployment", Name: "x", Namespace: "a", Labels: selector("app")}, "Deployment", "a", "x",
			nil, false,
		},
	} {
		if got := c.match.Matches(c.kind, c.ns, c.name, c.labels); got != c.want {
			t.Errorf("%+v on %s %s/%s %v: got %t", c.match, c.kind, c.ns, c.name, c.labels, got)
		}
	}
}

// sets are label sets that selectors are tried on.
var sets = []map[string]string{
	nil, {"a": ""}, {"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "1", "b": "1"}, {"a": "3", "b": ""}, {"in": "1"},
	{"notin": "in"},
	{"example.com/a": "1"}, {"a": "1", "b": "2", "in": "in"},
}

func TestSelectorsMeanWhatTheyMeanInKubernetes(t *testing.T) {
	for _, c := range []struct{ selector, matched string }{ // the numbers of the sets
		{"a", "[1 2 3 5 6 10]"}, {"!a", "[0 4 7 8 9]"}, {"! a", "[0 4 7 8 9]"}, {"a=1", "[2 5 10]"},
		{"a==1", "[2 5 10]"}, {"a!=1", "[0 1 3 4 6 7 8 9]"}, {"a=", "[1]"}, {"a!=", "[0 2 3 4 5 6 7 8 9 10]"},
		{"a = 1", "[2 5 10]"}, {"a in (1,2)", "[2 3 5 10]"}, {"a in (1, 2 )", "[2 3 5 10]"},
		{"a notin (1,2)", "[0 1 4 6 7 8 9]"}, {"a in (1)", "[2 5 10]"}, {"a in ()", "[1]"},
		{"a in (,1)", "[1 2 5 10]"}, {"a in (1,)", "[1 2 5 10]"}, {"a notin (,)", "[0 2 3 4 5 6 7 8 9 10]"},
		{"a,b", "[5 6 10]"}, {"a,!b", "[1 2 3]"}, {"a=1,b=1", "[5]"}, {" a = 1 , b in ( 1 ) ", "[5]"},
		{"example.com/a=1", "[9]"}, {"in", "[7 10]"}, {"in in (in)", "[10]"}, {"notin=in", "[8]"},
		{"a in(1)", "[2 5 10]"}, {"a=1,a=2", "[]"}, {"a!=1,a!=2", "[0 1 4 6 7 8 9]"}, {"a=in", "[]"},
		{"a in (in,notin)", "[]"}, {"a>1", "[3 6]"}, {"a<3", "[2 3 5 10]"},
	} {
		s, err := ParseSelector(c.selector)
		if err != nil {
			t.Errorf("%q: %v", c.selector, err)
			continue
		}
		var matched []int
		for i, set := range sets {
			if s.Matches(set) {
				matched = append(matched, i)
			}
		}
		if got := fmt.Sprint(matched); got != c.matched || s.String() != c.selector {
			t.Errorf("%q matches %s, want %s", s, got, c.matched)
		}
	}
}

func TestWhatIsNoSelectorInKubernetesIsNoneHere(t *testing.T) {
	for _, text := range []string{
		",", "a,", ",a", "a b", "a=1 b=2", "=1", "a in", "a in 1", "a in (1", "a in 1)", "a notin", "!", "!a=1",
		"a=(1)", "-a", "a-", "a=-1",
		"a/b/c=1", "/a=1", "a/=1", "ä=1", "a=ä", "a===1", "a=!1", "a in (-)", strings.Repeat("x", 64),
		"a=" + strings.Repeat("x", 64),
		"a()", "(a)", "a)", "!!a", "a=1,,b=1", "a in (1 2)", "exa mple.com/a", "A_B./a=1", "a..b/c", "-a/b", "",
		" ", strings.Repeat("x", 254) + "/a",
	} {
		_, err := ParseSelector(text)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("label selector %q: ", text)) {
			t.Errorf("%q: %v", text, err)
		}
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
	for _, text := range []string{
		"..", "a..b", ".a", "a.", "a[0]", "a[*", "a[*]b", "[*]", "a b", "a/b", "a*", "**", "a.[*]",
	} {
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
