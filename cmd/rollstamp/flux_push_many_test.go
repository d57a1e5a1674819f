package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

const (
	manyKustomization = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: flux-system}
spec:
  interval: 10m
  path: ./apps/NAME
  prune: true
  targetNamespace: NAME
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {HOST: NAME.example.com}}
`
	manyConsumer = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {url: "https://${HOST}/"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]}}}
`
)

// TestPushOfTwoHundredUnchangedApplicationsWritesNothing counts the requests that write to a real registry.
func TestPushOfTwoHundredUnchangedApplicationsWritesNothing(t *testing.T) {
	const applications = 200
	var writes, uploads atomic.Int64
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			writes.Add(1)
		}
		if r.Method == http.MethodPost {
			uploads.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	defer server.Close()
	top := t.TempDir()
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range applications {
		name := fmt.Sprintf("app-%03d", i)
		files["flux/"+name+".yaml"] = strings.ReplaceAll(manyKustomization, "NAME", name)
		files["apps/"+name+"/app.yaml"] = manyConsumer
	}
	plant(t, top, files)
	t.Chdir(top)
	t.Setenv("DOCKER_CONFIG", top)
	push := func() string {
		t.Helper()
		writes.Store(0)
		uploads.Store(0)
		var out, errs bytes.Buffer
		args := []string{"flux", "push", "oci://" + server.Listener.Addr().String() + "/shop", "--as", "flux", "flux"}
		code := run(t.Context(), args, config.Environment(), streams{in: strings.NewReader(""), out: &out, err: &errs})
		if code != diag.ExitOK {
			t.Fatalf("%v ended with %d: %s", args, code, errs.String())
		}
		return errs.String()
	}
	if said := push(); uploads.Load() != 2 || strings.Contains(said, "nothing is published") {
		t.Fatalf("the first time %d blobs were uploaded, want the layer and its config: %s", uploads.Load(), said)
	}
	if said := push(); writes.Load() != 0 || !strings.Contains(said, "nothing is published") {
		t.Errorf("unchanged, %d requests wrote: %s", writes.Load(), said)
	}
	plant(t, top, map[string]string{"apps/app-117/app.yaml": strings.Replace(manyConsumer, "https", "http", 1)})
	if said := push(); uploads.Load() != 1 || strings.Contains(said, "nothing is published") {
		t.Errorf("after a change %d blobs were uploaded, want the layer alone: %s", uploads.Load(), said)
	}
}
