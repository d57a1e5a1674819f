package rounds

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestAWordIsANameWhereAReferenceCanStand(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]bool{
		"envFrom: [{secretRef: {name: app}}]": true,
		"existingSecret: app":                 true,
		"auth: {credentials: app}":            true,
		"secrets: [app, other]":               true,
		"configMaps: app,other":               true,
		"extraVolumes: |\n  - name: v\n    configMap:\n      name: app\n": true,
		"extra: |\n  envFrom: [{configMapRef: {name: 'app'}}]\n":          true,
		"args: [--config-map=app]":                                        true,
		"podAnnotations: {configmap.reloader.stakater.com/reload: app}":   true,
		"name: '{{ .Release.Name }}'":                                     true, // the release's name is app
		"type: app":                                                       false,
		"image: {repository: app, tag: app}":                              false,
		"controllers: {main: {type: app, labels: {team: app}}}":           false,
		"podLabels: {app: web, team: app}":                                false,
		"env: {MODE: app}":                                                false,
		"description: runs the app":                                       false,
		"script: |\n  # restart the app\n  start app now\n":               false,
		"path: /app":  false,
		"args: [app]": false,
	} {
		var table map[string]any
		if err := yaml.Unmarshal([]byte(values), &table); err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		addNames(all, strings.NewReplacer("{{ .Release.Name }}", "app"), "values", table)
		if all["app"] != want {
			t.Errorf("%q names app: %t, want %t", values, all["app"], want)
		}
	}
}

func TestANameThatIsNoWordCountsAnywhere(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"env: {MODE: web-token}", "type: web-token", "script: use web-token now"} {
		var table map[string]any
		if err := yaml.Unmarshal([]byte(values), &table); err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		addNames(all, strings.NewReplacer(), "values", table)
		if !all["web-token"] {
			t.Errorf("%q does not name web-token", values)
		}
	}
}
