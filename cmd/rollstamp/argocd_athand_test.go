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

// A commit that the lock names is read where --repo has the repository, at that commit, and not from the network.
func TestACommitOfTheLockIsReadFromARepositoryAtHand(t *testing.T) {
	dir, git := following(t)
	address := elsewhere(t, dir) + "/git/repo"
	web := filepath.Join(dir, "web")
	plant(t, web, map[string]string{"app.yaml": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web},
spec: {destination: {namespace: shop}, source: {repoURL: "https://git.example.org/web.git", path: ., plugin: {name: rollstamp,
  parameters: [{name: refs, map: {"values":"` + address + `@main"}}]}}}}`})
	t.Chdir(web)
	call := func(args ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), append(args, "--repo", "https://git.example.org/web.git=."),
			func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	code, _, errs := call("lock", "--as", "argocd", "app.yaml", "--allow", "network", "--cache-dir", filepath.Join(dir, "cache"))
	if code != diag.ExitOK {
		t.Fatalf("lock: %d, %q", code, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "repo/box.yaml"), []byte("greeting: two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "two")
	render := []string{"argocd", "render", "--no-stamp", "app.yaml", "--cache-dir", filepath.Join(dir, "empty")}
	if code, out, errs := call(render...); code != diag.ExitInput || out != "" || !strings.Contains(errs, "network is not allowed") {
		t.Errorf("without the repository: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := call(append(render, "--repo", address+"=../repo")...); code != diag.ExitOK ||
		!strings.Contains(out, "from: one") {
		t.Errorf("with the repository: %d, %q, %q", code, out, errs)
	}
}
