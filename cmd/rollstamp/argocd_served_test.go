package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

func TestServeHearsOfAnotherHashKeyWithoutARestart(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(key+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(key+".new", key); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("1", 32))
	s := serveFor(t, "--hash-key-file", key)
	secret := strings.NewReplacer("ConfigMap", "Secret", "configMapRef", "secretRef", "\ndata:", "\nstringData:").Replace(configMapWith("x"))
	u := servetest.Upload{Archive: servetest.Archive(t, map[string]string{"s.yaml": secret})}
	render := func() string {
		t.Helper()
		m, err := s.Manifests(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m, "\n")
	}
	first := render()
	if render() != first || !strings.Contains(first, "rollstamp.dev/") {
		t.Errorf("the same key gives %s", first)
	}
	write(strings.Repeat("2", 33))
	if render() == first {
		t.Error("another key gives the same digests")
	}
}

// TestServeReadsNothingBesideTheTree lies in wait on the disk, where a path that leads out of the tree would lead.
func TestServeReadsNothingBesideTheTree(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(secret, []byte("found: it\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serveFor(t)
	up := "../../../.." + secret
	chart := map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"templates/c.yaml": configMapWith(`{{ .Files.Get "` + up + `" }}{{ .Files.Get "` + secret + `" }}{{ .Values.found }}`)}
	for name, call := range map[string]struct {
		files      map[string]string
		parameters string
	}{
		"a chart's files":            {chart, `[]`},
		"a file of values":           {chart, `[{"name":"valueFiles","array":["` + up + `"]}]`},
		"an absolute one":            {chart, `[{"name":"valueFiles","array":["` + secret + `"]}]`},
		"a URL of one":               {chart, `[{"name":"valueFiles","array":["file://` + secret + `"]}]`},
		"a file of one value":        {chart, `[{"name":"fileParameters","map":{"found":"` + up + `"}}]`},
		"a resource":                 {map[string]string{"kustomization.yaml": "resources: [" + up + "]\n"}, `[]`},
		"an absolute resource":       {map[string]string{"kustomization.yaml": "resources: [" + secret + "]\n"}, `[]`},
		"a generator's file":         {map[string]string{"kustomization.yaml": "configMapGenerator:\n- name: c\n  files: [a=" + up + "]\n"}, `[]`},
		"a chart beside":             {map[string]string{"kustomization.yaml": "helmCharts: [{name: c, releaseName: c, valuesFile: " + up + "}]\nhelmGlobals: {chartHome: " + filepath.Dir(up) + "}\n"}, `[]`},
		"a configuration file":       {map[string]string{".rollstamp.yaml": "extends: " + up + "\n", "a.yaml": configMapWith("x")}, `[]`},
		"components":                 {map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": configMapWith("x")}, `[{"name":"components","array":["` + filepath.Dir(up) + `"]}]`},
		"a stand-in of another tree": {chart, `[{"name":"refs","map":{"other":"` + filepath.Dir(up) + `"}},{"name":"valueFiles","array":["$other/secret.yaml"]}]`},
	} {
		all := map[string]string{}
		for file, text := range call.files {
			all["apps/x/"+file] = text
		}
		m, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, all), Dir: "apps/x",
			Env: map[string]string{"ARGOCD_APP_NAME": "x", "ARGOCD_APP_PARAMETERS": call.parameters}})
		shown := strings.Join(m, "\n") + status.Convert(err).Message()
		if strings.Contains(shown, "found: it") || strings.Contains(shown, server.Root) || err == nil && name != "a chart's files" {
			t.Errorf("%s: %v\n%s", name, err, shown)
		}
	}
}

// TestAnswersAreKeptOnlyWhereTheyWouldBeTheSame counts renders by what the log says of each call.
func TestAnswersAreKeptOnlyWhereTheyWouldBeTheSame(t *testing.T) {
	chart := func(more, template string) map[string]string {
		return map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n" + more, "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
			"templates/c.yaml": configMapWith(template)}
	}
	for name, row := range map[string]struct {
		files  map[string]string
		option string // a parameter of the call
		args   []string
		kept   bool
	}{
		"a chart":                              {chart("", "x"), "", nil, true},
		"a random chart":                       {chart("", "{{ randAlphaNum 9 }}"), "", nil, false},
		"a chart that reads the clock":         {chart("", "{{ now }}"), "", nil, false},
		"a chart, with the network":            {chart("", "x"), "", []string{"--allow", "network"}, true},
		"one that depends, with the network":   {chart("dependencies: [{name: sub, version: 1.0.0}]\n", "x"), "", []string{"--allow", "network"}, false},
		"one that depends":                     {chart("dependencies: [{name: sub, version: 1.0.0}]\n", "x"), "", nil, true},
		"a kustomization":                      {map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": configMapWith("x")}, "", nil, true},
		"a kustomization, with the network":    {map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": configMapWith("x")}, "", []string{"--allow", "network"}, false},
		"manifests, with the network":          {map[string]string{"a.yaml": configMapWith("x")}, "", []string{"--allow", "network"}, true},
		"an option that names the revision":    {chart("", "{{ .Values.a }}"), `{"name":"parameters","map":{"a":"$ARGOCD_APP_REVISION"}}`, nil, false},
		"an option that names the application": {chart("", "{{ .Values.a }}"), `{"name":"parameters","map":{"a":"$ARGOCD_APP_NAME"}}`, nil, true},
	} {
		s := serveFor(t, row.args...)
		for _, revision := range []string{"one", "two"} {
			_, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, row.files),
				Env: map[string]string{"ARGOCD_APP_NAME": "x", "ARGOCD_APP_REVISION": revision, "ARGOCD_APP_PARAMETERS": "[" + row.option + "]"}})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.stop()
		if kept := strings.Contains(s.log.String(), `"how":"same-inputs"`); kept != row.kept {
			t.Errorf("%s: kept is %v\n%s", name, kept, s.log)
		}
	}
}

// TestNoKeptAnswerIsStale changes, removes and adds files one by one, and compares a server that has seen the
// repository before with one that remembers nothing.
func TestNoKeptAnswerIsStale(t *testing.T) {
	keeps, forgets := serveFor(t), serveFor(t, "--cache-bytes", "0", "--memory-bytes", "0")
	before := repository()
	type change struct{ file, text string }
	changes := []change{{"unrelated", "x"}, {".rollstamp.yaml", "kubeVersion: 1.30.0\n"}, {"apps/.rollstamp.yaml", "namespace: other\n"}}
	for file := range before {
		changes = append(changes, change{file, ""}, change{file, before[file] + "# more\n"})
	}
	for name := range servedApps {
		dir := "apps/" + name + "/"
		for file, text := range map[string]string{
			".argocd-source.yaml": "helm: {releaseName: patched}\n", ".argocd-source-team_web.yaml": "kustomize: {nameSuffix: -patched}\n",
			".helmignore": "templates/\n", "templates/more.yaml": configMapWith("more"), "more.yaml": configMapWith("more"), "kustomization.yml": "resources: []\n",
			"Chart.yaml": "apiVersion: v2\nname: now\nversion: 1.0.0\n", ".rollstamp.yaml": "ignore: [{kind: ConfigMap}]\n", "values.schema.json": `{"required":["none"]}`,
		} {
			changes = append(changes, change{dir + file, text})
		}
	}
	ask := func(s *served, packed []byte, name string) string {
		m, err := s.Manifests(t.Context(), servetest.Upload{Archive: packed, Dir: "apps/" + name, Env: callOf(name)})
		return strings.Join(m, "\n") + status.Convert(err).Message()
	}
	for _, c := range changes {
		after := maps.Clone(before)
		if after[c.file] = c.text; c.text == "" {
			delete(after, c.file)
		}
		packed := servetest.Archive(t, after)
		for name := range servedApps {
			if got, want := ask(keeps, packed, name), ask(forgets, packed, name); got != want {
				t.Errorf("%s, %s is now %q: kept %q, want %q", name, c.file, c.text, got, want)
			}
		}
	}
	keeps.stop()
	if kept := strings.Count(keeps.log.String(), `"how":"same-inputs"`); kept < len(changes) {
		t.Errorf("only %d answers of %d were kept", kept, len(changes)*len(servedApps))
	}
}

// TestNoCanaryLeavesTheServer looks for a value of a Secret, and for what is made of it, in errors, logs and metrics.
func TestNoCanaryLeavesTheServer(t *testing.T) {
	canary := "cnry" + rand.Text()
	s := serveFor(t)
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	chart := func(template string) map[string]string {
		return map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "values.yaml": "password: " + canary + "\n", "templates/s.yaml": template}
	}
	var shown strings.Builder
	codesSeen := map[codes.Code]int{}
	for _, tree := range []map[string]string{
		{"s.yaml": secret + "stringData: {a: " + canary + "}\n"},
		{"s.yaml": secret + "data: {a: '" + canary + "!'}\n"},
		{"s.yaml": secret + "stringData:\n\ta: " + canary + "\n"},
		{"s.yaml": "- " + canary + "\n"}, {"s.yaml": "metadata: {name: " + canary + "}\nstringData: {a: " + canary + "}\n"}, {"s.yaml": canary},
		chart("{{ fail .Values.password }}"), chart("kind: {{ .Values.password | int | required .Values.password }}"), chart("{{ .Values.password.x.y }}"),
		chart("stringData: {a: {{ .Values.password }}}\n"),
		{"kustomization.yaml": "secretGenerator:\n- name: s\n  literals: [" + canary + "]\n"},
		{".rollstamp.yaml": "hashDomain: [" + canary + "]\n", "s.yaml": secret},
	} {
		env := map[string]string{"ARGOCD_APP_NAME": "web", "ARGOCD_ENV_PASSWORD": canary, "ARGOCD_APP_PARAMETERS": `[{"name":"releaseName","string":"x"}]`}
		_, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree), Env: env})
		codesSeen[status.Code(err)]++
		fmt.Fprintln(&shown, err)
	}
	_, err := s.Manifests(t.Context(), servetest.Upload{Archive: []byte(canary), Env: map[string]string{"ARGOCD_APP_PARAMETERS": canary}})
	fmt.Fprintln(&shown, err)
	s.stop()
	shown.WriteString(s.log.String())
	for _, leak := range forms(canary) {
		if strings.Contains(shown.String(), leak) {
			t.Errorf("%q is shown in\n%s", leak, shown.String())
		}
	}
	if codesSeen[codes.OK] == 0 || codesSeen[codes.InvalidArgument] == 0 {
		t.Errorf("the calls ended with %v: some were to work, some to fail", codesSeen)
	}
	for line := range strings.Lines(s.log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
}

func TestServeRendersAgainWhenTheLockChanges(t *testing.T) {
	s := serveFor(t)
	files := map[string]string{"apps/web/a.yaml": configMapWith("x"), "rollstamp.lock": ""}
	render := func(lines ...string) string {
		t.Helper()
		files["rollstamp.lock"] = strings.Join(append([]string{"schema 3"}, lines...), "\n\n") + "\n"
		m, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, files), Dir: "apps/web",
			Env: map[string]string{"ARGOCD_APP_NAME": "team_web"}})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m, "\n")
	}
	line := func(app, when string) string { return app + " Deployment//web restart " + when + "%20-%20x" }
	for _, row := range []struct {
		lines []string
		want  string // of the restart; "" for none
	}{
		{nil, ""},
		{[]string{line("path/apps/web", "2026-01-01T00:00:00Z")}, "2026-01-01T00:00:00Z"},
		{[]string{line("path/apps/web", "2026-02-01T00:00:00Z")}, "2026-02-01T00:00:00Z"},
		{[]string{line("argocd/team/web@apps/web", "2026-03-01T00:00:00Z"), line("path/apps/web", "2026-02-01T00:00:00Z")},
			"2026-03-01T00:00:00Z"},
		{[]string{line("argocd/team/other@apps/web", "2026-03-01T00:00:00Z")}, ""},
	} {
		got := render(row.lines...)
		if has := strings.Contains(got, ".dev/restart"); has != (row.want != "") || !strings.Contains(got, row.want) {
			t.Errorf("%q: got\n%s", row.lines, got)
		}
	}
}
