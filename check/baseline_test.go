package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

func TestABaselineKnowsAFindingWhereverItsLineMoves(t *testing.T) {
	one := diag.New(diag.LockUnused, "Secret a", "this").At(diag.Position{File: "a.yaml", Line: 3})
	path := filepath.Join(t.TempDir(), "baseline.json")
	if _, err := fleet.WriteFile(path, check.NewBaseline([]diag.Finding{one})); err != nil {
		t.Fatal(err)
	}
	b, err := check.ReadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	moved, elsewhere, other := one, one, one
	moved.Line, moved.Severity = 9, diag.Info
	elsewhere.File = "b.yaml"
	other.Message = "that"
	if !b.Holds(one) || !b.Holds(moved) || b.Holds(elsewhere) || b.Holds(other) {
		t.Errorf("it holds the same %v, moved %v, in another file %v, another %v", b.Holds(one), b.Holds(moved),
			b.Holds(elsewhere), b.Holds(other))
	}
}

func TestWhatIsNoBaselineIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	for _, text := range []string{"", "[]", `{"schema": 2, "findings": []}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := check.ReadBaseline(path); diag.ExitOf(err) != diag.ExitUsage || diag.HintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := check.ReadBaseline(path + ".none"); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("a file that is not there: %v", err)
	}
}
