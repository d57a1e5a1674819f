package config

import (
	"slices"
	"strings"
	"testing"
)

func TestANameIsAPathOrTextWithPathsInBraces(t *testing.T) {
	for text, want := range map[string]string{
		"spec.name":                  "<spec.name>",
		"{metadata.name}-app":        "<metadata.name>-app",
		"{metadata.name}":            "<metadata.name>",
		"db-{spec.a[*].n}.{spec.b}x": "db-<spec.a[*].n>.<spec.b>x",
		"":                           "",
	} {
		n, err := ParseName(text)
		var got strings.Builder
		for _, p := range n.Parts() {
			if got.WriteString(p.Text); !p.Path.IsZero() {
				got.WriteString("<" + p.Path.String() + ">")
			}
		}
		if err != nil || got.String() != want || n.String() != text {
			t.Errorf("%q is %q (%v), want %q", text, got.String(), err, want)
		}
	}
	for _, text := range []string{"{spec.name", "a}", "{}-a", "{$.spec.a}", "a-{b{c}}", "spec name",
		`a["b"`, `a["b']`, `a[""]`, `a["b"]c`, `a[b]`, `["a"]`, `a["b"c"]`} {
		if n, err := ParseName(text); err == nil {
			t.Errorf("%q is taken as %v", text, n.Parts())
		}
	}
}

func TestARuleForAProducerIsReadWithItsTypes(t *testing.T) {
	s, err := resolveIn(t, `producers:
- kind: Cluster
  name: "{metadata.name}-app"
  omit: [spec.instances]
  defaults: {spec.port: 5432, spec.tls: true, spec.mode: "1"}
  sets: [spec.users]
  merge: overlay
`, env(), Flags{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Producers.Value[0]
	for path, want := range map[string]Scalar{"spec.port": {"5432", "!!int"}, "spec.tls": {"true", "!!bool"}, "spec.mode": {"1", "!!str"}} {
		if r.Defaults[path] != want {
			t.Errorf("the default of %s is %v, want %v", path, r.Defaults[path], want)
		}
	}
	if r.Merge != MergeOverlay || r.Name.String() != "{metadata.name}-app" || len(r.Omit) != 1 || len(r.Sets) != 1 {
		t.Errorf("the rule is %+v", r)
	}
	for _, bad := range []string{`omit: ['spec["a.b"]']`, `sets: ['spec["a.b"]']`, `defaults: {'spec["a.b"]': 1}`, "merge: over", "defaults: {spec.a: [1]}", "defaults: {$.a: 1}", "name: '{a'", "omit: [/a]"} {
		if _, err := resolveIn(t, "producers:\n- kind: Cluster\n  "+bad+"\n", env(), Flags{}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestAFieldInQuotesIsOneStep(t *testing.T) {
	for _, text := range []string{`metadata.annotations["a.b/c"].d[*]`, `metadata.annotations['a.b/c'].d[*]`} {
		p, err := ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		want := []Step{{Field: "metadata"}, {Field: "annotations"}, {Field: "a.b/c"}, {Field: "d"}, {Each: Items}}
		if !slices.Equal(p.Steps(), want) || p.String() != text {
			t.Errorf("%s leads along %+v", text, p.Steps())
		}
	}
}
