package lint

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

func TestEachFieldOfASourceInNewerVersionsIsKnown(t *testing.T) {
	for _, fact := range versionstest.Newer() {
		_, path, ok := strings.Cut(fact.Text, "field Application source.")
		if name, _, _ := strings.Cut(path, "."); ok && sourceShape.fields[name] == nil {
			t.Errorf("%s has %s, which is reported as no field", fact.Version, path)
		}
	}
}
