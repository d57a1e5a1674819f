// Package ci runs the examples for CI systems as these would run them.
package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const top = "../.."

// needs skips a test where a program is missing; where CI is set that is an error.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("no %s: apt-get install %[1]s", name)
		}
		t.Skipf("no %s on this machine: apt-get install %[1]s", name)
	}
}

// program builds rollstamp into a folder of its own, and returns the folder.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "rollstamp"), "./cmd/rollstamp")
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return dir
}

const before = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: c, image: i, envFrom: [{configMapRef: {name: settings}}]}]
`

// repository is one in which a topic branch changes a ConfigMap of apps/shop.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "apps/shop/app.yaml"), before)
	write(t, filepath.Join(dir, "apps/other/app.yaml"), strings.ReplaceAll(before, "web", "other"))
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "one")
	git(t, dir, "checkout", "-q", "-b", "topic")
	write(t, filepath.Join(dir, "apps/shop/app.yaml"), strings.Replace(before, "info", "debug", 1))
	git(t, dir, "commit", "-q", "-a", "-m", "two")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// shell runs a script as GitHub runs a step with shell: bash.
func shell(t *testing.T, dir, script string, env ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// action is the part of action.yml that runs.
type action struct {
	Runs struct {
		Steps []struct {
			ID  string            `yaml:"id"`
			Run string            `yaml:"run"`
			Env map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// comments is the part of GitHub's API that the action talks to: the comments of one pull request, of which others wrote 120.
type comments struct {
	bodies []string
	calls  []string
}

func (c *comments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.calls = append(c.calls, r.Method)
	if r.Header.Get("Authorization") != "Bearer s3cret" {
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
		return
	}
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		if b, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(b, &sent) != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
	}
	var id, page int
	switch n, _ := fmt.Sscanf(r.URL.Path, "/repos/a/b/issues/comments/%d", &id); {
	case r.Method == http.MethodPatch && n == 1:
		c.bodies[id] = sent.Body
	case r.Method == http.MethodPost && r.URL.Path == "/repos/a/b/issues/7/comments":
		c.bodies = append(c.bodies, sent.Body)
	case r.Method == http.MethodGet && r.URL.Path == "/repos/a/b/issues/7/comments":
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		type comment struct {
			ID   int    `json:"id"`
			Body string `json:"body"`
		}
		out := []comment{}
		for i := (page - 1) * 100; i < min(page*100, len(c.bodies)); i++ {
			out = append(out, comment{i, c.bodies[i]})
		}
		_ = json.NewEncoder(w).Encode(out)
	default:
		http.NotFound(w, r)
	}
}

func TestTheActionCommentsOnceAndKeepsItsCommentUpToDate(t *testing.T) {
	needs(t, "bash", "jq", "curl", "git")
	var a action
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(top, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	api := &comments{}
	for i := range 120 {
		api.bodies = append(api.bodies, fmt.Sprint("somebody's comment ", i))
	}
	server := httptest.NewServer(api)
	defer server.Close()
	dir, tmp := repository(t), t.TempDir()
	values := strings.NewReplacer(
		"${{ inputs.rollstamp }}", filepath.Join(program(t), "rollstamp"),
		"${{ steps.build.outputs.rollstamp }}", "", // set below, from what the step says
		"${{ inputs.paths }}", "apps/*", "${{ inputs.from }}", "", "${{ inputs.args }}", "-n shop",
		"${{ inputs.token }}", "s3cret", "${{ github.event.pull_request.number }}", "7",
	)
	outputs := filepath.Join(tmp, "outputs")
	run := func() string {
		write(t, outputs, "")
		write(t, filepath.Join(tmp, "summary"), "")
		all := ""
		for _, step := range a.Runs.Steps {
			env := []string{"GITHUB_OUTPUT=" + outputs, "GITHUB_STEP_SUMMARY=" + filepath.Join(tmp, "summary"), "RUNNER_TEMP=" + tmp, "GITHUB_ACTION_PATH=" + top,
				"GITHUB_API_URL=" + server.URL, "GITHUB_REPOSITORY=a/b"}
			for name, value := range step.Env {
				if name == "ROLLSTAMP" {
					_, value, _ = strings.Cut(text(t, outputs), "rollstamp=")
					value, _, _ = strings.Cut(value, "\n")
				}
				env = append(env, name+"="+values.Replace(value))
			}
			out, err := shell(t, dir, step.Run, env...)
			if err != nil {
				t.Fatalf("step %s: %v\n%s", step.ID, err, out)
			}
			all += out
		}
		return all
	}
	out := run()
	if !strings.Contains(out, "::notice file=apps/shop/app.yaml,line=") || strings.Contains(out, "s3cret") {
		t.Errorf("the log holds %s", out)
	}
	for _, want := range []string{"restarts=1\n", "differs=true\n", "json="} {
		if !strings.Contains(text(t, outputs), want) {
			t.Errorf("the outputs lack %q: %s", want, text(t, outputs))
		}
	}
	if !strings.Contains(text(t, filepath.Join(tmp, "summary")), "1 workload restarts") {
		t.Error("the summary lacks the report")
	}
	if len(api.bodies) != 121 || !strings.Contains(api.bodies[120], "ConfigMap settings: LEVEL changed") {
		t.Fatalf("%d comments, the last is %q", len(api.bodies), api.bodies[len(api.bodies)-1])
	}
	write(t, filepath.Join(dir, "apps/shop/app.yaml"), strings.Replace(before, "LEVEL: info", "LEVEL: info, MORE: x", 1))
	run()
	if len(api.bodies) != 121 || !strings.Contains(api.bodies[120], "MORE added") {
		t.Errorf("%d comments, the last is %q", len(api.bodies), api.bodies[len(api.bodies)-1])
	}
}

func TestTheGitLabJobWritesItsReports(t *testing.T) {
	needs(t, "bash", "git")
	var file map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(top, "examples/ci/gitlab.yaml"))), &file); err != nil {
		t.Fatal(err)
	}
	var job struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string `yaml:"script"`
	}
	node := file["restarts"]
	if err := node.Decode(&job); err != nil {
		t.Fatal(err)
	}
	dir := repository(t)
	script := strings.Join(append(job.BeforeScript, job.Script...), "\n")
	out, err := shell(t, dir, script, "PATH="+program(t)+":"+os.Getenv("PATH"), "ROLLSTAMP_PATHS=apps/*",
		"CI_MERGE_REQUEST_DIFF_BASE_SHA="+git(t, dir, "rev-parse", "main"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(out, "1 workload restarts") {
		t.Errorf("the log holds %s", out)
	}
	var issues []struct {
		CheckName string `json:"check_name"`
		Location  struct{ Path string }
	}
	if err := json.Unmarshal([]byte(text(t, filepath.Join(dir, "gl-code-quality-report.json"))), &issues); err != nil || len(issues) == 0 || issues[0].CheckName != "restart" ||
		issues[0].Location.Path != "apps/shop/app.yaml" {
		t.Errorf("the Code Quality report holds %+v, %v", issues, err)
	}
	if !strings.HasPrefix(text(t, filepath.Join(dir, "restarts.html")), "<!doctype html>") {
		t.Error("there is no page")
	}
}
