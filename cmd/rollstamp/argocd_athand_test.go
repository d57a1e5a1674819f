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
	if code, out, errs := call(render...); code != diag.ExitSource || out != "" || !strings.Contains(errs, "network is not allowed") {
		t.Errorf("without the repository: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := call(append(render, "--repo", address+"=../repo")...); code != diag.ExitOK ||
		!strings.Contains(out, "from: one") {
		t.Errorf("with the repository: %d, %q, %q", code, out, errs)
	}
}

// What a branch means is read where --repo has the repository: the lock is written without the network, and what
// --follow writes is compared without it.
func TestABranchIsFollowedInARepositoryAtHand(t *testing.T) {
	dir, git := following(t)
	address := elsewhere(t, dir) + "/git/repo"
	web := filepath.Join(dir, "web")
	plant(t, web, map[string]string{"native.yaml": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web},
spec: {destination: {namespace: shop}, sources: [
  {repoURL: "https://git.example.org/web.git", path: ., helm: {valueFiles: [$values/box.yaml]}},
  {repoURL: "` + address + `", targetRevision: main, ref: values}]}}`})
	t.Chdir(web)
	call := func(args ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), append(args, "--repo", "https://git.example.org/web.git=.",
			"--cache-dir", filepath.Join(dir, "empty")), func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	there := []string{"--repo", address + "=../repo"}
	code, out, errs := call(append(there, "argocd", "convert", "--follow", "--check", "--allow", "moving-refs", "native.yaml")...)
	if code != diag.ExitOK || !strings.Contains(out, address+"@main") || !strings.Contains(errs, "1 of 1 source converted") {
		t.Fatalf("convert: %d, %q, %q", code, out, errs)
	}
	plant(t, web, map[string]string{"app.yaml": out})
	if err := os.Remove("native.yaml"); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := call("lock", "--as", "argocd", "app.yaml"); code == diag.ExitOK || out != "" {
		t.Errorf("lock without the repository: %d, %q, %q", code, out, errs)
	}
	first := git("rev-parse", "HEAD")
	lock := append([]string{"lock", "--as", "argocd", "app.yaml"}, there...)
	if code, out, errs := call(lock...); code != diag.ExitOK || !strings.Contains(out, " main commit "+first) {
		t.Fatalf("lock: %d, %q, %q", code, out, errs)
	}
	plant(t, filepath.Join(dir, "repo"), map[string]string{"box.yaml": "greeting: two\n"})
	git("commit", "-q", "-a", "-m", "two")
	second := git("rev-parse", "HEAD")
	if code, out, errs := call(append(lock, "--check")...); code != diag.ExitFindings ||
		!strings.Contains(out, first+" -> commit "+second) {
		t.Errorf("lock --check: %d, %q, %q", code, out, errs)
	}
	render := append([]string{"argocd", "render", "--no-stamp", "app.yaml"}, there...)
	if code, out, errs := call(render...); code != diag.ExitOK || !strings.Contains(out, "from: one") {
		t.Errorf("with the lock: %d, %q, %q", code, out, errs)
	}
	if err := os.Remove("rollstamp.lock"); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := call(render...); code == diag.ExitOK || out != "" || !strings.Contains(errs, "moving-refs") {
		t.Errorf("without lock and permission: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := call(append(render, "--allow", "moving-refs")...); code != diag.ExitOK ||
		!strings.Contains(out, "from: two") || !strings.Contains(errs, "is at commit "+second) {
		t.Errorf("without the lock: %d, %q, %q", code, out, errs)
	}
}
