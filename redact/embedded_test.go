package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
)

func TestValuesOfEmbeddedSecretsAreHidden(t *testing.T) {
	for name, object := range map[string]string{
		"Crossplane":     "kind: Object\nspec: {forProvider: {manifest: {apiVersion: open, kind: Secret, metadata: {name: open}, stringData: {a: canary}, data: {b: canary}}}}",
		"Kyverno":        "kind: ClusterPolicy\nspec: {rules: [{generate: {kind: Secret, name: open, data: {kind: Secret, type: open, stringData: {a: canary}, data: {b: canary}}}}]}",
		"Kyverno's kind": "kind: ClusterPolicy\nspec: {rules: [{generate: {kind: Secret, name: open, data: {type: open, metadata: {name: open}, stringData: {a: canary}}}}]}",
		"a clone":        "kind: ClusterPolicy\nspec: {rules: [{generate: {kind: Secret, name: open, clone: {name: open}}}, {generate: {kind: ConfigMap, data: {data: {a: open}}}}, {generate: {kind: Secret, data: {a: canary}}}]}",
		"ManifestWork":   "kind: ManifestWork\nspec: {workload: {manifests: [{kind: ConfigMap, data: {a: open}}, {kind: Secret, stringData: {a: canary}}]}}",
		"Template":       "kind: Template\nobjects: [{kind: Secret, metadata: {name: open}, stringData: {a: canary, n: 12, c: ''}}]",
		"another group":  "apiVersion: example.com/v1\nkind: Secret\nspec: {x: open, password: canary}\ndata: {a: canary}",
		"a key":          "kind: ConfigMap\ndata: {s.yaml: \"kind: Secret\\nstringData:\\n  a: canary\\n\", other: open}",
		"a patch":        "kind: Kustomization\nspec: {patches: [{patch: \"apiVersion: v1\\nkind: Secret\\ndata: {a: canary}\\n\", target: {kind: Secret, name: open}}]}",
		"operations":     "kind: Kustomization\nspec: {patches: [{patch: \"- op: add\\n  path: /data/a\\n  value: canary\\n\", target: {kind: Secret, name: open}}]}",
		"in JSON":        "kind: Kustomization\nspec: {patches: [{patch: '[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"canary\"}]', target: {kind: Secret, name: open}}]}",
		"no target":      "kind: Application\nspec: {source: {kustomize: {patches: [{patch: \"- {op: replace, path: /stringData/a, value: canary}\"}, {patch: \"- op: add\\n  value: canary\\n  path: /data/password\\n\"}]}}}",
		"of others":      "kind: Kustomization\nspec: {patches: [{patch: \"- op: add\\n  path: /data/password\\n  value: canary\\n\"}, {patch: \"- op: add\\n  path: /data/level\\n  value: open\\n\", target: {kind: ConfigMap}}]}",
		"of values":      "kind: Kustomization\nspec: {patches: [{patch: \"- op: add\\n  path: /spec/values/auth/password\\n  value: canary\\n\", target: {kind: HelmRelease}}, {patch: \"- op: add\\n  path: /spec/values/auth/existingSecret\\n  value: open\\n\"}]}",
		"merged patches": "kind: Kustomization\npatchesStrategicMerge: [\"kind: Secret\\nstringData: {a: canary}\", open.yaml]",
		"values":         "kind: HelmRelease\nspec: {values: {extra: [{kind: Secret, stringData: {a: canary}}, \"kind: Secret\\nstringData: {a: canary}\", open]}}",
		"an annotation":  "apiVersion: v1\nkind: Secret\nmetadata: {annotations: {a: '{\"kind\":\"Secret\",\"stringData\":{\"a\":\"canary\"}}', b: open}}\ndata: {a: open}",
	} {
		t.Run(name, func(t *testing.T) {
			var decoded map[string]any
			if err := yaml.Unmarshal([]byte(object), &decoded); err != nil {
				t.Fatal(err)
			}
			redact.HideValues(decoded, nil, func(any) string { return "MASK" })
			out := fmt.Sprint(decoded)
			if strings.Contains(out, "canary") || !strings.Contains(out, "MASK") {
				t.Errorf("shown: %s", out)
			}
			if got, want := strings.Count(out, "open"), strings.Count(object, "open"); got != want {
				t.Errorf("%d of %d others are left: %s", got, want, out)
			}
		})
	}
}

func TestManifestsOfSecretsInTextsAreHidden(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Secret\nstringData:\n  a: canary\n":                              "MASK\n",
		"kind: ConfigMap\ndata: {a: open}\n---\nkind: Secret\ndata:\n  a: x\n":  "kind: ConfigMap\ndata: {a: open}\nMASK\n",
		"kind: Secret\nmetadata: {name: open}\n":                                "kind: Secret\nmetadata: {name: open}\n",
		"kind: Secret\n---\ndata: {a: open}\n":                                  "kind: Secret\n---\ndata: {a: open}\n",
		"spec:\n  from:\n    kind: Secret\ndata:\n  a: open":                    "spec:\n  from:\n    kind: Secret\ndata:\n  a: open",
		"kind: SecretStore\ndata: {}":                                           "kind: SecretStore\ndata: {}",
		"items:\n- kind: 'Secret' # x\n  data:\n    a: canary":                  "MASK",
		"{\"items\": [{\"kind\": \"Secret\", \"data\": {\"a\": \"canary\"}}]}":  "MASK",
		"{\n  \"kind\": \"Secret\",\n  \"stringData\": {\"a\": \"canary\"}\n}":  "MASK",
		"{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"a\\\":\\\"canary\\\"}}": "MASK",
		"{{ if .x }}\nkind: Secret\nstringData: {a: canary}\n{{ end }}":         "MASK",
		"kind: !!str Secret\r\ndata:\r\n  a: canary\r\n":                        "MASK\r\n",
		`{"patch":"apiVersion: v1\nkind: Secret\nstringData:\n  a: canary"}`:    "MASK",
		"{data: {a: canary}, kind: Secret}":                                     "MASK",
		"kind:\n  Secret\ndata: {a: canary}":                                    "MASK",
		"# no kind: Secret\nkind: ConfigMap\ndata:\n  a: open\n":                "# no kind: Secret\nkind: ConfigMap\ndata:\n  a: open\n",
		"a: open # kind: Secret\ndata:\n  a: open\n":                            "a: open # kind: Secret\ndata:\n  a: open\n",
		"# kind: Secret\n# data:\n#   a: canary":                                "MASK",
		"open\ncat <<EOF | x\nkind: Secret\ndata:\n  a: x\nEOF\nopen 2\n":       "open\ncat <<EOF | x\nMASK\nEOF\nopen 2\n",
	} {
		if got := redact.HideInText(text, func(any) string { return "MASK" }); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}
