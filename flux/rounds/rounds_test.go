package rounds_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/rounds"
)

func TestTwoFoldersOfOneSourceAreRefused(t *testing.T) {
	name := "GitRepository/flux-system/apps="
	o := rounds.Options{Root: t.TempDir(), Sources: []string{name + t.TempDir(), name + t.TempDir()}}
	_, err := rounds.NewSource(o, nil, nil, nil)
	if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(err.Error(), "--source names GitRepository/flux-system/apps twice") {
		t.Errorf("two folders of one source: %v; want a usage error", err)
	}
}
