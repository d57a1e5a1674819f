package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// manyApp reads a key of its own and one that all share, of a store that lies elsewhere.
const manyApp = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data:
  - {secretKey: password, remoteRef: {key: NAME, property: password}}
  - {secretKey: user, remoteRef: {key: NAME, property: user}}
  - {secretKey: token, remoteRef: {key: shared}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]}}}
`

// TestLockOfTwoHundredApplicationsAsksOnceForEachKey counts what a store is asked for, by the real second program.
func TestLockOfTwoHundredApplicationsAsksOnceForEachKey(t *testing.T) {
	const applications = 200
	stores := storesProgram(t)
	top := t.TempDir()
	answers := vaultOf(t, filepath.Join(top, "vault"))
	var mu sync.Mutex
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		answers(w, r)
	}))
	defer server.Close()
	files := map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "rollstamp.lock": "schema 3\n", "vault/shared": "7",
		".rollstamp.yaml": "secrets: {policy: lock}\ncontext: [store.yaml]\n",
		"store.yaml": "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\nspec: {provider: {vault: {server: '" +
			server.URL + "', path: secret}}}\n",
	}
	for i := range applications {
		name := fmt.Sprintf("app-%03d", i)
		files["apps/"+name+"/app.yaml"], files["vault/"+name] = strings.ReplaceAll(manyApp, "NAME", name), "1"
	}
	plant(t, top, files)
	t.Chdir(top)
	env := map[string]string{config.EnvVaultAddr: server.URL, config.EnvVaultToken: "hvs.story", config.EnvStores: stores}
	for name, value := range env {
		t.Setenv(name, value)
	}
	for pass, want := range []int{applications + 1, 0} {
		clear(asked)
		var out, errs bytes.Buffer
		args := []string{"lock", "apps/*", "--allow", "stores"}
		if pass > 0 {
			args = append(args, "--missing")
		}
		code := run(t.Context(), args, config.Environment(), streams{in: strings.NewReader(""), out: &out, err: &errs})
		if code != diag.ExitOK {
			t.Fatalf("%v ended with %d: %s", args, code, errs.String())
		}
		if len(asked) != want {
			t.Errorf("%v asked for %d keys, want %d", args, len(asked), want)
		}
		for path, n := range asked {
			if n != 1 {
				t.Errorf("%s was asked for %d times", path, n)
			}
		}
	}
	text, err := os.ReadFile("rollstamp.lock")
	if err != nil || strings.Count(string(text), " version ") != applications+1 {
		t.Errorf("%v, the lock is\n%.300s", err, text)
	}
}
