package main

import (
	"io"
	"log"
	"net/http/httptest"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestStoriesWithARegistry runs stories that publish to a real registry in the test's process.
func TestStoriesWithARegistry(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/registry",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "unpack": unpack},
		Setup: func(e *testscript.Env) error {
			s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
			e.Defer(s.Close)
			e.Setenv("REGISTRY", s.Listener.Addr().String())
			e.Setenv("DOCKER_CONFIG", e.WorkDir)
			return nil
		},
	})
}
