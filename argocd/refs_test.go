package argocd

import (
	"context"
	"io"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// served returns the address of a repository with some files, served by the real git, and its commit.
func served(t *testing.T, texts map[string]string) (address, commit string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := repository(t, texts)
	git := func(args ...string) string {
		cmd := exec.Command(program, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"},
			args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("config", "uploadpack.allowAnySHA1InWant", "true")
	git("add", "-A")
	git("commit", "-q", "-m", "all")
	server := httptest.NewServer(&cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(dir), git("rev-parse", "HEAD")
}

func TestAnotherRepositorySubstitutesASourceAtItsCommit(t *testing.T) {
	address, commit := served(t, map[string]string{"env/prod.yaml": "a: prod\n", "env/more.yaml": "a: more\n"})
	root := repository(t, map[string]string{"Chart.yaml": chartFile, "own.yaml": "a: own\n"})
	call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": `[{"name":"valueFiles","array":["own.yaml","$values/env/*.yaml"]},{"name":"refs","map":{"values":"` + address + "@" + commit + `"}}]`}, root, root, nil)
	if err != nil || !call.Remote() {
		t.Fatalf("%v, %+v", err, call)
	}
	cache := t.TempDir()
	if err := call.Fetch(context.Background(), cache); err != nil || call.Remote() {
		t.Fatal(err)
	}
	req, _, err := call.Request()
	if err != nil || len(req.Helm.ValuesFiles) != 3 {
		t.Fatalf("%v, %v", req.Helm.ValuesFiles, err)
	}
	for i, want := range []string{"a: own\n", "a: more\n", "a: prod\n"} {
		if text, err := req.Files.ReadFile(req.Helm.ValuesFiles[i]); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", req.Helm.ValuesFiles[i], text, err)
		}
	}
	if shown := call.Plain(req.Helm.ValuesFiles[2]); shown != "$values/env/prod.yaml" {
		t.Errorf("shown as %s", shown)
	}
}

func TestARepositoryThatIsFollowedIsReadAtWhatItsRevisionMeansNow(t *testing.T) {
	address, commit := served(t, map[string]string{"prod.yaml": "a: prod\n"})
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	for _, rev := range []string{"main", "HEAD", "refs/heads/main"} {
		call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": `[{"name":"valueFiles","array":["$values/prod.yaml"]},{"name":"refs","map":{"values":"` + address + "@" + rev + `"}}]`}, root, root, nil)
		if err != nil || call.CheckFixed() == nil {
			t.Fatalf("%v, %+v", err, call)
		}
		if err := call.Fetch(context.Background(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
		req, found, err := call.Request()
		if err != nil || len(found) != 1 || found[0].Code != diag.SourceFollowed || !strings.Contains(found[0].Message, "is at commit "+commit) {
			t.Errorf("%s: findings %v, %v", rev, found, err)
		}
		if text, err := req.Files.ReadFile(req.Helm.ValuesFiles[0]); err != nil || string(text) != "a: prod\n" {
			t.Errorf("%s: %q, %v", rev, text, err)
		}
	}
}

func TestARepositoryThatSubstitutesASourceIsPinned(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": chartFile})
	for place, want := range map[string]string{
		"https://h.example/r.git":            "refs values: want an address of a repository and a revision behind it: URL@COMMIT",
		"https://h.example/r.git@>=1.0.0 <2": `refs values: a range of versions with blanks cannot be followed: ">=1.0.0 <2"`,
		"https://h.example/r.git@main": "refs values: main of https://h.example/r.git may mean another " +
			"commit tomorrow, and rollstamp.lock has none for it",
		"https://h.example/r.git@0123456789": "refs values: 0123456789 of https://h.example/r.git may mean another " +
			"commit tomorrow, and rollstamp.lock has none for it",
		"ssh://git@h.example":      "refs values: want an address of a repository and a revision behind it: URL@COMMIT",
		"git@h.example:team/r.git": "refs values: want an address of a repository and a revision behind it: URL@COMMIT",
		"git@h.example:team/r.git@main": "refs values: main of ssh://h.example/team/r.git may mean another " +
			"commit tomorrow, and rollstamp.lock has none for it",
		"team@prod/values": `refs values: there is no folder "team@prod/values"`,
		"ssh://git@h.example/r@main": "refs values: main of ssh://h.example/r may mean another " +
			"commit tomorrow, and rollstamp.lock has none for it",
		"file:///srv/values@main":     "refs values: repositories are not fetched by file",
		"file://host/srv/values@main": "refs values: repositories are not fetched by file",
		"nowhere":                     `refs values: there is no folder "nowhere"`,
	} {
		call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": `[{"name":"refs","map":{"values":"` + place + `"}}]`}, root,
			root, nil)
		if err == nil {
			err = call.CheckFixed()
		}
		if err == nil || err.Error() != want || diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: got %v, want %s", place, err, want)
		}
	}
}
