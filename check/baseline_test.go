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
	moved, reworded, generated := one, one, one
	moved.Line, moved.Severity = 9, diag.Info
	reworded.Message = "that"
	generated.Object = "Secret a-2456789bcd"
	for what, f := range map[string]diag.Finding{"the same": one, "moved": moved, "in other words": reworded, "with a generated suffix": generated} {
		if left := b.New([]diag.Finding{f}); len(left) != 0 {
			t.Errorf("%s it is new", what)
		}
	}
	elsewhere, object, key, about := one, one, one, one
	elsewhere.File, object.Object, key.Key, about.About = "b.yaml", "Secret a-b", "k", "ConfigMap c"
	for what, f := range map[string]diag.Finding{"in another file": elsewhere, "of another object": object, "of another key": key, "about another": about} {
		if left := b.New([]diag.Finding{f}); len(left) != 1 {
			t.Errorf("%s it is known", what)
		}
	}
	if left := b.New([]diag.Finding{one, reworded}); len(left) != 1 || left[0] != reworded {
		t.Errorf("a second one: %v", left)
	}
}

func TestWhatIsNoBaselineIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	for _, text := range []string{"", "[]", `{"schema": 1, "findings": []}`} {
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
