package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// What another repository has got since is shown with the workloads that it restarts, before the lock is written; by a
// diff, when it is.
func TestWhatANewCommitOfAnotherRepositoryRestartsIsShown(t *testing.T) {
	dir, git := following(t)
	first := git("rev-parse", "HEAD")
	address := elsewhere(t, dir) + "/git/repo"
	web := filepath.Join(dir, "web")
	workload := func(name, reads string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + "}\nspec:\n  selector: {matchLabels: {app: " + name +
			"}}\n  template:\n    metadata: {labels: {app: " + name + "}}\n    spec:\n      containers:\n      - name: a\n        image: a:1\n" +
			"        envFrom: [{configMapRef: {name: " + reads + "}}]\n"
	}
	plant(t, web, map[string]string{
		"templates/reads.yaml": workload("reads", "web"),
		"templates/other.yaml": workload("other", "other") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {a: b}\n",
		"app.yaml": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web},
spec: {destination: {namespace: shop}, source: {repoURL: "https://git.example.org/web.git", path: ., plugin: {name: rollstamp, parameters: [{name: refs, map: {values: "` +
			address + `@main"}}]}}}}`,
	})
	t.Chdir(web)
	call := func(args ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), append(args, "--as", "argocd", "app.yaml", "--repo", "https://git.example.org/web.git=.",
			"--allow", "network", "--cache-dir", filepath.Join(dir, "cache")),
			func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	if code, out, errs := call("lock"); code != diag.ExitOK {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	plant(t, filepath.Join(dir, "repo"), map[string]string{"box.yaml": "greeting: two\n"})
	git("commit", "-q", "-a", "-m", "two")
	want := "main commit " + first + " -> commit " + git("rev-parse", "HEAD") + "\nrestarts Deployment shop/reads of argocd/web\n"
	if code, out, errs := call("lock", "--check"); code != diag.ExitFindings || !strings.HasSuffix(out, want) || errs != "" {
		t.Errorf("%d, %q, %q; want %q", code, out, errs, want)
	}
	if code, out, _ := call("lock", "--check", "-o", "json"); code != diag.ExitFindings ||
		!strings.Contains(out, `"name": "reads"`) || strings.Contains(out, `"name": "other"`) {
		t.Errorf("%d, %q", code, out)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "one"}} {
		git(append([]string{"-C", web}, args...)...)
	}
	if code, out, errs := call("lock"); code != diag.ExitOK {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	if code, out, errs := call("diff", "--from", "HEAD"); code != diag.ExitFindings ||
		!strings.HasPrefix(out, "1 workload restarts\n  Deployment shop/reads\n") {
		t.Errorf("the diff: %d, %q, %q", code, out, errs)
	}
	plant(t, web, map[string]string{"rollstamp.lock": "schema 3\n\nrepository/" + strings.TrimPrefix(address, "http://") +
		" main commit " + first + "\n"})
	// A commit that is gone: the line is behind, and what that restarts is not known.
	lock, err := os.ReadFile("rollstamp.lock")
	if err != nil {
		t.Fatal(err)
	}
	plant(t, web, map[string]string{"rollstamp.lock": strings.Replace(string(lock), first, strings.Repeat("0", 40), 1)})
	if code, out, errs := call("lock", "--check"); code != diag.ExitFindings || errs != "" ||
		!strings.Contains(out, " -> commit ") || strings.Contains(out, "restarts Deployment") ||
		!strings.Contains(out, "what restarts of argocd/web is not known, as its lock cannot be rendered: Application web: app.yaml:2: fetch ") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	if code, out, errs := call("lock"); code != diag.ExitOK {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	git("checkout", "-q", "-b", "other")
	git("branch", "-q", "-D", "main")
	if code, out, errs := call("lock", "--check"); code != diag.ExitSource || out != "" || !strings.Contains(errs, "main") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}
