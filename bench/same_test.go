package main

import (
	"strings"
	"testing"
)

const bare = `metadata:
  annotations:
    a: b
spec:
  template:
    spec: {}
`

func TestOutputsAreEqualLessTheStamps(t *testing.T) {
	const stamp = "checksum.rollstamp.dev/secret.x: v1-0123456789abcdef\n"
	cases := []struct {
		name, ours string
		stamped    bool
		want       string
	}{
		{"the same text", bare, false, ""},
		{"the same text, nothing stamped", bare, true, ""},
		{"a stamp beside an annotation", strings.Replace(bare, "    a: b", "    "+stamp+"    a: b", 1), true, ""},
		{"a stamp with what it stands in", strings.Replace(bare, "    spec: {}", "    metadata:\n      annotations:\n        "+stamp+"    spec: {}", 1), true, ""},
		{"a stamp where none may be", strings.Replace(bare, "    a: b", "    "+stamp+"    a: b", 1), false, "line 3"},
		{"another value", strings.Replace(bare, "a: b", "a: c", 1), true, "line 3"},
		{"a lost line", strings.Replace(bare, "    a: b\n", "", 1), true, "line 3"},
		{"an added line", bare + "more: 1\n", true, "line 7"},
		{"an annotation of somebody else", strings.Replace(bare, "    spec: {}", "    metadata:\n      annotations:\n        x: y\n    spec: {}", 1), true, "line 6"},
	}
	for _, c := range cases {
		err := equal(strings.NewReader(bare), strings.NewReader(c.ours), c.stamped)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestObjectsAreEqualWhateverTheirStyle(t *testing.T) {
	const ours = `# a comment
kind: Deployment
spec: {template: {metadata: {annotations: {checksum.rollstamp.dev/configmap.x: v1-1}}, n: 1}}
---
---
kind: ConfigMap
data: {a: "1"}
`
	const theirs = `kind: Deployment
spec:
  template:
    n: 1
    metadata:
      annotations:
        bench.rollstamp.dev/kio: 'set'
---
data:
  a: '1'
kind: ConfigMap
`
	if n, err := equalObjects(strings.NewReader(theirs), strings.NewReader(ours)); err != nil || n != 2 {
		t.Errorf("%d objects, %v", n, err)
	}
	for _, change := range []string{`a: '2'`, `a: 1`, `b: '1'`} {
		if _, err := equalObjects(strings.NewReader(strings.Replace(theirs, `a: '1'`, change, 1)), strings.NewReader(ours)); err == nil {
			t.Errorf("%s makes no difference", change)
		}
	}
	if _, err := equalObjects(strings.NewReader(theirs+"---\nkind: More\n"), strings.NewReader(ours)); err == nil {
		t.Error("one more object makes no difference")
	}
}

func TestTheMedianOfTheQuotientsIsTakenRunByRun(t *testing.T) {
	p := pair{theirs: []usage{{cpu: 100}, {cpu: 1000}, {cpu: 10}}, ours: []usage{{cpu: 50}, {cpu: 500}, {cpu: 9}}}
	if _, _, q := p.medians(cpu); q != 0.5 {
		t.Errorf("the quotient is %v", q)
	}
}

func TestGoalsAreJudgedInTheirOwnDirection(t *testing.T) {
	cases := []struct {
		g    goal
		q    float64
		want string
	}{
		{atMost(0.4, 0.25), 0.41, "no"},
		{atMost(0.4, 0.25), 0.40, "yes"},
		{atMost(0.4, 0.25), 0.2, "stretch"},
		{timesLess(35, 60), 1. / 34, "no"},
		{timesLess(35, 60), 1. / 36, "yes"},
		{timesLess(35, 60), 1. / 61, "stretch"},
		{timesLess(35, 0), 1. / 100, "yes"},
		{goal{}, 0.5, ""},
	}
	for _, c := range cases {
		if got := c.g.verdict(c.q); got != c.want {
			t.Errorf("%v against %v: %q, want %q", c.q, c.g, got, c.want)
		}
	}
}
