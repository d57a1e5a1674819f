package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
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
			unwilling := httptest.NewServer(unwilling(s.Config.Handler))
			e.Defer(unwilling.Close)
			e.Setenv("UNWILLING", unwilling.Listener.Addr().String())
			e.Setenv("DOCKER_CONFIG", e.WorkDir)
			return nil
		},
	})
}

// unwilling stands in front of a registry and takes no manifest; why says the name of the repository.
func unwilling(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.Split(r.URL.Path, "/")
		if len(path) < 4 || r.Method != http.MethodPut || path[3] != "manifests" {
			inner.ServeHTTP(w, r)
			return
		}
		switch path[2] {
		case "limited":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "moved":
			http.Redirect(w, r, "http://elsewhere.example"+r.URL.Path+"?token=canary", http.StatusTemporaryRedirect)
		case "choosy":
			w.WriteHeader(http.StatusUnsupportedMediaType)
		default:
			panic(http.ErrAbortHandler) // the connection ends
		}
	})
}
