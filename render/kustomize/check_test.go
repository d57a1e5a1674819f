package kustomize_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// named is a kustomization that names a file in each way in which one can.
const named = `resources: [../base, there.yaml, gone.yaml, "https://example.com/a.yaml", "github.com/org/repo//a?ref=v1"]
components: [../component]
configMapGenerator:
- {name: a, files: [there.yaml, gone.txt, key=gone-key.txt], envs: [gone.env]}
secretGenerator:
- {name: b, envs: [gone-secret.env]}
patches:
- {path: gone-patch.yaml}
- {path: there.yaml}
patchesStrategicMerge:
- gone-merge.yaml
- |
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: a}
patchesJson6902:
- {path: gone-json.yaml, target: {version: v1, kind: ConfigMap, name: a}}
replacements:
- {path: gone-replacement.yaml}
generators: [gone-generator.yaml]
transformers:
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: p}
  path: gone-builtin.yaml
- exec.yaml
validators: [gone-validator.yaml]
crds: [gone-crd.json]
configurations: [gone-configuration.yaml, ../outside.yaml]
openapi: {path: gone-openapi.json}
helmGlobals: {chartHome: ../charts}
helmCharts:
- {name: web, valuesFile: gone-values.yaml, additionalValuesFiles: [gone-more.yaml]}
- {name: fetched, repo: "https://example.com", valuesFile: gone-fetched.yaml}
- {name: absent}
`

func TestFilesThatAKustomizationNamesAreLookedForWithoutABuild(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"app/kustomization.yaml": named, "app/there.yaml": configMap, "outside.yaml": "",
		"app/exec.yaml":           "apiVersion: example.com/v1\nkind: Tool\nmetadata: {name: f}\n",
		"base/kustomization.yaml": "resources: [a.yaml, gone-of-base.yaml]\n", "base/a.yaml": configMap,
		"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
	})
	errs := kustomize.CheckFiles(t.Context(), render.Request{Path: filepath.Join(dir, "app")})
	var got []string
	for _, err := range errs {
		text, _, _ := strings.Cut(strings.ReplaceAll(err.Error(), dir+"/", ""), ": no such file")
		got = append(got, text)
	}
	want := []string{
		`base/kustomization.yaml:1: find "gone-of-base.yaml" of resources`,
		`app/kustomization.yaml:1: find "gone.yaml" of resources`,
		`app/kustomization.yaml:20: find "gone-generator.yaml" of generators`,
		`app/kustomization.yaml:2: find "../component" of components`,
		`app/kustomization.yaml:28: find "gone-validator.yaml" of validators`,
		`app/kustomization.yaml:31: read "gone-openapi.json" of openapi`,
		`app/kustomization.yaml:29: read "gone-crd.json" of crds`,
		`app/kustomization.yaml:30: read "gone-configuration.yaml" of configurations`,
		`app/kustomization.yaml:30: read "../outside.yaml" of configurations: file 'outside.yaml' is not in or below 'app'`,
		`app/kustomization.yaml:4: read "gone.env" of configMapGenerator`,
		`app/kustomization.yaml:4: read "gone.txt" of configMapGenerator`,
		`app/kustomization.yaml:4: read "gone-key.txt" of configMapGenerator`,
		`app/kustomization.yaml:6: read "gone-secret.env" of secretGenerator`,
		`app/kustomization.yaml:11: read "gone-merge.yaml" of patchesStrategicMerge`,
		`app/kustomization.yaml:8: read "gone-patch.yaml" of patches`,
		`app/kustomization.yaml:17: read "gone-json.yaml" of patches`,
		`app/kustomization.yaml:19: read "gone-replacement.yaml" of replacements`,
		`app/kustomization.yaml:26: read "gone-builtin.yaml" of PatchTransformer p`,
		`app/kustomization.yaml:34: render chart web: read values app/gone-values.yaml`,
		`app/kustomization.yaml:34: render chart web: read values app/gone-more.yaml`,
		`app/kustomization.yaml:35: render chart fetched: read values app/gone-fetched.yaml`,
		`app/kustomization.yaml:36: render chart absent: no folder charts/absent, and no repo to fetch it from`,
	}
	for _, text := range want {
		if !slices.Contains(got, text) {
			t.Errorf("not found: %s", text)
		}
	}
	for _, text := range got {
		if !slices.Contains(want, text) {
			t.Errorf("found: %s", text)
		}
	}
}

// TestWhatBuildsHasAllFilesThatItNames holds the look without a build to builds, of fixtures and of the folders that
// ROLLSTAMP_TREES lists.
func TestWhatBuildsHasAllFilesThatItNames(t *testing.T) {
	t.Parallel()
	tops := append([]string{"../../testdata", "../../examples"}, filepath.SplitList(os.Getenv("ROLLSTAMP_TREES"))...)
	for _, top := range tops {
		builds, refused, unseen := 0, 0, 0
		for _, dir := range kustomizationsBelow(t, top) {
			errs := kustomize.CheckFiles(t.Context(), render.Request{Path: dir})
			_, err := kustomize.Engine{}.Render(t.Context(), render.Request{Path: dir})
			switch {
			case err == nil && len(errs) > 0:
				t.Errorf("%s is built, and %v", dir, errors.Join(errs...))
			case err == nil:
				builds++
			case len(errs) > 0:
				refused++
			case strings.Contains(err.Error(), "no such file"):
				t.Errorf("%s was not seen: %v", dir, err)
			case diag.ExitOf(err) != diag.ExitSource:
				unseen++
				t.Logf("%s fails for another reason: %v", dir, err)
			}
		}
		t.Logf("%s: %d are built, %d have no file that they name, %d fail otherwise", top, builds, refused, unseen)
	}
}
