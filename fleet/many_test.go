package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// source is applications whose manifests are known; one without any cannot be made.
type source map[string]string

func (s source) Names(context.Context) (names []string, err error) {
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (s source) Application(_ context.Context, name string) (*app.Application, error) {
	if s[name] == "" {
		return nil, fmt.Errorf("there is no %s", name)
	}
	return app.New(app.Spec{Name: name, Stream: &render.Output{Kind: render.KindPlain, Text: []byte(s[name])}}), nil
}

func TestRunPassesOnTheResultsOfThoseThatDoNotFail(t *testing.T) {
	from := source{"a": "kind: A\n", "b": "", "c": "---\nkind: C"}
	names, _ := from.Names(t.Context())
	outcomes := make([]fleet.Outcome, len(names))
	errs := fleet.Run(
		t.Context(),
		from,
		names,
		func(_ context.Context, i int, a *app.Application, r *pipeline.Result) error {
			outcomes[i] = fleet.OutcomeOf(a, r)
			return nil
		},
		nil,
	)
	if err := fleet.Join(names, errs); err == nil || err.Error() != "b: there is no b" {
		t.Errorf("the error is %v", err)
	}
	if outcomes[0].Name != "a" || outcomes[1].Result != nil || outcomes[2].Name != "c" {
		t.Errorf("the outcomes are %+v", outcomes)
	}
	var out strings.Builder
	for range 2 {
		if _, err := fleet.Sequence([]fleet.Outcome{outcomes[2], outcomes[0], outcomes[0]}).WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), "---\nkind: C\n---\nkind: A\n---\nkind: A\n"; got != want {
			t.Errorf("they are written as %q, want %q", got, want)
		}
		out.Reset()
	}
}

func TestAnErrorThatManyApplicationsHaveAlikeIsThereOnce(t *testing.T) {
	shared := func() error { return diag.Input(diag.Position{File: "f", Line: 2}, errors.New("no"), "Mend it.") }
	names := []string{"a", "b", "c", "d", "e"}
	two := diag.Input(diag.Position{}, errors.New("two have it"), "")
	err := fleet.Join(names, []error{shared(), errors.Join(shared(), two), nil, two, shared()})
	const want = "a and 2 more applications: f:2: no\nb: two have it\nd: two have it"
	if err.Error() != want || diag.ExitOf(err) != diag.ExitInput || diag.HintOf(diag.Unjoin(err)[0]) != "Mend it." {
		t.Errorf("got %v", err)
	}
}

func TestFindingsOfSeveralApplicationsNameThem(t *testing.T) {
	of := func(name string, findings ...diag.Finding) fleet.Outcome {
		return fleet.Outcome{Name: name, Findings: findings}
	}
	one := diag.New(diag.NoObjects, "", "nothing")
	all := func(diag.Finding) bool { return true }
	if got := fleet.Findings(t.Context(), []fleet.Outcome{of("a", one)}, all); len(got) != 1 || got[0].File != "" {
		t.Errorf("of one application: %+v", got)
	}
	got := fleet.Findings(t.Context(), []fleet.Outcome{of("b", one, one), of("a", one)}, all)
	if len(got) != 2 || got[0].File != "a" || got[1].File != "b" {
		t.Errorf("of two, each once and in order: %+v", got)
	}
}

func TestTheShardsOfARunAreAllOfItAndStayAsTheyAreWhenOthersCome(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("apps/%d", i))
	}
	var all, before []string
	for i := range 3 {
		var shard fleet.Shard
		if err := shard.Set(fmt.Sprintf("%d/3", i+1)); err != nil {
			t.Fatal(err)
		}
		part := shard.Select(names)
		all = append(all, part...)
		before = append(before, shard.Select(names[:20])...)
		for _, name := range shard.Select(names[:20]) {
			if !slices.Contains(part, name) {
				t.Errorf("%s leaves %s", name, &shard)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(names)
	if !slices.Equal(all, names) || len(before) != 20 {
		t.Errorf("the shards are %q", all)
	}
	for _, text := range []string{"0/3", "4/3", "1", "1/3/5", "a/b"} {
		if err := new(fleet.Shard).Set(text); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%q is taken: %v", text, err)
		}
	}
}

func TestAnApplicationKnowsTheFileItsManifestsGoTo(t *testing.T) {
	from := source{"apps/web": "kind: A\n"}
	names, _ := from.Names(t.Context())
	into, err := fleet.Folders.IntoFiles(from, "out", names)
	if err != nil {
		t.Fatal(err)
	}
	a, err := into.Application(t.Context(), "apps/web")
	if err != nil || a.File() != filepath.Join("out", "apps", "web", "manifests.yaml") {
		t.Errorf("it goes to %q, %v", a.File(), err)
	}
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	result, err := pipeline.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text           string
		stale, missing bool
	}{{"", true, true}, {"kind: B\n", true, false}, {"kind: A\n", false, false}} {
		if c.text != "" {
			write(t, file, c.text)
		}
		stale, err := fleet.CompareFile(t.Context(), a.WithFile(file), result)
		if err != nil || (stale != nil) != c.stale || stale != nil && stale.Missing != c.missing {
			t.Errorf("with %q: %+v, %v", c.text, stale, err)
		}
	}
}
