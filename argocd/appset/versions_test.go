package appset_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

func TestNewGeneratorsAndTheirFieldsAreReported(t *testing.T) {
	kinds := map[string]bool{}
	for _, fact := range versionstest.Newer() {
		path, ok := strings.CutPrefix(fact.Text, "field ApplicationSet generators[].")
		if !ok {
			if strings.HasPrefix(fact.Text, "field ApplicationSet ") {
				t.Errorf("%s has a field that no test knows: %s", fact.Version, fact.Text)
			}
			continue
		}
		kind, _, _ := strings.Cut(path, ".")
		kinds[kind] = true
	}
	if !kinds["oci"] || len(kinds) < 2 {
		t.Errorf("listed are %v", kinds)
	}
	for kind := range kinds {
		_, err := makes(t, &appset.Surroundings{}, set("  - "+kind+": {repoURL: 'oci://r/x'}", "id", "p", "d"))
		if err == nil || !strings.Contains(err.Error(), kind+": this generator asks ") {
			t.Errorf("%s: got %v, want that it is named as one that cannot be resolved", kind, err)
		}
	}
}
