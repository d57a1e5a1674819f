package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
)

func TestSecretValuesOutsideOfSecretsAreHidden(t *testing.T) {
	for name, object := range map[string]string{
		"a fake store":              "apiVersion: external-secrets.io/v1\nkind: SecretStore\nspec: {provider: {fake: {data: [{key: open, value: canary}, {key: open, valueMap: {open: canary}}]}}}",
		"a fake generator":          "apiVersion: generators.external-secrets.io/v1alpha1\nkind: Fake\nspec: {data: {open: canary}}",
		"a generator of clusters":   "apiVersion: generators.external-secrets.io/v1alpha1\nkind: ClusterGenerator\nspec: {kind: Fake, generator: {fakeSpec: {data: {a: canary}}, name: open}}\n",
		"headers of a webhook":      "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nspec: {provider: {webhook: {url: open, headers: {X-Any: canary}, body: canary}}}",
		"a generator's webhook":     "apiVersion: generators.external-secrets.io/v1alpha1\nkind: Webhook\nspec: {url: open, headers: {X-Any: canary}}",
		"a literal in a template":   "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nspec: {target: {template: {data: {a: canary, b: 'open {{ .b }}'}}}, data: [{secretKey: open}]}",
		"a template for namespaces": "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nspec: {externalSecretSpec: {target: {name: open, template: {data: {a: canary}}}}}",
		"SopsSecret":                "apiVersion: isindir.github.com/v1alpha3\nkind: SopsSecret\nspec: {secretTemplates: [{name: open, stringData: {a: canary}, data: {b: canary}}]}",
		"SealedSecret":              "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec: {encryptedData: {a: open}, template: {data: {b: canary}}}",
		"connection details":        "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nspec: {resources: [{name: open, connectionDetails: [{name: x, type: FromValue, value: canary}]}]}",
		"values of a release":       "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {db: {password: canary, user: open}, list: [{apiKey: canary}], auth: {existingSecret: open}}}",
		"values in a text":          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {repoURL: open, helm: {values: 'db: {}\n\n  password: canary'}}}",
		"parameters":                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {helm: {parameters: [{name: db.password, value: canary}, {name: db.user, value: open}]}}}",
		"variables":                 "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [{env: [{name: DB_PASSWORD, value: canary}, {name: TOKEN_URL, value: open}, {name: SECRET_NAME, value: open}]}]}}}",
		"a header of a probe":       "apiVersion: v1\nkind: Pod\nspec: {containers: [{readinessProbe: {httpGet: {path: open, httpHeaders: [{name: Authorization, value: canary}]}}}]}",
		"a number":                  "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {token: 4711, on: open}}",
		"what is no secret":         "apiVersion: v1\nkind: Pod\nmetadata: {name: my-token, labels: {secret: open}}\nspec: {automountServiceAccountToken: true, volumes: [{name: db-secret, secret: {secretName: open}}], imagePullSecrets: [{name: open}]}",
	} {
		t.Run(name, func(t *testing.T) {
			var decoded map[string]any
			if err := yaml.Unmarshal([]byte(object), &decoded); err != nil {
				t.Fatal(err)
			}
			redact.HideValues(decoded, func(any) string { return "MASK" })
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
