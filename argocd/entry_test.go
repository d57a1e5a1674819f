package argocd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestAParameterCanBeOneEntryOfAMap(t *testing.T) {
	root := repository(t, map[string]string{
		"web/Chart.yaml":         chartFile,
		"web/.rollstamp.yaml":    "argocd:\n  helm:\n    parameters:\n    - {name: kept, value: file}\n    - {name: image.tag, value: file}\n",
		"all/kustomization.yaml": "", "all/.rollstamp.yaml": "argocd:\n  kustomize:\n    commonLabels: {kept: file, team: file}\n    replicas: [{name: web, count: 1}]\n",
	})
	for name, c := range map[string]struct{ dir, parameters, set, text, labels string }{
		"over the configuration file": {"web", `[{"name":"parameters.image.tag","string":"x"}]`,
			"kept=file image.tag=x", "", ""},
		"over the same map, whatever the order": {"web",
			`[{"name":"parameters.a","string":"entry"},{"name":"parameters","map":{"a":"map","b":"map"}}]`, "b=map a=entry", "", ""},
		"as text over what is not": {"web",
			`[{"name":"parameters","map":{"a":"map"}},{"name":"forceStringParameters.a","string":"1"}]`, "", "a=1", ""},
		"a name with a dot of its own": {"web", `[{"name":"parameters.a\\.b.c","string":"1"}]`,
			`kept=file image.tag=file a\.b.c=1`, "", ""},
		"of labels": {"all",
			`[{"name":"commonLabels.team","string":"shop"},{"name":"replicas.web","string":"3"}]`, "", "", "kept=file team=shop"},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": c.parameters}, filepath.Join(root, c.dir), root, nil)
			if err != nil {
				t.Fatal(err)
			}
			req, _, err := call.Request()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(req.Helm.Set, " "); got != c.set {
				t.Errorf("--set %s, want %s", got, c.set)
			}
			if got := strings.Join(req.Helm.SetString, " "); got != c.text {
				t.Errorf("--set-string %s, want %s", got, c.text)
			}
			if e := req.Kustomize.Edits; c.labels != "" &&
				(e.Labels["kept"] != "file" || e.Labels["team"] != "shop" || len(e.Replicas) != 1 ||
					e.Replicas[0].Count != 3) {
				t.Errorf("edits are %+v", e)
			}
		})
	}
	for parameters, want := range map[string]string{
		`[{"name":"parameters.a","array":["x"]}]`:                                     "want a value of type string: it is one entry of parameters",
		`[{"name":"values.a","string":"x"}]`:                                          `there is no such option; did you mean values?`,
		`[{"name":"parameters.","string":"x"}]`:                                       `there is no such option`,
		`[{"name":"replicas.a","string":"x"}]`:                                        "the application is a Helm chart, which has no such option",
		`[{"name":"parameters.a","string":"x"},{"name":"parameters.a","string":"y"}]`: "is given twice",
	} {
		_, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": parameters}, filepath.Join(root, "web"), root, nil)
		if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parameters, err, want)
		}
	}
}
