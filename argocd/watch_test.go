package argocd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// watched watches a text while it is stamped.
func watched(text string, limits Limits) ([]diag.Finding, error) {
	out := &render.Output{Text: []byte(text), Origins: []render.Origin{{Offset: 0, File: "a.yaml", Line: 1}}}
	w := NewWatch(limits)
	if _, err := stamp.Make(context.Background(), out, stamp.Options{Watch: w.Document}); err != nil {
		return nil, err
	}
	return w.Finish(out, len(text))
}

func TestWatchRefusesWhatArgoCDWouldRefuseOrReadAsNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "the render holds no object",
		"---\n# nothing\n---\nnull\n": "the render holds no object",
		"apiVersion: v1\nkind: List\nitems: []\n":     "the render holds no object",
		"kind: A\n---\n- hunter2\n":                   "a.yaml:3: the render holds a document that is no mapping",
		"kind: A\n---\nhunter2\n":                     "a.yaml:3: the render holds a document that is no mapping",
		"apiVersion: v1\nmetadata: {name: hunter2}\n": "a.yaml:1: the render holds an object without a kind",
		"kind: ''\n": "a.yaml:1: the render holds an object without a kind",
		"kind: List\nitems:\n- metadata: {name: hunter2}\n":        "a.yaml:3: the render holds an object without a kind",
		"kind: List\nitems:\n- hunter2\n":                          "List holds an item that is no object",
		"{\"kind\": \"A\"}\n---\n[\"hunter2\"]\n":                  "a.yaml:3: the render holds a document that is no mapping",
		"kind: A\nmetadata: {name: x}\n---\nkind: 'unclosed\n":     "parse YAML",
		"kind: ConfigMapList\nitems:\n- {kind: '', data: {}}\n- 1": "ConfigMapList holds an item that is no object",
	} {
		_, err := watched(text, Limits{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") ||
			diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := NewWatch(Limits{}).Finish(&render.Output{}, MaxOutput+1); err == nil ||
		!strings.Contains(err.Error(), "100 MiB, and Argo CD takes 100") {
		t.Errorf("too large: %v", err)
	}
}

func TestWatchAcceptsWhatArgoCDAccepts(t *testing.T) {
	for _, text := range []string{
		"kind: A\n", "---\n---\nkind: A\n---\n", `{"apiVersion":"v1","kind":"A"}`, "null\n---\nkind: A\n",
		"apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n", "kind: A\nmetadata: {generateName: a-}\n---\nkind: A\nmetadata: {generateName: a-}\n",
	} {
		if found, err := watched(text, Limits{}); err != nil || found != nil {
			t.Errorf("%q: %v, %v", text, found, err)
		}
	}
	if _, err := watched("", Limits{AllowEmpty: true}); err != nil {
		t.Errorf("empty, and allowed: %v", err)
	}
}

func TestObjectThatComesTwiceIsAFindingOrAnError(t *testing.T) {
	object := func(group, kind, namespace, name string) string {
		return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s}\n", group, kind, name,
			namespace)
	}
	once := object("v1", "A", "n", "x")
	for other, twice := range map[string]bool{
		once: true, object("v2", "A", "n", "x"): true, object("g/v1", "A", "n", "x"): false, object("v1", "B", "n",
			"x"): false,
		object("v1", "A", "m", "x"): false, object("v1", "A", "n", "y"): false, object("v1", "A", `""`, "x"): true,
	} {
		found, err := watched(once+other, Limits{Namespace: "n"})
		if err != nil || (len(found) == 1) != twice {
			t.Errorf("%q: %v, %v", other, found, err)
		}
		if twice && (found[0].Code != diag.DuplicateObject || found[0].Line != 6) {
			t.Errorf("%+v", found[0])
		}
		if _, err := watched(once+other, Limits{Namespace: "n", RefuseDuplicates: true}); (err != nil) != twice {
			t.Errorf("refused: %q: %v", other, err)
		}
	}
}

func TestAConditionKeepsHowAProcessEnded(t *testing.T) {
	want := &workers.Ended{Cause: workers.StackOverflow}
	err := Build{}.Condition(diag.Input(diag.Position{File: "web"}, fmt.Errorf("render: %w", want), "Look."))
	var got *workers.Ended
	if !errors.As(err, &got) || got != want || diag.HintOf(err) != "Look." || diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("got %v", err)
	}
}

func TestConditionsAreShortAndShowNoPathOfTheServer(t *testing.T) {
	b := Build{Root: "/tmp/x/_cmp_server/0f", Dir: "/tmp/x/_cmp_server/0f/apps/web"}
	many := make([]error, 200)
	for i := range many {
		many[i] = diag.Input(diag.Position{File: b.Dir + "/a.yaml", Line: i},
			errors.New("trouble in "+b.Root+"/b.yaml and in "+b.Root+": ü"), "Look at "+b.Root+"/c.")
	}
	err := b.Condition(errors.Join(many...))
	text := err.Error()
	if !strings.HasPrefix(text, "apps/web/a.yaml: trouble in b.yaml and in .: ü\napps/web/a.yaml:1: ") ||
		strings.Contains(text, "_cmp_server") {
		t.Errorf("got %.300s", text)
	}
	if size := len(text) + len(diag.HintOf(err)); size > 2000 || size < 1500 {
		t.Errorf("%d bytes", size)
	}
	if diag.HintOf(err) != "Look at c." || diag.ExitOf(err) != diag.ExitInput || b.Condition(nil) != nil {
		t.Errorf("hint %q, exit %d", diag.HintOf(err), diag.ExitOf(err))
	}
}
