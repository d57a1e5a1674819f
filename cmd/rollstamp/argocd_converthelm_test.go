package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rollstamp/rollstamp/internal/stock"
)

// chartApplication is an Application of a chart, with its options in each way that Argo CD has.
const chartApplication = `
-- web.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop}
  source:
    repoURL: https://git.example.org/shop.git
    path: chart
    helm:
      version: v3
      valueFiles: [prod.yaml]
      values: "a: 1\n"
      skipCrds: false
      parameters: [{name: list, value: 'x,y'}, {name: size, value: "3", forceString: true}]
      fileParameters: [{name: file, path: prod.yaml}]
-- chart/Chart.yaml --
{apiVersion: v2, name: web, version: 1.0.0}
-- chart/values.yaml --
proxy: null
-- chart/prod.yaml --
b: 2
-- chart/crds/c.yaml --
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}}
-- chart/templates/c.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}", namespace: {{ .Release.Namespace }}}
data:
  all: {{ toJson .Values | quote }}
`

func TestTheHelmOfARepoServerProvesAConversion(t *testing.T) {
	helm, dir := stock.Helm(t), t.TempDir()
	program := filepath.Join(programs(t), "rollstamp")
	t.Setenv("TMPDIR", t.TempDir()) // what is left in it is of these runs
	for _, f := range txtar.Parse([]byte(chartApplication)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	convert := func(args ...string) (stdout, stderr string, err error) {
		return hosted(t, dir, program, append([]string{"argocd", "convert", "--check",
			"--repo", "https://git.example.org/shop.git=.", "--helm"}, args...)...)
	}
	stdout, stderr, err := convert(helm, "--argocd-version", "v3.4.1", "web.yaml")
	if err != nil || !strings.Contains(stderr, "web.yaml: helm "+stock.HelmVersion+" renders the same bytes of 1 chart\n") ||
		!strings.Contains(stdout, "plugin:") || strings.Contains(stdout, "name: version") {
		t.Errorf("%v: %s\n%s", err, stderr, stdout)
	}

	if _, stderr, err := convert(helm, "--argocd-version", "v3.5.0", "web.yaml"); err == nil ||
		!strings.Contains(stderr, " is "+stock.HelmVersion+", and Argo CD v3.5.0 renders with Helm 4\n") {
		t.Errorf("the helm of another Argo CD: %v, %s", err, stderr)
	}

	// Another helm, which renders a chart otherwise.
	other := filepath.Join(dir, "other")
	script := "#!/bin/sh\n'" + helm + "' \"$@\" | sed 's/proxy/procsy/; s/^v3.*/v3.1.0/'\n"
	if err := os.WriteFile(other, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err = convert(other, "web.yaml")
	if err == nil || stdout != "" ||
		!strings.HasPrefix(stderr, "Application argocd/web: helm v3.1.0 renders otherwise: ConfigMap shop/web differs from its "+
			"line 7 on\nweb.yaml: 0 of 1 source converted, ") {
		t.Errorf("%v: %s\n%s", err, stderr, stdout)
	}

	// One that does not end has the time of an application, and so has what it has started and left.
	script = "#!/bin/sh\ncase $1 in version) exec '" + helm + "' \"$@\";; esac\nsleep 300\nexit 1\n"
	if err := os.WriteFile(other, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	stdout, stderr, err = convert(other, "--timeout", "9s", "web.yaml")
	if err == nil || stdout != "" || time.Since(begun) > 2*time.Minute ||
		!strings.Contains(stderr, " template: not finished after 9s\nhint: Run it by hand to see what it waits for, ") {
		t.Errorf("a helm that does not end, after %s: %v: %s\n%s", time.Since(begun), err, stderr, stdout)
	}

	// What is random cannot be compared, and is not said to be the same.
	plant(t, dir, map[string]string{"chart/templates/r.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: r}\n" +
		"stringData: {p: {{ randAlphaNum 8 }}}\n---\nkind: Job\napiVersion: batch/v1\nmetadata: {name: j-{{ randAlphaNum 5 | lower }}}\n"})
	_, stderr, err = convert(helm, "web.yaml")
	if err != nil || !strings.Contains(stderr, "Application argocd/web: Secret r is random: it differs from one render to the next, ") ||
		!strings.Contains(stderr, "Application argocd/web: Job j-") || strings.Contains(stderr, " is new") ||
		!strings.Contains(stderr, " renders the same bytes of 0 charts\n") {
		t.Errorf("a random chart: %v, %s", err, stderr)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "rollstamp-helm*")); err != nil || len(left) > 0 {
		t.Errorf("%v: %v are left", err, left)
	}
}

// A repo-server builds dependencies that a chart lacks; so does the proof, in a copy. A chart that is fetched is
// compared, too.
func TestTheHelmOfARepoServerGetsWhatAChartDependsOn(t *testing.T) {
	dir := t.TempDir()
	charts := elsewhere(t, dir) + "/charts"
	const template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lib}\ndata: {all: {{ toJson .Values | quote }}}\n"
	source := func(name, from string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + "}\nspec:\n" +
			"  destination: {namespace: shop}\n  source:\n    " + from + "\n    helm: {values: 'greeting: hi'}\n"
	}
	const here = "repoURL: https://git.example.org/shop.git\n    path: "
	plant(t, dir, map[string]string{
		"local.yaml": source("local", here+"apps/local"), "remote.yaml": source("remote", here+"apps/remote"),
		"fetched.yaml": source("fetched", "repoURL: "+charts+"\n    chart: box\n    targetRevision: 1.2.3"),
		"apps/local/Chart.yaml": "apiVersion: v2\nname: local\nversion: 1.0.0\n" +
			"dependencies: [{name: lib, version: 1.x, repository: 'file://../../lib'}]\n",
		"lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\n", "lib/templates/a.yaml": template,
		"apps/remote/Chart.yaml": "apiVersion: v2\nname: remote\nversion: 1.0.0\n" +
			"dependencies: [{name: box, version: 1.2.3, repository: '" + charts + "'}]\n",
		"apps/remote/values.yaml": "box: {greeting: hi}\n",
	})
	for _, app := range []string{"local.yaml", "remote.yaml", "fetched.yaml"} {
		_, stderr, err := hosted(t, dir, filepath.Join(programs(t), "rollstamp"), "argocd", "convert", "--check",
			"--repo", "https://git.example.org/shop.git=.", "--allow", "network", "--cache-dir", "cache",
			"--helm", stock.Helm(t), app)
		if err != nil || !strings.Contains(stderr, " renders the same bytes of 1 chart\n") {
			t.Errorf("%s: %v, %s", app, err, stderr)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "apps/*/*")); err != nil || len(left) != 3 {
		t.Errorf("the work tree was written to: %v, %v", left, err)
	}
}
