package order

import (
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

// corners are documents at the edges of what is read fast, and of what helm takes at all.
var corners = []string{
	"kind: ConfigMap\nmetadata:\n  name: a\n", "kind: 7\nmetadata: {name: 8}", "kind: null", "kind:", "kind: [a]", "kind: ConfigMap\nkind: Pod",
	"Kind: Pod", "KIND: Pod\nkind: Secret", "\u212aind: Pod", "metadata: null", "metadata: text", "metadata:\n- a", "metadata:\n  name: {a: b}",
	"metadata:\n  annotations: text", "metadata:\n  annotations: {a: 1, b: null, c: true, d: 1.5}", "metadata:\n  annotations: {a: [b]}",
	"metadata:\n  Annotations: {helm.sh/hook: test}", "metadata:\n  annotations:\n    helm.sh/hook: test\n    helm.sh/hook: post-install",
	"metadata:\n  annotations: {helm.sh/hook: 5}", "metadata:\n  annotations: {helm.sh/hook: null}", "metadata:\n  annotations:\n    helm.sh/hook: >-\n      test,\n      pre-install",
	"metadata:\n  annotations: {\"helm.sh/hook\": 'pre-install'}", "apiVersion: {a: b}", "apiVersion: 1", "null: a", "~: a", "a: {null: b}", "a: {~ : b}", "nullable: true",
	"a: .inf", "a: -.INF", "a: .nan", "a: [.NaN]", "a: x.info", "18446744073709551615: a", "1.5: a", "true: a", "2001-01-01: a", "? a\n: b", "? [a]\n: b", "[a]: b",
	"a: &x b\nc: *x", "a: *x", "!!map\nkind: Pod", "# nothing", "", "text", "- a", "5", "\"kind: Pod\"", "{\"kind\": \"Pod\"}", "{\"kind\": \"Pod\",}", "kind: Pod\n...\n: [",
	"%YAML 1.1", "kind: \"Con\\x66igMap\"", "kind: |\n  Pod", "kind: Pod # comment", "kind: Pod\r\nmetadata:\r\n  name: a\r\n", "kind:\tPod", "\tkind: Pod",
	"kind: Pod\n bad", "kind: Pod\nmetadata:\n name: a\n  x: y", "a: 'open", "a: {open", "a: 1e400", "a: 0x1F", "a: \x01", "a: \xff", "<<: {kind: Pod}",
	"metadata: {<<: {name: a}}", "---\nkind: Pod", "a: b\n---x", "metadata:\n  name:\n  annotations:\n", "kind: y", "kind: on", "kind: 1_000", "a: 'b'\n--- ", "=: a", "a: =",
}

// streams returns documents of real streams, where a developer has some at hand.
func streams(t testing.TB) []string {
	var docs []string
	for _, pattern := range filepath.SplitList(os.Getenv("ROLLSTAMP_TEST_STREAMS")) {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			Split(string(text), func(doc string) { docs = append(docs, doc) })
		}
	}
	return docs
}

// sameHead holds the reading of a document against helm's.
func sameHead(t testing.TB, doc string) {
	t.Helper()
	got := []Document{{Template: "c/templates/t.yaml", Text: doc}}
	err := readHeads(got)
	want, wantErr := slowHead(doc)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: error %v, helm's %v", doc, err, wantErr)
	}
	if err == nil && got[0].Head != want {
		t.Fatalf("%q: %+v, helm's %+v", doc, got[0].Head, want)
	}
}

func TestHeadsAreReadAsHelmReadsThem(t *testing.T) {
	for _, doc := range append(corners, streams(t)...) {
		sameHead(t, strings.TrimSpace(doc))
	}
}

func FuzzHeadsAreReadAsHelmReadsThem(f *testing.F) {
	for _, doc := range append(corners, streams(f)...) {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) { sameHead(t, strings.TrimSpace(doc)) })
}

func FuzzTextIsSplitAsHelmSplitsIt(f *testing.F) {
	for _, text := range []string{"", "a", "---", "---\n---\na", "a\n---b\n ---\nc", "a \n\n---\t\n\nb\u00a0\n---\n\u00a0\n---\n\v\n", "--- a\n----", "a\n--\n---\r\nb\r\n---", "\u2003---\na"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := releaseutil.SplitManifests(text)
		keys := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
			if (releaseutil.BySplitManifestsOrder{a, b}).Less(0, 1) {
				return -1
			}
			return 1
		})
		var got, want []string
		Split(text, func(doc string) { got = append(got, doc) })
		for _, k := range keys {
			want = append(want, parts[k])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, helm's %q", text, got, want)
		}
	})
}

func TestDocumentsAreOrderedAsHelmOrdersThem(t *testing.T) {
	log.SetOutput(io.Discard) // helm's sorter speaks of unknown hooks
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	kinds := append(slices.Clone(releaseutil.InstallOrder), "Zebra", "Aardvark", "configmap", "", "List")
	hooks := []string{"", "", "", "pre-install", "test", " Test , post-delete", "before-lunch", "pre-install,before-lunch"}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		files := map[string]string{}
		for i := range 60 {
			doc := fmt.Sprintf("kind: %s\nmetadata:\n  name: n%d\n", kinds[r.IntN(len(kinds))], i)
			if h := hooks[r.IntN(len(hooks))]; h != "" {
				doc += fmt.Sprintf("  annotations:\n    helm.sh/hook: %q\n", h)
			}
			files[fmt.Sprintf("c/templates/%s%d.yaml", []string{"", "_", "sub/"}[r.IntN(3)], r.IntN(20))] += "---\n" + doc
		}
		got, err := Sort(maps.Clone(files), Helm3())
		if err != nil {
			t.Fatal(err)
		}
		wantHooks, want, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Manifests) != len(want) || len(got.Hooks) != len(wantHooks) {
			t.Fatalf("seed %d: %d manifests and %d hooks, helm's %d and %d", seed, len(got.Manifests), len(got.Hooks), len(want), len(wantHooks))
		}
		for i, w := range want {
			if d := got.Manifests[i]; d.Template != w.Name || d.Text != w.Content {
				t.Fatalf("seed %d: manifest %d is %s %q, helm's %s %q", seed, i, d.Template, d.Text, w.Name, w.Content)
			}
		}
		for i, w := range wantHooks {
			d := got.Hooks[i]
			if d.Template != w.Path || d.Text != w.Manifest ||
				d.Head.IsTest() != slices.Contains(w.Events, helmrelease.HookTest) {
				t.Fatalf("seed %d: hook %d is %s %q, helm's %s %q", seed, i, d.Template, d.Text, w.Path, w.Manifest)
			}
		}
	}
}

func TestHelm4SplitsAtLinesAndKeepsTheirEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		" \n---\n\n--- \t\n":    nil,
		"---\na: |\n  b\n\n---": {"a: |\n  b\n\n"},
		"a\n---b\n ---\nc":      {"a\n", "b\n ---\nc"},
		"---a: 1\r\n---\r\nb":   {"a: 1\r\n", "b"},
		"\u2003---  ---\n\n  a": {"---\n\n  a"},
		"a\n----\nb":            {"a\n", "-\nb"},
		"a\n---\n---\n\u00a0\n": {"a\n"},
	} {
		var got []string
		SplitLines(text, func(doc string) { got = append(got, doc) })
		if !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
	}
}

func TestABlockScalarAtTheEndHoldsWhatItHoldsInTheTemplate(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1":                                "a: 1",
		"a: 1\n\n \n":                         "a: 1",
		"a: |\n  b\n":                         "a: |\n  b",
		"a: |\n  b":                           "a: |-\n  b",
		"d:\n  a: |+2 # x\n      b  ":         "d:\n  a: |2- # x\n      b  ",
		"d:\n- a: !!str >-\n    b":            "d:\n- a: !!str >-\n    b",
		"- |\n  b":                            "- |-\n  b",
		"a: |+\n  b\n\n\n":                    "a: |+\n  b\n\n",
		"a: |\n  b\n   \n":                    "a: |\n  b\n   ",
		"a: |\n  b: |\n    c":                 "a: |-\n  b: |\n    c",
		"a: |\n  b\nc: d":                     "a: |\n  b\nc: d",
		"a: |\n  b\nc:\n  d: e |\n  f: g\n\n": "a: |\n  b\nc:\n  d: e |\n  f: g",
	} {
		var got []string
		SplitExact("---\n"+text, func(doc string) { got = append(got, doc) })
		if len(got) != 1 || got[0] != want {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
		var before, after any
		if yaml.Unmarshal([]byte(text), &before) != nil || yaml.Unmarshal([]byte(want+"\n"), &after) != nil ||
			!reflect.DeepEqual(before, after) {
			t.Errorf("%q is %v, and printed %v", text, before, after)
		}
	}
}
