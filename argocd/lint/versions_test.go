package lint

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

func TestEachFieldInNewerVersionsIsKnown(t *testing.T) {
	checked := 0
	for _, fact := range versionstest.Newer() {
		field, ok := strings.CutPrefix(fact.Text, "field ")
		if !ok {
			continue
		}
		kind, path, _ := strings.Cut(field, " ")
		at := fieldShapes()[kind].fields["spec"]
		for name := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ""), ".") {
			if at.fields[name] == nil {
				t.Errorf("%s has %s of %s, which is reported as no field", fact.Version, path, kind)
				break
			}
			at = at.field(name)
		}
		checked++
	}
	if checked < 50 {
		t.Errorf("only %d fields are listed", checked)
	}
}
