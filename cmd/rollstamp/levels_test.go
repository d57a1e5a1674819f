//go:build levelproof

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLevels runs the stories of a program with a kind, a position and a producer of level 2:
// go test -tags levelproof -run TestLevels ./cmd/rollstamp.
func TestLevels(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/levels", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}
