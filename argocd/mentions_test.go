package argocd_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
)

func TestAMessageMentionsWholeWords(t *testing.T) {
	const pointer = "/spec/template/metadata/annotations"
	for _, c := range []struct {
		message, text string
		want          bool
	}{
		{pointer + "X: no", pointer, false}, {pointer + ": no", pointer, true}, {pointer + "X and " + pointer, pointer, true},
		{"web/values.yaml: no such file", "values.yaml", true}, {"web/my-values.yaml: no such file", "values.yaml", false},
		{"values.yaml", "values.yaml", true}, {"\"values.yaml\"", "values.yaml", true}, {"x", "y", false},
	} {
		if got := argocd.Mentions(c.message, c.text); got != c.want {
			t.Errorf("%s in %s: %v", c.text, c.message, got)
		}
	}
}
