package kustomize

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/rollstamp/rollstamp/render"
)

const (
	plainFields = "resources: [a.yaml]\nnamespace: shop\nnamePrefix: x-\nlabels: [{pairs: {a: b}, includeSelectors: true}]\n" +
		"commonAnnotations: {a: b}\nimages: [{name: web, newTag: v2}]\nreplicas: [{name: web, count: 2}]\n" +
		"configMapGenerator: [{name: made, literals: [a=b]}]\n"
	mergedPatch = "patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {paused: true}}'}]\n"
	workload    = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n" +
		"      - name: web\n        image: web\n---\napiVersion: example.com/v1\nkind: Custom\nmetadata:\n  name: other\n"
)

// Whoever asks for the schema reads it, unless a build has done so.
func TestOnlyBuildsThatMergePatchesReadTheSchema(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		read         bool
	}{{"plain fields", plainFields, false}, {"a patch", plainFields + mergedPatch, true}} {
		dir := t.TempDir()
		for name, text := range map[string]string{"kustomization.yaml": c.fields, "a.yaml": workload} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		openapi.ResetOpenAPI()
		schema = schemaLock{}
		for range 3 { // the first one is as lazy as kustomize in any case
			if _, err := (Engine{}).Render(context.Background(), render.Request{Path: dir}); err != nil {
				t.Fatal(err)
			}
		}
		const reading = 10_000 // allocations, at least
		if read := allocations(func() { openapi.Schema() }) < reading; read != c.read {
			t.Errorf("%s: the schema was read: %v, want %v", c.name, read, c.read)
		}
	}
}

func allocations(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
