package argocd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// lay out a repository: a text per path.
func repository(t *testing.T, texts map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const chartFile = "apiVersion: v2\nname: web\nversion: 1.0.0\n"

func TestACallOfAChartHasTheOptionsOfAnApplication(t *testing.T) {
	root := repository(t, map[string]string{"apps/web/Chart.yaml": chartFile, "apps/web/one.yaml": "",
		"shared/two.yaml": ""})
	env := Env{
		"ARGOCD_APP_NAME": "team_web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_SOURCE_PATH": "apps/web",
		"KUBE_VERSION": "1.33.2", "KUBE_API_VERSIONS": "v1,apps/v1",
		"ARGOCD_APP_PARAMETERS": `[{"array":["one.yaml","/shared/two.yaml"],"name":"valueFiles"},{"map":{"a.b":"1,2","c":"$ARGOCD_APP_NAME"},"name":"parameters"},
			{"map":{"d":"3"},"name":"forceStringParameters"},{"name":"skipCrds","string":"true"},{"name":"values","string":"x: $HOME\n"}]`,
	}
	c, err := FromPlugin(env, filepath.Join(root, "apps/web"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	req, _, err := c.Request()
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != render.KindHelm || c.Root != root || req.Helm.ReleaseName != "web" || req.Namespace != "shop" ||
		req.Helm.KubeVersion != "1.33.2" {
		t.Errorf("kind %s, root %s, request %+v", c.Kind, c.Root, req)
	}
	if got := strings.Join(req.Helm.Set, " "); got != `a.b=1\,2 c=team_web` {
		t.Errorf("--set %s", got)
	}
	if got := strings.Join(req.Helm.SetString, " "); got != "d=3" {
		t.Errorf("--set-string %s", got)
	}
	if got := strings.Join(req.Helm.ValuesFiles, " "); got != filepath.Join(root,
		"apps/web/one.yaml")+" "+filepath.Join(root, "shared/two.yaml") {
		t.Errorf("--values %s", got)
	}
	if req.Helm.IncludeCRDs || len(req.Helm.Values) != 1 || string(req.Helm.Values[0].Text) != "x: $HOME\n" ||
		len(req.Helm.APIVersions) != 2 {
		t.Errorf("%+v", req.Helm)
	}
}

func TestAMalformedParameterIsAnError(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	for parameters, want := range map[string]string{
		`[{"name":"valuesFiles","array":["a"]}]`:              "parameter valuesFiles: there is no such option; did you mean valueFiles?",
		`[{"name":"valueFiles","string":"a"}]`:                "parameter valueFiles: want a value of type array, found one of type string",
		`[{"name":"valueFiles"}]`:                             "parameter valueFiles: has no value; want one of type array",
		`[{"name":"skipCrds","string":"yes"}]`:                "parameter skipCrds: want true or false",
		`[{"name":"images","array":["a:b"]}]`:                 "parameter images: the application is a Helm chart, which has no such option",
		`[{"string":"x"}]`:                                    "parameter 1 of 1 has no name",
		`[{"name":"parameters","map":{"a":5}}]`:               "parameter parameters: map.a is a number, which it must not be: put it in quotes",
		`[{"name":"releaseName","string":true}]`:              "parameter releaseName: string is a bool, which it must not be: put it in quotes",
		`[{"name":"valueFiles","array":"a"}]`:                 "parameter valueFiles: array is a text, which it must not be: write a list, each item behind a dash",
		`[{"name":"releaseName","value":"a"}]`:                "read ARGOCD_APP_PARAMETERS: not the list of parameters that Argo CD writes",
		`[5]`:                                                 "read ARGOCD_APP_PARAMETERS: not the list of parameters that Argo CD writes",
		`{"a":"b"}`:                                           "read ARGOCD_APP_PARAMETERS: not the list of parameters that Argo CD writes",
		`[{"name":"skipCrds","string":"true","array":["a"]}]`: "parameter skipCrds: has values of several types; want one of type string",
		`[{"name":"refs","map":{"values":"nowhere"}}]`:        `refs values: there is no folder "nowhere"`,
	} {
		_, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": parameters}, root, root, nil)
		if err == nil || err.Error() != want || diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s\n got %v\nwant %s", parameters, err, want)
		}
	}
}

func TestAllThatIsRefusedOfAnApplicationIsNamedAtOnce(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	for parameters, want := range map[string]string{
		`[{"name":"valueFile","string":"a"},{"name":"valueFiles","array":["gone.yaml","/away.yaml","*.yml"]},
			{"name":"fileParameters","map":{"a":"none.txt"}}]`: `parameter valueFile: there is no such option; did you mean valueFiles?
gone.yaml: read values: no such file, though valueFiles names it
away.yaml: read values: no such file, though valueFiles names it
valueFiles: values file glob "*.yml" matched no files
none.txt: read values: no such file, though fileParameters names it for a`,
		// These are read in another repository, which is not asked.
		`[{"name":"valueFile","string":"a"},{"name":"valueFiles","array":["$v/gone.yaml"]},
			{"name":"refs","map":{"v":"https://git.example.org/v.git@` + strings.Repeat("a", 40) + `"}}]`: "parameter " +
			"valueFile: there is no such option; did you mean valueFiles?",
	} {
		_, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": parameters}, root, root, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", parameters, err, want)
		}
	}
}

func TestAReleaseIsNamedAsArgoCDNamesIt(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	long := strings.Repeat("a", 53)
	for app, want := range map[string]string{"web": "web", "team_web": "web", "a_b_c": "b_c", "ns_" + long: long,
		"": ""} {
		c, err := FromPlugin(Env{"ARGOCD_APP_NAME": app}, root, root, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req, _, err := c.Request(); err != nil || req.Helm.ReleaseName != want {
			t.Errorf("%s: %q, %v", app, req.Helm.ReleaseName, err)
		}
	}
	c, err := FromPlugin(Env{"ARGOCD_APP_NAME": "ns_a" + long}, root, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Request(); err == nil || !strings.HasSuffix(err.Error(), "is longer than 53 characters") {
		t.Errorf("54 characters: %v", err)
	}
}

func TestACallWithoutMostVariablesIsOne(t *testing.T) {
	for name, file := range map[string]string{"Chart.yaml": chartFile, "kustomization.yaml": "", "a.yaml": "kind: A"} {
		root := repository(t, map[string]string{name: file})
		c, err := FromPlugin(nil, root, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if req, _, err := c.Request(); err != nil || req.Path != root || req.Helm.KubeVersion != "" ||
			req.Namespace != "" {
			t.Errorf("%s: %+v, %v", name, req, err)
		}
	}
}

func TestHintsFitTheError(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	for name, c := range map[string]struct {
		env          Env
		says, leaves string
	}{
		"a list that is none": {Env{"ARGOCD_APP_PARAMETERS": "{"}, "JSON list", "128 KiB"},
		"a list that was cut": {Env{"ARGOCD_APP_PARAMETERS": `[{"name":"values","string":"` + strings.Repeat("a",
			127<<10)}, "128 KiB", "JSON list"},
		"the operator's words": {Env{"ARGOCD_ENV_ROLLSTAMP_ALLOW": "stores"}, "the sidecar's own container",
			"names of all options"},
		"another word": {Env{"ARGOCD_ENV_ROLLSTAMP_ALOW": "stores"}, "names of all options", "sidecar"},
	} {
		_, err := FromPlugin(c.env, root, root, nil)
		if hint := diag.HintOf(err); !strings.Contains(hint, c.says) || strings.Contains(hint, c.leaves) {
			t.Errorf("%s: %v, hint %q", name, err, hint)
		}
	}
}
