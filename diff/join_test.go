package diff_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diff"
)

func TestPartsAreJoinedWhereTheyAreAllPartsOfOneRun(t *testing.T) {
	part := func(n, of int, change func(*diff.Comparison)) *diff.Comparison {
		c := &diff.Comparison{Schema: diff.Schema, From: "a", To: "b", Commits: &diff.Commits{From: "1", To: "2"},
			Shard: &diff.Shard{Number: n, Of: of}, Apps: []diff.AppChange{{Name: strings.Repeat("x", n)}},
			Unknown: []diff.Unknown{{Reason: diff.Unread, File: "both"}, {Reason: diff.Unread, File: strings.Repeat("y", n)}}}
		if change != nil {
			change(c)
		}
		return c
	}
	all, err := diff.Join([]*diff.Comparison{part(2, 2, nil), part(1, 2, nil)})
	if err != nil || all.Shard != nil || len(all.Apps) != 2 || all.Apps[0].Name != "x" {
		t.Errorf("%+v, %v", all, err)
	}
	if len(all.Unknown) != 1 || all.Unknown[0].File != "both" {
		t.Errorf("a file that one part reads is not known to the whole: %+v", all.Unknown)
	}
	for want, parts := range map[string][]*diff.Comparison{
		"1 of 2 parts are missing: 2/2": {part(1, 2, nil)},
		"2 of 3 parts are missing: 1/3": {part(2, 3, nil)},
		"is a part of 2, another of 3":  {part(1, 2, nil), part(2, 3, nil)},
		"part 1/2 is there twice":       {part(1, 2, nil), part(1, 2, func(c *diff.Comparison) { c.Apps[0].Name = "z" })},
		"application x is in two of":    {part(1, 2, nil), part(1, 2, nil)},
		"one is of the commits 1..2, another of 1..3": {part(1, 2, nil),
			part(2, 2, func(c *diff.Comparison) { c.Commits.To = "3" })},
		"one is of the commits 1..worktree at 3, another of 1..worktree at 3 (modified)": {
			part(1, 2, func(c *diff.Comparison) { c.Commits = &diff.Commits{From: "1", Head: "3"} }),
			part(2, 2, func(c *diff.Comparison) { c.Commits = &diff.Commits{From: "1", Head: "3", Modified: true} })},
		"another of 1..worktree at 3 (modified: b2)": {
			part(1, 2, func(c *diff.Comparison) {
				c.Commits = &diff.Commits{From: "1", Head: "3", Modified: true, Changes: "a1"}
			}),
			part(2, 2, func(c *diff.Comparison) {
				c.Commits = &diff.Commits{From: "1", Head: "3", Modified: true, Changes: "b2"}
			})},
		"one is of a and b, another of a and c": {part(1, 2, nil), part(2, 2, func(c *diff.Comparison) { c.To = "c" })},
		"one is a part of apps/*, another of apps/a apps/b": {
			part(1, 2, func(c *diff.Comparison) { c.Paths = []string{"apps/*"} }),
			part(2, 2, func(c *diff.Comparison) { c.Paths = []string{"apps/a", "apps/b"} })},
		"one was made by rollstamp 1.0.0, another by a build": {
			part(1, 2, func(c *diff.Comparison) { c.Shard.Release = "1.0.0" }), part(2, 2, nil)},
		"parts are missing": {part(1, 1<<30, nil)},
		"there is none":     nil,
	} {
		if _, err := diff.Join(parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestAnObjectThatMovesToAnotherApplicationIsNotGone(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: n}\ndata: {a: b}\n---\n"
	pod := strings.Replace(deployment("", ", envFrom: [{configMapRef: {name: c}}]", ""), "{name: d}", "{name: d, namespace: n}", 1)
	apps := func(first, second string) diff.Side {
		a, b := side(t, "x", first), side(t, "x", second)
		b.Apps[0].Name = "other"
		return diff.Side{Label: "x", Apps: append(a.Apps, b.Apps...)}
	}
	const other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\n"
	for _, c := range []struct {
		to   diff.Side
		want int
	}{{apps(pod, other), 1}, {apps(pod, config+other), 0}} {
		got, err := diff.Compare(apps(config+pod, other), c.to)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Blocked) != c.want || c.want == 1 && got.Blocked[0].Reason != diff.Gone {
			t.Errorf("%+v, want %d", got.Blocked, c.want)
		}
	}
}
