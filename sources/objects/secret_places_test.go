package objects_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/objects"
)

func TestSecretValuesInManifestsOfOperatorsAreHidden(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]string{
		"a fake store":              "apiVersion: external-secrets.io/v1\nkind: SecretStore\nspec: {provider: {fake: {data: [{key: open, value: canary}, {key: open, valueMap: {open: canary}}]}}}",
		"a fake generator":          "apiVersion: generators.external-secrets.io/v1alpha1\nkind: Fake\nspec: {data: {open: canary}}",
		"a generator of clusters":   "apiVersion: generators.external-secrets.io/v1alpha1\nkind: ClusterGenerator\nspec: {kind: Fake, generator: {fakeSpec: {data: {a: canary}}, name: open}}\n",
		"headers of a webhook":      "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nspec: {provider: {webhook: {url: open, headers: {X-Any: canary}, body: canary}}}",
		"a generator's webhook":     "apiVersion: generators.external-secrets.io/v1alpha1\nkind: Webhook\nspec: {url: open, headers: {X-Any: canary}}",
		"a literal in a template":   "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nspec: {target: {template: {data: {a: canary, b: 'canary {{ .open }}', c: '{{ .open }}:{{ .open }}', d: \"{{ .open }}\\ncanary={{ .open }}:canary\"}}}, data: [{secretKey: open}]}",
		"a template for namespaces": "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nspec: {externalSecretSpec: {target: {name: open, template: {data: {a: canary}}}}}",
		"SopsSecret":                "apiVersion: isindir.github.com/v1alpha3\nkind: SopsSecret\nspec: {secretTemplates: [{name: open, stringData: {a: canary}, data: {b: canary}}]}",
		"SealedSecret":              "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec: {encryptedData: {a: open}, template: {data: {b: canary}}}",
		"SSHKeyPair":                "apiVersion: secretgenerator.mittwald.de/v1alpha1\nkind: SSHKeyPair\nspec: {length: open, privateKey: canary, data: {a: canary}}",
		"SopsSecret of Capsule":     "apiVersion: addons.projectcapsule.dev/v1alpha1\nkind: SopsSecret\nspec: {secrets: [{name: open, stringData: {a: canary}}]}",
	} {
		t.Run(name, func(t *testing.T) {
			var decoded map[string]any
			if err := yaml.Unmarshal([]byte(object), &decoded); err != nil {
				t.Fatal(err)
			}
			group, _, _ := strings.Cut(fmt.Sprint(decoded["apiVersion"]), "/")
			places := objects.SecretPlaces(group, fmt.Sprint(decoded["kind"]))
			if len(places) == 0 {
				t.Fatal("no places are known")
			}
			redact.HideValues(decoded, places, func(any) string { return "MASK" })
			out := fmt.Sprint(decoded)
			if strings.Contains(out, "canary") || strings.Contains(out, "4711") {
				t.Errorf("shown: %s", out)
			}
			if got, want := strings.Count(out, "open"), strings.Count(object, "open"); got != want {
				t.Errorf("%d of %d others are left: %s", got, want, out)
			}
			if hidden := strings.Contains(out, "MASK"); hidden != (strings.Contains(object, "canary") || strings.Contains(object, "4711")) {
				t.Errorf("hidden %v: %s", hidden, out)
			}
		})
	}
}

func TestReferencesOfAnExternalSecretAreShown(t *testing.T) {
	t.Parallel()
	object := map[string]any{"spec": map[string]any{"data": []any{map[string]any{"secretKey": "open"}}}}
	redact.HideValues(object, objects.SecretPlaces("external-secrets.io", "ExternalSecret"), func(any) string { return "MASK" })
	if out := fmt.Sprint(object); strings.Contains(out, "MASK") {
		t.Errorf("hidden: %s", out)
	}
}
