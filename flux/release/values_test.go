package release_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// printed is a chart that prints its values.
var printed = map[string]string{
	"Chart.yaml":  "apiVersion: v2\nname: c\nversion: 1.0.0\n",
	"values.yaml": "base: {kept: 1, gone: 2}\n",
	"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" +
		"  values: {{ toJson .Values | quote }}\n  count: \"{{ .Values.count }}\"\n",
}

func TestValuesAreComposedAsHelmControllerDoes(t *testing.T) {
	t.Parallel()
	values := func(text string) release.Values { return release.Values{Text: []byte(text), From: "ConfigMap apps/v"} }
	set := func(path, text string) release.Values {
		return release.Values{Text: []byte(text), TargetPath: path, From: "Secret apps/s"}
	}
	literal := func(path, text string) release.Values {
		v := set(path, text)
		v.Literal = true
		return v
	}
	for _, row := range []struct {
		inline string
		refs   []release.Values
		want   string
	}{
		{"{a: 1}", nil, `{"a":1}`},
		{"{a: {b: 1}}", []release.Values{values("a: {b: 2, c: 3}\nd: 4\n")}, `{"a":{"b":1,"c":3},"d":4}`},
		{"{}", []release.Values{values("a: 1\nb: 1\n"), values("a: 2\n")}, `{"a":2,"b":1}`},
		// The whole of spec.values counts more at the top, where nothing shares the table.
		{"{a: 1}", []release.Values{set("a", "2")}, `{"a":1}`},
		{"{a: {b: 1}}", []release.Values{set("a.b", "2")}, `{"a":{"b":2}}`},
		{"{a: {b: 1}}", []release.Values{values("a: {c: 3}"), set("a.b", "2")}, `{"a":{"b":1,"c":3}}`},
		{"{}", []release.Values{set("a.b[1]", "x"), set("c", "true"), set("d", "007")},
			`{"a":{"b":[null,"x"]},"c":true,"d":"007"}`},
		{"{}", []release.Values{set("a", "'true'"), set("b", `"12"`), set("c", "null")}, `{"a":"true","b":"12","c":null}`},
		{"{}", []release.Values{set("a", "x,b=y"), set("l", "{p,q}")}, `{"a":"x","b":"y","l":["p","q"]}`},
		{"{}", []release.Values{literal("a", `x,b=y{}[]\`), literal(`k\.d`, "{1,2}")}, `{"a":"x,b=y{}[]\\","k.d":"{1,2}"}`},
		{"{base: {gone: null}}", nil, `{"base":{"kept":1}}`},
	} {
		out := mustRender(t, "values: "+row.inline+"\n", printed, row.refs...)
		got := objectsOf(t, out.Text)["ConfigMap a"]["data"].(map[string]any)["values"].(string)
		var have, want map[string]any
		if err := yaml.Unmarshal([]byte(got), &have); err != nil {
			t.Fatal(err)
		}
		if base, _ := have["base"].(map[string]any); !strings.Contains(row.want, "base") && len(base) == 2 {
			delete(have, "base") // the chart's own
		}
		if err := yaml.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatal(err)
		}
		if a, b := at(t, have), at(t, want); a != b {
			t.Errorf("%s and %+v are %s, want %s", row.inline, row.refs, a, b)
		}
	}
}

func TestAWholeNumberOfATargetPathStaysOne(t *testing.T) {
	t.Parallel()
	out := mustRender(t, "", printed, release.Values{Text: []byte("1000000"), TargetPath: "count"})
	if n := at(t, objectsOf(t, out.Text)["ConfigMap a"], "data", "count"); n != `"1000000"` {
		t.Errorf("a target path made %s", n)
	}
	out = mustRender(t, "values: {count: 1000000}\n", printed)
	if n := at(t, objectsOf(t, out.Text)["ConfigMap a"], "data", "count"); n != `"1e+06"` {
		t.Errorf("spec.values made %s; helm has made a float of it", n)
	}
}

func TestValuesThatCannotBeReadAreAnErrorWithoutThem(t *testing.T) {
	t.Parallel()
	for _, v := range []release.Values{
		{Text: []byte("a: hunter2\n\tb: hunter2\n")},
		{Text: []byte("hunter2\n")},
		{Text: []byte("- hunter2\n")},
		{Text: []byte("x,hunter2"), TargetPath: "a"},
		{Text: []byte("{hunter2"), TargetPath: "a[x]"},
	} {
		v.Secrecy, v.From = redact.HoldsSecret, "Secret apps/s key values.yaml"
		_, err := release.Request(parseRelease(t, ""), release.Chart{}, []release.Values{v}, render.Request{}, nil)
		if err == nil || diag.ExitOf(err) != diag.ExitInput || strings.Contains(err.Error(), "hunter2") ||
			!strings.Contains(err.Error(), v.From) || !strings.HasPrefix(err.Error(), "HelmRelease apps/web: release.yaml:1: ") ||
			diag.HintOf(err) == "" {
			t.Errorf("%q: %v (%s)", v.Text, err, diag.HintOf(err))
		}
	}
}

func TestWhatCameFromASecretIsHiddenWhereverItIsShown(t *testing.T) {
	t.Parallel()
	chart := map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  url: http://me:{{ .Values.password }}@x\n" +
			"  pin: {{ .Values.pin | quote }}\n  open: hello\n  encoded: {{ .Values.password | b64enc }}\n" +
			"  {{ .Values.password }}.key: x\n",
	}
	refs := []release.Values{{Text: []byte("password: correcthorse\n"), Secrecy: redact.HoldsSecret},
		{Text: []byte("42"), TargetPath: "pin", Secrecy: redact.HoldsSecret}, {Text: []byte("open: four\n")}}
	out := mustRender(t, "", chart, refs...)
	if secrets := out.Secrets(); secrets.In("correcthorse") == "correcthorse" || secrets.In("hello four") != "hello four" {
		t.Error("what is hidden is not what came from a Secret")
	}
	var places []string
	for _, h := range out.Hidden {
		for _, p := range h.Places {
			places = append(places, fmt.Sprint(p.Path, p.Key, p.Whole))
		}
	}
	slices.Sort(places)
	want := []string{"[data correcthorse.key] true true", "[data encoded] false true", "[data pin] false true", "[data url] false false"}
	if !slices.Equal(places, want) {
		t.Errorf("hidden are %q", places)
	}
}

func TestAnErrorOfAChartShowsNoValueOfASecret(t *testing.T) {
	t.Parallel()
	chart := write(t, map[string]string{
		"Chart.yaml":       "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"templates/a.yaml": "{{ fail (printf \"no %s here\" .Values.plain) }}\n",
	})
	refs := []release.Values{{Text: []byte("correcthorse"), TargetPath: "plain", Secrecy: redact.HoldsSecret}}
	_, err := renderRelease(t, parseRelease(t, ""), release.Chart{Path: chart}, refs, render.Request{})
	if err == nil || strings.Contains(err.Error(), "correcthorse") || !strings.Contains(err.Error(), "here") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNullInAChartsValuesIsLeftOutAsHelm4Does(t *testing.T) {
	t.Parallel()
	// What helm 4.2.4 template prints for this chart and these values.
	const want = `{"both":{"a":null},"mine":null,"set":1,"sub":{"global":{}},"table":{"kept":1,"user":null}}`
	chart := map[string]string{
		"Chart.yaml":            "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: sub}]\n",
		"values.yaml":           "top: null\nset: null\nuser: null\ntable: {kept: 1, gone: null, user: null}\nboth: {a: null}\nsub: {below: null}\n",
		"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "charts/sub/values.yaml": "own: null\n",
		"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {values: {{ toJson .Values | quote }}}\n",
	}
	out := mustRender(t, "values: {set: 1, user: null, mine: null, table: {user: null}, both: {a: null}}\n", chart)
	if got := objectsOf(t, out.Text)["ConfigMap a"]["data"].(map[string]any)["values"]; got != want {
		t.Errorf("templates see %s", got)
	}
}

func TestAHintOfAValueThatCannotBeSetNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a[", "x", "Correct its targetPath"},
		{"a", "{x", `Set "literal: true"`},
	} {
		v := release.Values{Text: []byte(c.text), TargetPath: c.path, From: "ConfigMap a/b"}
		_, err := release.Request(parseRelease(t, ""), release.Chart{}, []release.Values{v}, render.Request{}, nil)
		var e *diag.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Hint, c.want) {
			t.Errorf("%s of %s: %v", c.path, c.text, err)
		}
	}
}
