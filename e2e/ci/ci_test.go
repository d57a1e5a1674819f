// Package ci runs the examples for CI systems as these would run them.
package ci

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

// temporary is a folder that is there as long as the tests run.
var temporary string

func TestMain(m *testing.M) {
	var err error
	if temporary, err = os.MkdirTemp("", "rollstamp-ci-"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(temporary)
	os.Exit(code)
}

var built = sync.OnceValues(func() ([]byte, error) {
	cmd := exec.Command("go", "build", "-o", filepath.Join(temporary, "rollstamp"), "./cmd/rollstamp")
	cmd.Dir = top
	return cmd.CombinedOutput()
})

// program returns a folder with rollstamp, which is built once.
func program(t *testing.T) string {
	t.Helper()
	if out, err := built(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return temporary
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
