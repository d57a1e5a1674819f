package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStoriesWithStores runs stories in which stores are asked, by the real second program. A server in the test
// stands for Vault: the version of secret/KEY is what the file vault/KEY holds (of a namespace, vault/NAMESPACE/KEY),
// and its value is never asked for.
func TestStoriesWithStores(t *testing.T) {
	t.Parallel()
	path := storesProgram(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/stores",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "subst": subst},
		Setup: func(e *testscript.Env) error {
			s := httptest.NewServer(vaultOf(t, filepath.Join(e.WorkDir, "vault")))
			e.Defer(s.Close)
			e.Setenv("ROLLSTAMP_STORES", path)
			e.Setenv("STORES", path)
			e.Setenv("VAULT_ADDR", s.URL)
			e.Setenv("VAULT_TOKEN", "hvs.story")
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
	})
}

// subst FILE... writes the variables of the environment into files, as $NAME.
func subst(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		path := ts.MkAbs(name)
		text, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "$VAULT_ADDR", ts.Getenv("VAULT_ADDR"))), 0o600))
	}
}

// mountOf says what lies above a path, as Vault does.
func mountOf(w http.ResponseWriter, path string) {
	switch mount, _, _ := strings.Cut(path, "/"); mount {
	case "secret":
		fmt.Fprint(w, `{"data":{"path":"secret/","type":"kv","options":{"version":"2"}}}`)
	case "database", "pki":
		fmt.Fprintf(w, `{"data":{"path":"%s/","type":"%[1]s","options":null}}`, mount)
	default:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"errors":["preflight capability check returned 403, please ensure client's policies grant access to path"]}`)
	}
}

// vaultOf answers as a KV version 2 engine does when it is asked for metadata.
func vaultOf(t *testing.T, dir string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if path, mounts := strings.CutPrefix(r.URL.Path, "/v1/sys/internal/ui/mounts/"); mounts && r.Header.Get("X-Vault-Token") == "hvs.story" {
			mountOf(w, path)
			return
		}
		key, metadata := strings.CutPrefix(r.URL.Path, "/v1/secret/metadata/")
		if strings.HasPrefix(r.URL.Path, "/v1/forbidden/metadata/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if !metadata || r.Header.Get("X-Vault-Token") != "hvs.story" {
			t.Errorf("asked for %s %s", r.Method, r.URL.Path)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		text, err := os.ReadFile(filepath.Join(dir, r.Header.Get("X-Vault-Namespace"), filepath.FromSlash(key)))
		version := strings.TrimSpace(string(text))
		switch {
		case err != nil:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errors":[]}`)
		case version == "hang":
			<-r.Context().Done()
		case version == "down":
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"errors":["canary"]}`)
		default:
			fmt.Fprintf(w, `{"data":{"current_version":%s,"versions":{"%s":{"created_time":"2026-01-01T00:00:00Z","deletion_time":"","destroyed":false}}}}`, version, version)
		}
	}
}
