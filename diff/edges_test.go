package diff_test

import (
	"strings"
	"testing"
)

func TestATextThatBecomesANumberIsShownInQuotes(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: \"1\"}\n"
	c := compare(t, config, strings.Replace(config, `"1"`, "1", 1))
	if f := c.Objects[0].Fields[0]; f.From != `"1"` || f.To != "1" {
		t.Errorf("%s -> %s", f.From, f.To)
	}
}

func TestOnlyWhatRestartsIsAnEdgeThatRestarts(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
	pod := deployment("", ", envFrom: [{configMapRef: {name: c}}]", "")
	for text, want := range map[string]bool{pod: true, strings.Replace(pod, "spec: {", "spec: {replicas: 0, ", 1): false} {
		c := compare(t, config+text, strings.Replace(config, "a: b", "a: c", 1)+text)
		if len(c.Edges) != 1 || !c.Edges[0].Changed || c.Edges[0].Restarts != want {
			t.Errorf("want %v: %+v", want, c.Edges)
		}
	}
}

func TestAnEdgeFromWhatIsGoneOrNewIsAChange(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
	pod := deployment("", ", envFrom: [{configMapRef: {name: c}}]", "")
	for _, sides := range [][2]string{{config + pod, pod}, {pod, config + pod}} {
		c := compare(t, sides[0], sides[1])
		if len(c.Edges) != 1 || !c.Edges[0].Changed || !c.Edges[0].Restarts {
			t.Errorf("%+v", c.Edges)
		}
	}
	if c := compare(t, pod, strings.Replace(pod, "name: c}", "name: c, optional: true}", 1)); c.Edges[0].Changed {
		t.Errorf("%+v", c.Edges)
	}
}
