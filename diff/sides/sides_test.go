package sides_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// builder builds applications of plain manifests.
type builder struct{}

func (builder) Application(_ context.Context, at app.Place, path string) (*app.Application, error) {
	a := app.FromPath(path, at, config.New(), app.Options{Kind: render.KindPlain})
	request := a.Request()
	return app.New(app.Spec{Name: path, Kind: render.KindPlain, Request: &request,
		Engines: render.Engines{render.KindPlain: plain.Engine{}}, Stamping: &app.Stamping{}}), nil
}

// write writes files below the working folder.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// repository makes a repository with one commit of files the working folder.
func repository(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, files)
	git(t, "init", "-q", "-b", "main")
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "one")
}

func git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func web(value string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: v" + value + "}}\n---\n" +
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: " +
		"[{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}}\n"
}

// statuses returns what became of each application.
func statuses(c *diff.Comparison) string {
	var out []string
	for _, a := range c.Apps {
		out = append(out, a.Name+" "+string(a.Status))
	}
	return strings.Join(out, ", ")
}

func TestTwoRevisionsAreComparedApplicationByApplication(t *testing.T) {
	repository(t, map[string]string{
		"apps/same/a.yaml": web("same"), "apps/other/a.yaml": web("one"), "apps/gone/a.yaml": web("gone"),
		"apps/nginx.conf": "one",
	})
	if err := os.RemoveAll("apps/gone"); err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{
		"apps/other/a.yaml": web("two"), "apps/added/a.yaml": "{apiVersion: v1, kind: Service, metadata: {name: s}}",
		"apps/nginx.conf": "two",
	})
	c, err := sides.Renderer{Builder: builder{}}.Revisions(t.Context(), "HEAD", sides.Worktree, []string{"apps/*"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "apps/added added, apps/gone removed, apps/other changed, apps/same same"
	if got := statuses(c); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if len(c.Restarts) != 1 || c.Restarts[0].App != "apps/other" || len(c.Restarts[0].Causes) != 1 {
		t.Errorf("restarts are %+v", c.Restarts)
	}
	if len(c.Commits.From) != 40 || c.Commits.To != "" {
		t.Errorf("commits are %+v", c.Commits)
	}
	isUnread := func(u diff.Unknown) bool { return u.Reason == diff.Unread && u.File == "apps/nginx.conf" }
	if !slices.ContainsFunc(c.Unknown, isUnread) {
		t.Errorf("the file that nobody reads is not among %+v", c.Unknown)
	}
}

func TestPartsOfAComparisonAreJoinedToTheWhole(t *testing.T) {
	repository(t, map[string]string{"apps/a/a.yaml": web("1"), "apps/b/a.yaml": web("1"), "apps/c/a.yaml": web("1")})
	write(t, map[string]string{"apps/a/a.yaml": web("2"), "apps/c/a.yaml": web("2")})
	whole, err := sides.Renderer{Builder: builder{}}.Revisions(t.Context(), "HEAD", sides.Worktree, []string{"apps/*"})
	if err != nil {
		t.Fatal(err)
	}
	var parts []*diff.Comparison
	for _, text := range []string{"1/2", "2/2"} {
		var shard fleet.Shard
		if err := shard.Set(text); err != nil {
			t.Fatal(err)
		}
		part, err := sides.Renderer{Builder: builder{}, Shard: shard}.
			Revisions(t.Context(), "HEAD", sides.Worktree, []string{"apps/*"})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	joined, err := diff.Join(parts)
	if err != nil {
		t.Fatal(err)
	}
	if statuses(joined) != statuses(whole) || len(joined.Restarts) != len(whole.Restarts) || len(whole.Restarts) != 2 {
		t.Errorf("joined: %s, %d restarts; whole: %s, %d", statuses(joined), len(joined.Restarts), statuses(whole),
			len(whole.Restarts))
	}
}

func TestFoldersAndFilesAreComparedAsOneApplication(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"old/deep/a.yaml": web("1"), "new/a.yaml": web("2")})
	r := sides.Renderer{Builder: builder{}}
	byFolder, err := r.Folders(t.Context(), "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	byFile, err := r.Files(t.Context(), "old/deep/a.yaml", "new/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*diff.Comparison{byFolder, byFile} {
		if len(c.Apps) != 1 || len(c.Restarts) != 1 || c.Restarts[0].Causes[0].Keys[0].Key != "a" {
			t.Errorf("%+v, restarts %+v", c.Apps, c.Restarts)
		}
	}
	r.AsIs = true // without stamps nothing restarts
	asIs, err := r.Folders(t.Context(), "old", "new")
	if err != nil || len(asIs.Restarts) != 0 || len(asIs.Objects) != 1 {
		t.Errorf("as it is: %+v, %v", asIs, err)
	}
}

func TestWhatIsNotThereIsNeverNothingThatDiffers(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"apps/a/a.yaml": web("1")})
	r := sides.Renderer{Builder: builder{}}
	for name, compare := range map[string]func(...string) (*diff.Comparison, error){
		"engines": func(patterns ...string) (*diff.Comparison, error) {
			return r.Engines(t.Context(), app.Place{Roots: &config.Roots{}}, patterns, r, [2]string{"3", "4"})
		},
		"levels": func(patterns ...string) (*diff.Comparison, error) {
			return r.Levels(t.Context(), app.Place{Roots: &config.Roots{}}, patterns, 1)
		},
	} {
		if _, err := compare("none/*"); err == nil || !strings.Contains(err.Error(), "no folder fits none/*") {
			t.Errorf("%s: a pattern that fits nothing: %v", name, err)
		}
		c, err := compare("apps/*", "none")
		if err != nil || !c.HasFailures() || c.FailureExit() != diag.ExitInput || len(c.Apps) != 2 {
			t.Errorf("%s: a path that is not there: %+v, %v", name, c, err)
		}
	}
}

func TestWhatFitsOnNeitherSideIsAnError(t *testing.T) {
	repository(t, map[string]string{"apps/a/a.yaml": web("1")})
	r := sides.Renderer{Builder: builder{}}
	for pattern, want := range map[string]string{
		"none/*":     "nothing fits none/* on either side",
		"HEAD..main": "did you mean --from HEAD --to main?",
		"../x":       "is outside of the repository",
	} {
		patterns := []string{pattern}
		if pattern == "../x" {
			patterns = []string{"apps/a", pattern}
		}
		_, err := r.Revisions(t.Context(), "HEAD", sides.Worktree, patterns)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, err := r.Revisions(t.Context(), "nothere", sides.Worktree, []string{"apps/*"}); diag.ExitOf(err) == 0 {
		t.Errorf("an unknown revision: %v", err)
	}
}
