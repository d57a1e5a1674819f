package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/wiring"
)

// plant writes files below a folder, as those of an application.
func plant(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const consumer = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: c, image: nginx, envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: password}}]}
`

// calls are applications of each kind, with the parameters of a call.
var calls = map[string]struct {
	files      map[string]string
	parameters string
}{
	"chart": {map[string]string{
		"apps/web/Chart.yaml":              "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"apps/web/values.yaml":             "a: 1\n",
		"apps/web/more.yaml":               "b: {c: 2, d: 3, e: 4, f: 5}\n",
		"apps/web/templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n{{- range $k, $v := .Values }}\n  {{ $k }}: {{ toJson $v | quote }}\n{{- end }}\n",
		"apps/web/templates/web.yaml":      consumer,
	}, `[{"name":"valueFiles","array":["*.yaml"]},{"name":"parameters","map":{"g":"1","h.i":"2","h.j":"3","k":"{a,b}"}},{"name":"releaseName","string":"x"}]`},
	"kustomization": {map[string]string{
		"apps/web/kustomization.yaml": "resources: [web.yaml, ../../base]\nconfigMapGenerator: [{name: settings, literals: [a=b]}]\n",
		"apps/web/web.yaml":           consumer,
		"base/kustomization.yaml":     "secretGenerator: [{name: password, literals: [a=b]}]\n",
	}, `[{"name":"commonLabels","map":{"a":"b","c":"d","e":"f"}},{"name":"images","array":["nginx:1","redis:2"]},{"name":"namePrefix","string":"p-"}]`},
	"folder": {map[string]string{
		"apps/web/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n", "apps/web/b/web.yaml": consumer,
	}, `[{"name":"recurse","string":"true"}]`},
}

// generate runs a call in the folder, as the process would there.
func generate(dir string, env argocd.Env) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	p := &program{streams: streamsOf(&out, &errs), env: none, wiring: wiring.New(context.Background(), none, "", strings.NewReader(""))}
	call, err := argocd.FromPlugin(env, dir, "", nil)
	if err != nil {
		return "", err.Error() + "\n" + diag.HintOf(err), err
	}
	var f pluginFlags
	f.add(&cobra.Command{})
	j, err := f.job(p.wiring, call)
	if err != nil {
		return "", err.Error() + "\n" + diag.HintOf(err), err
	}
	a, err := j.Answer(context.Background())
	if err != nil {
		return "", err.Error() + "\n" + diag.HintOf(err), err
	}
	p.report(context.Background(), []fleet.Outcome{outcomeOf(call, a)})
	err = p.emit(a.Result)
	return out.String(), errs.String(), err
}

func TestTwentyCallsAtOnceInFoldersOfAnyNameGiveTheSameBytes(t *testing.T) {
	for name, app := range calls {
		const many = 20
		texts := make([]string, many)
		var all sync.WaitGroup
		for i := range many {
			dir := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d", rand.Text(), i))
			plant(t, dir, app.files)
			all.Add(1)
			go func() {
				defer all.Done()
				out, errs, err := generate(filepath.Join(dir, "apps/web"), argocd.Env{
					"ARGOCD_APP_NAME": "web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_SOURCE_PATH": "apps/web", "KUBE_VERSION": "1.33.1", "ARGOCD_APP_PARAMETERS": app.parameters})
				texts[i] = fmt.Sprintf("%s\n%s\n%v", out, errs, err)
			}()
		}
		all.Wait()
		for i, text := range texts {
			if text != texts[0] || !strings.Contains(text, "checksum.rollstamp.dev/configmap.") {
				t.Errorf("%s, call %d\n got %s\nwant %s", name, i, text, texts[0])
			}
		}
	}
}

func TestNoPluginCallShowsACanary(t *testing.T) {
	canary := "cnry" + rand.Text()
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {a: " + canary + "}\n"
	chart := map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "templates/web.yaml": consumer, "values.yaml": "password: " + canary + "\n"}
	with := func(files map[string]string, name, text string) map[string]string {
		out := map[string]string{name: text}
		for k, v := range files {
			if k != name {
				out[k] = v
			}
		}
		return out
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	parameter := func(name, kind string, value any) string {
		return text([]any{map[string]any{"name": name, kind: value}})
	}
	failing := with(chart, "templates/fail.yaml", "{{ fail .Values.password }}")
	for name, c := range map[string]struct {
		files      map[string]string
		parameters string
	}{
		"good":                       {with(chart, "templates/s.yaml", secret), ""},
		"fail":                       {failing, ""},
		"values that are no mapping": {chart, parameter("values", "string", canary)},
		"values that are no YAML":    {chart, parameter("values", "string", "a: '"+canary)},
		"valuesObject":               {chart, parameter("valuesObject", "string", canary+": {")},
		"a failing value":            {failing, parameter("valuesObject", "string", "password: "+canary)},
		"a parameter":                {failing, parameter("parameters", "map", map[string]string{"password": canary, "a[": canary})},
		"a boolean":                  {chart, parameter("skipCrds", "string", canary)},
		"a patch":                    {map[string]string{"kustomization.yaml": "resources: [s.yaml]\n", "s.yaml": secret}, parameter("patches", "array", []string{"patch: " + canary})},
		"not parameters":             {chart, `[{"name":"values","string":"` + canary + `","other":"` + canary + `"}]`},
		"not JSON":                   {chart, canary},
		"no kind":                    {with(chart, "templates/s.yaml", "stringData: {a: "+canary+"}\n"), ""},
		"a merge patch":              {with(chart, ".argocd-source.yaml", "helm: {skipCrds: "+canary+"}\n"), ""},
		"a broken merge patch":       {with(chart, ".argocd-source.yaml", "helm: {skipCrds: '"+canary+"\n"), ""},
		"the configuration file":     {with(chart, ".rollstamp.yaml", "argocd: {helm: {valuesObject: "+canary+", skipCrds: "+canary+"}}\n"), ""},
	} {
		dir := t.TempDir()
		plant(t, dir, c.files)
		_, shown, err := generate(dir, argocd.Env{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_PARAMETERS": c.parameters})
		if (err == nil) != (name == "good") {
			t.Errorf("%s: %v", name, err)
		}
		for _, leak := range forms(canary) {
			if strings.Contains(shown, leak) {
				t.Errorf("%s shows %q:\n%s", name, leak, shown)
			}
		}
		if strings.Contains(shown, dir) {
			t.Errorf("%s shows its place:\n%s", name, shown)
		}
	}
}

func TestDigestsOfProjectsCannotBeCompared(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	digest := func(project, own string, flags ...string) string {
		dir := t.TempDir()
		plant(t, dir, map[string]string{"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {a: b}\n---\n" + consumer, ".rollstamp.yaml": own})
		t.Setenv("ARGOCD_APP_PROJECT_NAME", project)
		t.Chdir(dir)
		var out, errs bytes.Buffer
		env := func(string) (string, bool) { return "", false }
		args := append([]string{"argocd", "generate", "--hash-key-file", key}, flags...)
		if code := run(context.Background(), args, env, streamsOf(&out, &errs)); code != 0 {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		_, rest, found := strings.Cut(out.String(), "checksum.rollstamp.dev/secret.password: ")
		if !found {
			t.Fatalf("no digest in\n%s", out.String())
		}
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	one := digest("one", "")
	if again := digest("one", ""); again != one {
		t.Errorf("another digest the second time: %s, %s", one, again)
	}
	if two := digest("two", ""); two == one {
		t.Error("two projects have one digest")
	}
	if stolen := digest("two", "hashDomain: argocd:one\n"); stolen == one {
		t.Error("a project's file gives it the digests of another")
	}
	if smaller := digest("one", "hashDomain: team\n"); smaller == one {
		t.Error("the file's own domain does not count")
	}
	if elsewhere := digest("two", "", "--hash-domain", "argocd:one"); elsewhere != one {
		t.Errorf("--hash-domain argocd:one gives %s, the project %s", elsewhere, one)
	}
}

func TestAValuesServerThatFailsOnceFailsNoRender(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "a: fetched")
	}))
	defer server.Close()
	dir := t.TempDir()
	plant(t, dir, calls["chart"].files)
	t.Chdir(filepath.Join(dir, "apps/web"))
	t.Setenv("ARGOCD_APP_SOURCE_PATH", "apps/web")
	t.Setenv("ARGOCD_APP_PARAMETERS", `[{"name":"valueFiles","array":["`+server.URL+`/a.yaml"]}]`)
	env := func(string) (string, bool) { return "", false }
	for _, c := range []struct {
		flags []string
		code  diag.Exit
		want  string
		asked int64
	}{
		{nil, diag.ExitSource, "the network is not allowed", 0},
		{[]string{"--allow", "network"}, diag.ExitOK, `a: "\"fetched\""`, 2},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"argocd", "generate"}, c.flags...), env, streamsOf(&out, &errs))
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.want) || asked.Load() != c.asked {
			t.Errorf("%v: exit %d, asked %d times\n%s%s", c.flags, code, asked.Load(), out.String(), errs.String())
		}
	}
}

func TestValuesLongerThanAVariableHaveAPlaceInTheConfigurationFile(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20<<10/16*10) // 200 KiB
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: {{ .Values.long | quote }}}\n",
		".rollstamp.yaml": "argocd:\n  helm:\n    valuesObject:\n      long: " + long + "\n",
	})
	out, errs, err := generate(dir, argocd.Env{"ARGOCD_APP_NAME": "web"})
	if err != nil || !strings.Contains(out, long) || len(long) < 200<<10 {
		t.Errorf("%v, %s", err, errs)
	}
}
