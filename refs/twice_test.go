package refs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestOfAFieldThatIsWrittenTwiceTheLastCounts(t *testing.T) {
	t.Parallel()
	env := func(key string) string {
		return "{name: A, valueFrom: {configMapKeyRef: {name: c, key: " + key + "}}}"
	}
	for name, spec := range map[string]string{
		"containers":       "  containers: [{env: [" + env("a") + "]}]\n  containers: [{env: [" + env("b") + "]}]\n",
		"env":              "  containers:\n  - env: [" + env("a") + "]\n    env: [" + env("b") + "]\n",
		"env, other style": "  containers:\n  - \"env\": [" + env("a") + "]\n    env: [" + env("b") + "]\n",
		"env, merged":      "  containers:\n  - <<: {env: [" + env("c") + "]}\n    env: [" + env("a") + "]\n    env: [" + env("b") + "]\n",
		"valueFrom": "  containers:\n  - env:\n    - valueFrom: {configMapKeyRef: {name: c, key: a}}\n" +
			"      valueFrom: {configMapKeyRef: {name: c, key: b}}\n",
		"volumes": "  containers: [{volumeMounts: [{name: v}]}]\n" +
			"  volumes: [{name: v, configMap: {name: c, items: [{key: a, path: p}]}}]\n" +
			"  volumes: [{name: v, configMap: {name: c, items: [{key: b, path: p}]}}]\n",
		"volumeMounts": "  containers:\n  - volumeMounts: [{name: v, subPath: p}]\n    volumeMounts: [{name: v, subPath: q}]\n" +
			"  volumes: [{name: v, configMap: {name: c, items: [{key: a, path: p}, {key: b, path: q}]}}]\n",
	} {
		var got []string
		for _, r := range templates(t, NewTable(config.MaxLevel, nil), "apiVersion: v1\nkind: Pod\nspec:\n"+spec)[0].References {
			got = append(got, fmt.Sprint(r.Name, r.Keys))
		}
		if strings.Join(got, " ") != "c[b]" {
			t.Errorf("%s: got %s, want b alone", name, got)
		}
	}
	none := templates(t, NewTable(config.MaxLevel, nil),
		"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env: ["+env("a")+"]\n    env: null\n")
	if len(none) > 0 && len(none[0].References) > 0 {
		t.Errorf("with a null behind it: %+v", none[0].References)
	}
}
