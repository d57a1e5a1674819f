package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/diag"
)

// TestApplicationsOfElsewhereRenderWithPermissionOnly has one source in a repository of Git and one in a repository of
// charts, each of which only a server knows.
func TestApplicationsOfElsewhereRenderWithPermissionOnly(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("repo/app/settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n")
	write("repo/values/box.yaml", "greeting: from git\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	server := elsewhere(t, dir)
	app := write("app.yaml", fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  sources:
  - {repoURL: %[1]s/git/repo, targetRevision: main, path: app, ref: here}
  - {repoURL: %[1]s/charts, chart: box, targetRevision: ~1.2, helm: {valueFiles: [$here/values/box.yaml]}}
  destination: {namespace: shop}
`, server))
	ask := func(more ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		args := append([]string{"argocd", "render", "--no-stamp", "--cache-dir", filepath.Join(dir, "cache"), app}, more...)
		code := run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	if code, out, errs := ask(); code != diag.ExitSource || out != "" || !strings.Contains(errs, "the network is not allowed") {
		t.Errorf("without permission: %d, %q, %q", code, out, errs)
	}
	code, out, errs := ask("--allow", "network")
	if want := "from: from git"; code != diag.ExitOK || !strings.Contains(out, want) || !strings.Contains(out, "name: settings") || errs != "" {
		t.Errorf("with permission: %d, %q, %q", code, out, errs)
	}
	if _, again, _ := ask("--allow", "network"); again != out {
		t.Errorf("a second time it is\n%s", again)
	}
	var converted, messages bytes.Buffer
	args := []string{"argocd", "convert", "--check", "--pin", "--allow", "network", "--cache-dir", filepath.Join(dir, "cache"), app}
	code = run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&converted, &messages))
	if code != diag.ExitOK || strings.Count(converted.String(), "plugin:") != 2 || !strings.Contains(messages.String(), "2 of 2 sources converted") {
		t.Errorf("converted: %d, %s\n%s", code, converted.String(), messages.String())
	}
}

// What follows a branch needs a permission beyond the network, and the answer says at which commit it was.
func TestValuesOfAnotherRepositoryFollowItsBranchWithPermissionOnly(t *testing.T) {
	dir, git := following(t)
	t.Setenv("ARGOCD_APP_PARAMETERS", `[{"name":"refs","map":{"values":"`+elsewhere(t, dir)+`/git/repo@main"}}]`)
	t.Chdir(filepath.Join(dir, "web"))
	generate := func(allow string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		args := []string{"argocd", "generate", "--cache-dir", filepath.Join(dir, "cache"), "--allow", allow}
		code := run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	if code, out, errs := generate("network"); code != diag.ExitUsage || out != "" ||
		!strings.Contains(errs, "rollstamp.lock has none for it") || !strings.Contains(errs, "moving-refs") {
		t.Errorf("without permission: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := generate("moving-refs"); code != diag.ExitSource || out != "" ||
		!strings.Contains(errs, "the network is not allowed") {
		t.Errorf("without the network: %d, %q, %q", code, out, errs)
	}
	for _, text := range []string{"one", "two"} {
		if text == "two" {
			if err := os.WriteFile(filepath.Join(dir, "repo/box.yaml"), []byte("greeting: two\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			git("commit", "-q", "-a", "-m", "two")
		}
		code, out, errs := generate("network,moving-refs")
		if code != diag.ExitOK || !strings.Contains(out, "from: "+text) ||
			!strings.Contains(errs, "is at commit "+git("rev-parse", "HEAD")) {
			t.Errorf("%s: %d, %q, %q", text, code, out, errs)
		}
	}
}

// An operator's log has the commit at its usual level, for each application and whoever renders it, and no password.
func TestServeLogsTheCommitThatItFollowed(t *testing.T) {
	dir, git := following(t)
	address := strings.Replace(elsewhere(t, dir), "http://", "http://robot:canary-password@", 1) + "/git/repo"
	chart := map[string]string{}
	for _, name := range []string{"Chart.yaml", "templates/a.yaml", ".rollstamp.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, "web", name))
		if err != nil {
			t.Fatal(err)
		}
		chart[name] = string(text)
	}
	for _, isolate := range []string{"true", "false"} {
		s := serveFor(t, "--isolate="+isolate, "--log-level", "info", "--cache-dir", filepath.Join(dir, "cache"),
			"--allow", "network,moving-refs")
		_, err := s.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, chart), Env: map[string]string{
			"ARGOCD_APP_NAME": "web", "ARGOCD_APP_PARAMETERS": `[{"name":"refs","map":{"values":"` + address + `@main"}}]`}})
		s.stop()
		log := s.log.String()
		want := `"msg":"finding","app":"web","finding":"argocd-ref-followed"`
		if err != nil || !strings.Contains(log, want) || strings.Contains(log, "canary") ||
			!strings.Contains(log, "/git/repo is at commit "+git("rev-parse", "HEAD")) {
			t.Errorf("isolated: %s: %v\n%s", isolate, err, log)
		}
	}
}

// following makes a chart with values in another repository, beside which it lies, and returns what runs git there.
func following(t *testing.T) (dir string, git func(args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	plant(t, dir, map[string]string{
		"repo/box.yaml": "greeting: one\n", "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {from: {{ .Values.greeting }}}\n",
		"web/.rollstamp.yaml":  "argocd: {helm: {valueFiles: [$values/box.yaml]}}\n",
	})
	git = func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = filepath.Join(dir, "repo")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	return dir, git
}

// Where the lock says at which commit another repository is, a render needs neither permission nor network.
func TestTheLockSaysAtWhichCommitAnotherRepositoryIs(t *testing.T) {
	dir, git := following(t)
	git("tag", "web/1.0.0")
	git("tag", "api/1.9.0")
	first := git("rev-parse", "HEAD")
	address := elsewhere(t, dir) + "/git/repo"
	name := "repository/" + strings.TrimPrefix(address, "http://")
	refs := `{"values":"` + address + `@main","tags":"` + address + `@1.x?tagPrefix=web/"}`
	t.Setenv("ARGOCD_APP_PARAMETERS", `[{"name":"refs","map":`+refs+`}]`)
	web := filepath.Join(dir, "web")
	writeApplication := func(refs string) {
		plant(t, web, map[string]string{"app.yaml": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web},
spec: {destination: {namespace: shop}, source: {repoURL: "https://git.example.org/web.git", path: ., plugin: {name: rollstamp, parameters: [{name: refs, map: ` + refs + `}]}}}}`})
	}
	writeApplication(refs)
	t.Chdir(web)
	call := func(args ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), append(args, "--cache-dir", filepath.Join(dir, "cache")),
			func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	lock := func(more ...string) (diag.Exit, string, string) {
		return call(append([]string{"lock", "--as", "argocd", "app.yaml", "--repo", "https://git.example.org/web.git=."}, more...)...)
	}
	renders := func(want string) {
		t.Helper()
		if code, out, errs := call("argocd", "generate"); code != diag.ExitOK || !strings.Contains(out, "from: "+want) ||
			strings.Contains(errs, "is at commit") {
			t.Errorf("want %s: %d, %q, %q", want, code, out, errs)
		}
	}
	if code, _, errs := lock(); code == diag.ExitOK || !strings.Contains(errs, "network") {
		t.Errorf("without the network: %d, %q", code, errs)
	}
	if code, out, errs := lock("--allow", "network"); code != diag.ExitOK ||
		!strings.Contains(out, "+ "+name+" main commit "+first) || !strings.Contains(out, name+" 1.x?tagPrefix=web/ commit "+first) {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	renders("one")
	plant(t, filepath.Join(dir, "repo"), map[string]string{"box.yaml": "greeting: two\n"})
	git("commit", "-q", "-a", "-m", "two")
	second := git("rev-parse", "HEAD")
	renders("one")
	if code, out, _ := lock("--allow", "network", "--missing"); code != diag.ExitOK || out != "" {
		t.Errorf("nothing is missing: %d, %q", code, out)
	}
	if code, out, _ := lock("--allow", "network", "--check"); code != diag.ExitFindings ||
		out != "rollstamp.lock: "+name+" main commit "+first+" -> commit "+second+"\n" {
		t.Errorf("what is behind: %d, %q", code, out)
	}
	// Two branches have moved it otherwise: the one that counts is what it is now.
	text, err := os.ReadFile("rollstamp.lock")
	if err != nil {
		t.Fatal(err)
	}
	line := name + " main commit " + first
	plant(t, web, map[string]string{"rollstamp.lock": strings.Replace(string(text), line,
		"<<<<<<< ours\n"+line+"\n=======\n"+strings.Replace(line, first, strings.Repeat("0", 40), 1)+"\n>>>>>>> theirs", 1)})
	if code, _, errs := call("argocd", "generate"); code != diag.ExitInput || !strings.Contains(errs, "conflict") {
		t.Errorf("in conflict: %d, %q", code, errs)
	}
	if code, _, errs := lock("--allow", "network", "--update", name+" main"); code != diag.ExitOK {
		t.Errorf("%d, %q", code, errs)
	}
	renders("two")
	// A line that nothing reads any more goes.
	t.Setenv("ARGOCD_APP_PARAMETERS", "")
	writeApplication(strings.Replace(refs, `,"tags":"`+address+`@1.x?tagPrefix=web/"`, "", 1))
	if code, out, errs := lock("--allow", "network", "--prune"); code != diag.ExitOK ||
		!strings.Contains(out, "- "+name+" 1.x?tagPrefix=web/ commit "+first) {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}

// The source that the values came from may stay in the Application: the plugin is sent none of its files, and the lock
// lies in the folder of the source that is rendered.
func TestALockIsWrittenBesideASourceThatOnlyOthersReferTo(t *testing.T) {
	dir, git := following(t)
	address := elsewhere(t, dir) + "/git/repo"
	web := filepath.Join(dir, "web")
	plant(t, dir, map[string]string{"app.yaml": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web},
spec: {destination: {namespace: shop}, sources: [
  {repoURL: "https://git.example.org/web.git", path: ., plugin: {name: rollstamp, parameters: [
    {name: refs, map: {values: "` + address + `@main"}}]}},
  {repoURL: "` + address + `", targetRevision: main, ref: values}]}}`})
	t.Chdir(web)
	for _, command := range [][]string{{"lock", "--as", "argocd"}, {"argocd", "render"}} {
		var out, errs bytes.Buffer
		args := append(command, filepath.Join(dir, "app.yaml"), "--repo", "https://git.example.org/web.git=.",
			"--allow", "network", "--cache-dir", filepath.Join(dir, "cache"))
		code := run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		if code != diag.ExitOK {
			t.Fatalf("%v: %d, %q, %q", command, code, out.String(), errs.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(web, "rollstamp.lock"))
	if err != nil || !strings.Contains(string(text), "main commit "+git("rev-parse", "HEAD")) {
		t.Errorf("%q, %v", text, err)
	}
}

// elsewhere serves the repositories in a folder below /git, and a repository of one chart below /charts.
func elsewhere(t *testing.T, dir string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{
		"box/Chart.yaml":         "apiVersion: v2\nname: box\nversion: 1.2.3\n",
		"box/templates/box.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: box}\ndata: {from: {{ .Values.greeting }}}\n",
	} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if w.Close() != nil || z.Close() != nil {
		t.Fatal("the archive cannot be written")
	}
	mux := http.NewServeMux()
	mux.Handle("/git/", &cgi.Handler{Path: git, Args: []string{"http-backend"}, Root: "/git", Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1"}})
	mux.HandleFunc("/charts/index.yaml", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"apiVersion: v1\nentries: {box: [{apiVersion: v2, name: box, version: 1.2.3, urls: [box-1.2.3.tgz]}, "+
				"{apiVersion: v2, name: box, version: 1.3.0, urls: [none.tgz]}]}\n")
	})
	mux.HandleFunc("/charts/box-1.2.3.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
