package main

import (
	"strings"
	"testing"
)

func TestTextsAreEqualOnlyByteForByte(t *testing.T) {
	const text = "a: 1\nb: 2\n"
	for other, want := range map[string]string{
		text:             "",
		"a: 1\nb: 3\n":   "line 2",
		"a: 1\n":         "line 2",
		text + "c: 3\n":  "line 3",
		"a: 1\nb: 2":     "line 2",
		"a: 1\r\nb: 2\n": "line 1",
		"":               "line 1",
	} {
		err := equal(strings.NewReader(text), strings.NewReader(other))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", other, err, want)
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
metadata: {annotations: null}
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
	if objects, differ, err := compareObjects(strings.NewReader(theirs), strings.NewReader(ours)); objects != 2 ||
		differ != 0 ||
		err != nil {
		t.Errorf("%d objects, %d differ, %v", objects, differ, err)
	}
	for _, change := range []string{`a: '2'`, `a: 1`, `b: '1'`} {
		_, differ, err := compareObjects(strings.NewReader(strings.Replace(theirs, `a: '1'`, change, 1)), strings.NewReader(ours))
		if differ != 1 || err != nil {
			t.Errorf("%s makes no difference: %v", change, err)
		}
	}
	if _, _, err := compareObjects(strings.NewReader(theirs+"---\nkind: More\n"), strings.NewReader(ours)); err == nil {
		t.Error("one more object makes no difference")
	}
}

func TestTheMedianOfTheQuotientsIsTakenRunByRun(t *testing.T) {
	p := pair{theirs: []usage{{cpu: 100}, {cpu: 1000}, {cpu: 10}}, ours: []usage{{cpu: 50}, {cpu: 500}, {cpu: 9}}}
	if _, _, q := p.medians(cpu); q != 0.5 {
		t.Errorf("the quotient is %v", q)
	}
}

func TestWhatStartUpCostsIsTakenFromEachSide(t *testing.T) {
	p := pair{theirs: []usage{{cpu: 110}}, ours: []usage{{cpu: 30}}}
	idle := pair{theirs: []usage{{cpu: 10}, {cpu: 9}, {cpu: 90}}, ours: []usage{{cpu: 20}}}
	if _, _, q := p.beyond(idle).medians(cpu); q != 0.1 {
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
