package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
)

// The kustomization names a prefix and has generators, so references and names change after the function has run.
var functionTree = map[string]string{
	"kustomization.yaml": `resources: [web.yaml]
namePrefix: p-
configMapGenerator: [{name: made, literals: [A=1]}]
secretGenerator:
- {name: asked, literals: [B=2], options: {annotations: {rollstamp.dev/ignore: "false"}}}
transformers: [stamp.yaml]
`,
	"stamp.yaml": `apiVersion: rollstamp.dev/v1
kind: Stamp
metadata:
  name: stamp
  annotations:
    config.kubernetes.io/function: |
      exec: {path: rollstamp, args: [fn]}
`,
	"web.yaml": `apiVersion: apps/v1
kind: Deployment # the site
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: c
        envFrom:
        - configMapRef: {name: made}
        - configMapRef: {name: settings}
        - secretRef: {name: asked}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {A: "1"}
`,
}

func writeTree(t *testing.T, tree map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hosted runs a host of functions, and returns its standard output and what it ends with.
func hosted(t *testing.T, dir, name string, args ...string) (string, string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), stderr.String(), err
}

func TestKustomizeBuildRunsTheFunction(t *testing.T) {
	kustomize, dir := stock.Kustomize(t), writeTree(t, functionTree)
	out, stderr, err := hosted(t, dir, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if n := strings.Count(out, "checksum.rollstamp.dev/"); n != 2 ||
		!strings.Contains(out, "checksum.rollstamp.dev/configmap.p-settings: v1-033744a84f61fa50\n") ||
		!strings.Contains(out, "checksum.rollstamp.dev/secret.p-asked: v1-") {
		t.Errorf("%d stamps in\n%s", n, out)
	}
	hash := strings.Replace(out, "configmap.p-settings: v1-", "configmap.p-settings: v1-0", 1)
	for text, bad := range map[string]bool{out: false, hash: true, strings.Replace(out, `A: "1"`, `A: "2"`, 2): true} {
		if report, err := verified(t, text); (err != nil) != bad {
			t.Errorf("%v: %s\n%s", err, report, text)
		}
	}
	bare := map[string]string{}
	for name, text := range functionTree {
		bare[name] = strings.ReplaceAll(text, "transformers: [stamp.yaml]\n", "")
	}
	want, _, err := hosted(t, writeTree(t, bare), kustomize, "build", ".")
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.Replace(out, "      annotations:\n", "", 1)
	var lines []string
	for line := range strings.Lines(rest) {
		if !strings.Contains(line, "checksum.rollstamp.dev/") {
			lines = append(lines, line)
		}
	}
	if got := strings.Replace(strings.Join(lines, ""), "    metadata:\n    spec:", "    spec:", 1); got != want {
		t.Errorf("beside the stamps it is\n%s\nwant\n%s", got, want)
	}
}

// verified pipes manifests into rollstamp verify.
func verified(t *testing.T, text string) (string, error) {
	t.Helper()
	cmd := exec.Command("rollstamp", "verify")
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestAFunctionThatKustomizeSkipsIsFoundByVerify(t *testing.T) {
	out, stderr, err := hosted(t, writeTree(t, functionTree), stock.Kustomize(t), "build", "--enable-alpha-plugins", ".")
	if err != nil || out == "" || strings.Contains(out, "checksum.rollstamp.dev/") {
		t.Fatalf("it is not skipped: %v\n%s", err, stderr)
	}
	if report, err := verified(t, out); err == nil || !strings.Contains(report, "Deployment p-web: ") {
		t.Errorf("%v: %s", err, report)
	}
}

// What kustomize writes into content after functions have run is in no stamp of theirs.
func TestContentThatKustomizeResolvesLaterIsFoundByVerify(t *testing.T) {
	const replacement = `replacements: [{source: {kind: Deployment}, targets: [{select: {kind: ConfigMap, name: settings}, fieldPaths: [data.A]}]}]`
	for later, isFound := range map[string]bool{
		"vars: [{name: WEB, objref: {kind: Deployment, name: web, apiVersion: apps/v1}}]\nconfigurations: [refs.yaml]\n": true,
		replacement: false,
	} {
		tree := maps.Clone(functionTree)
		tree["kustomization.yaml"] += later
		tree["refs.yaml"] = "varReference: [{path: data/A, kind: ConfigMap}]\n"
		tree["web.yaml"] = strings.Replace(tree["web.yaml"], `A: "1"`, `A: $(WEB)`, 1)
		out, stderr, err := hosted(t, writeTree(t, tree), stock.Kustomize(t), "build", "--enable-alpha-plugins", "--enable-exec", ".")
		if err != nil || !strings.Contains(out, "  A: p-web\n") {
			t.Fatalf("%v: %s\n%s", err, stderr, out)
		}
		if report, err := verified(t, out); (err != nil) != isFound {
			t.Errorf("%s: %v: %s", later, err, report)
		}
	}
}

func TestKustomizeBuildFailsWhereTheFunctionDoes(t *testing.T) {
	tree := map[string]string{}
	for name, text := range functionTree {
		tree[name] = strings.ReplaceAll(text, "configMapRef: {name: settings}", "configMapRef: {name: gone}")
	}
	tree["stamp.yaml"] += "spec: {failOn: warning}\n"
	out, stderr, err := hosted(t, writeTree(t, tree), stock.Kustomize(t), "build", "--enable-alpha-plugins", "--enable-exec", ".")
	if err == nil || out != "" || !strings.Contains(stderr, "ConfigMap gone is not in the input") {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
}

func TestKustomizeFnRunAndKptWriteStampsIntoTheFiles(t *testing.T) {
	file := strings.Replace(functionTree["web.yaml"], "metadata: {name: web}", "metadata: {name: web} # named", 1)
	file = strings.Replace(file, "    spec:\n", "    metadata:\n      labels: {app: web}\n    spec:\n", 1)
	check := func(dir string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(dir, "web.yaml"))
		text := string(got)
		if err != nil || strings.Count(text, "checksum.rollstamp.dev/") != 1 || !strings.Contains(text, "kind: Deployment # the site") ||
			!strings.Contains(text, "# named") || strings.Contains(text, "config.kubernetes.io") || strings.Contains(text, "config.k8s.io") {
			t.Errorf("%v: the file is\n%s", err, text)
		}
		if out, stderr, err := hosted(t, dir, "rollstamp", "unstamp", "web.yaml"); err != nil || out != file {
			t.Errorf("%v: without stamps it is\n%s%s", err, out, stderr)
		}
	}
	// What holds no object is handed over, too: kustomize needs no kind in its file.
	const other = "resources: [web.yaml]\n"
	dir := writeTree(t, map[string]string{"web.yaml": file, "kustomization.yaml": other})
	config := filepath.Join(writeTree(t, functionTree), "stamp.yaml")
	if _, stderr, err := hosted(t, dir, stock.Kustomize(t), "fn", "run", ".", "--enable-exec", "--fn-path", config); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	check(dir)
	if got, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml")); err != nil || string(got) != other {
		t.Errorf("%v: the kustomization is\n%s", err, got)
	}
	kpt, err := exec.LookPath("kpt")
	if err != nil {
		t.Skip("no kpt on this machine")
	}
	dir = writeTree(t, map[string]string{"web.yaml": file})
	results := filepath.Join(dir, "results")
	_, stderr, err := hosted(t, dir, kpt, "fn", "eval", ".", "--exec", "rollstamp fn", "--results-dir", results, "--", "level=1")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	check(dir)
	if text, err := os.ReadFile(filepath.Join(results, "results.yaml")); err != nil || !strings.Contains(string(text), "code: missing-object") {
		t.Errorf("%v: the results are\n%s", err, text)
	}
}
