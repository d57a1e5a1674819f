package main

import (
	"cmp"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

const kept = "canary-kept-by-a-helper"

// credentialHelpers is a PATH with helpers: one has the password and writes down who started it, the others fail.
func credentialHelpers(t *testing.T) (path, startedBy string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the parent of a process is looked up in /proc")
	}
	dir := t.TempDir()
	startedBy = filepath.Join(dir, "started-by")
	for name, text := range map[string]string{
		"good": "readlink /proc/$PPID/exe >> " + startedBy + "\n" +
			`test -z "$ROLLSTAMP_RENDER_CACHE_AUTHORIZATION" && echo '{"Username": "u", "Secret": "` + kept + `"}'`,
		"bad":  "echo " + kept + "; echo " + kept + " >&2; exit 1",
		"none": "echo credentials not found in native keychain; exit 1",
	} {
		text = "#!/bin/sh\n" + text + "\n"
		if err := os.WriteFile(filepath.Join(dir, "docker-credential-"+name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, startedBy
}

// guardedRegistry is a registry that wants the password, with the chart charts/web in it.
func guardedRegistry(t *testing.T) (host string) {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	open := httptest.NewServer(inner)
	t.Cleanup(open.Close)
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != kept {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(guarded.Close)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "web", "templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Chart.yaml":       "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "web", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := packChart(dir, "web")
	if err == nil {
		err = pushTo(open.URL, "charts/web", "1.0.0", archive)
	}
	if err != nil {
		t.Fatal(err)
	}
	return guarded.Listener.Addr().String()
}

// Whatever a file of credentials names, the program that renders and pushes starts none of it itself.
func TestCredentialHelpersAreAskedByTheOtherProgram(t *testing.T) {
	t.Parallel()
	dir, host := programs(t), guardedRegistry(t)
	alone := filepath.Join(t.TempDir(), "rollstamp")
	if err := os.Link(filepath.Join(dir, "rollstamp"), alone); err != nil {
		t.Skip(err) // another file system
	}
	helpers, startedBy := credentialHelpers(t)
	push := []string{"flux", "push", "oci://" + host + "/apps", "web.yaml"}
	fetch := []string{"render", ".", "--as", "helm", "--allow", "network", "--dependency-update"}
	const install = "hint: Install rollstamp-stores of the same release beside rollstamp"
	for _, c := range []struct {
		program, helper string
		args            []string
		out, err        string
	}{
		{"", "good", push, host + "/apps@sha256:", ""},
		{"", "good", fetch, "name: fetched", ""},
		{"", "bad", push, "", "ask docker-credential-bad: what it has cannot be read\nhint: Try 'echo " + host},
		{"", "bad", fetch, "", "ask docker-credential-bad: what it has cannot be read\nhint: Try 'echo " + host},
		{"", "none", push, "", "it wants a user and a password, and there are none for it"},
		{"", "none", fetch, "", "basic credential not found"},
		{"", "missing", push, "", "ask docker-credential-missing: it is not in PATH\nhint: Install it"},
		{"", "good", append(slices.Clone(push), "--provider", "aws"), "", "ask aws for a login: request not accepted (" + host +
			" is no registry of ECR)\nhint: Name a registry of that cloud"},
		{"", "good", append(slices.Clone(push), "--provider", "gcp"), "", "is no registry of Google Cloud"},
		{"", "good", append(slices.Clone(push), "--provider", "azure"), "", "is no registry of Azure"},
		{"", "good", append(slices.Clone(push), "--provider", "other"), "", "generic"},
		{"", "good", append(slices.Clone(push), "--provider", "aws", "--username", "u"), "", "two ways to log in"},
		{alone, "good", append(slices.Clone(push), "--provider", "aws"), "", install},
		{alone, "good", push, "", install},
		{alone, "good", fetch, "", install},
	} {
		tree := writeTree(t, map[string]string{
			"config.json": `{"credHelpers": {"` + host + `": "` + c.helper + `"}}`,
			"web.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			"Chart.yaml": "apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, repository: 'oci://" +
				host + "/charts'}\n",
		})
		cmd := exec.Command(cmp.Or(c.program, filepath.Join(dir, "rollstamp")), c.args...)
		var stdout, stderr strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = tree, &stdout, &stderr
		cmd.Env = append(os.Environ(), "DOCKER_CONFIG="+tree, "PATH="+helpers+":"+os.Getenv("PATH"), "HOME="+tree,
			"XDG_CACHE_HOME="+tree, "ROLLSTAMP_RENDER_CACHE_AUTHORIZATION=ours")
		ended := cmd.Run()
		if (ended != nil) != (c.err != "") || !strings.Contains(stdout.String(), c.out) ||
			!strings.Contains(stderr.String(), c.err) || strings.Contains(stdout.String()+stderr.String(), kept) {
			t.Errorf("%s with %q: %v\n%s\n%s", c.args[0], c.helper, ended, stdout.String(), stderr.String())
		}
	}
	starters, err := os.ReadFile(startedBy)
	want := filepath.Join(dir, "rollstamp-stores") + "\n"
	if got := string(starters); err != nil || got == "" || strings.ReplaceAll(got, want, "") != "" {
		t.Errorf("%v, started by %s", err, got)
	}
}
