package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// schedule is what the examples of schedules are tried on: a remote of Git on disk, a clone of it, a store, and the
// programs.
type schedule struct {
	t                          *testing.T
	programs, remote, dir, tmp string
	vault                      string // versions by key, as files
	env                        []string
}

// newSchedule prepares an application whose lock holds version 7 of shop/db.
func newSchedule(t *testing.T) *schedule {
	t.Helper()
	root := t.TempDir()
	s := &schedule{
		t: t, programs: programs(t), remote: filepath.Join(root, "remote.git"), dir: filepath.Join(root, "work"),
		tmp: filepath.Join(root, "tmp"), vault: filepath.Join(root, "vault"),
	}
	server := httptest.NewServer(vaultOf(t, s.vault))
	t.Cleanup(server.Close)
	s.env = []string{
		"PATH=" + filepath.Join(root, "gh") + ":" + s.programs + ":" + os.Getenv("PATH"), "HOME=" + root, "TMPDIR=" + root, "RUNNER_TEMP=" + s.tmp,
		"VAULT_ADDR=" + server.URL, "VAULT_TOKEN=hvs.story", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
	s.file("vault/shop/db", "7")
	s.file("tmp/keep", "")
	s.file("work/.rollstamp.yaml", "secrets: {policy: lock}\n")
	s.file("work/apps/shop/store.yaml",
		"apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\nspec: {provider: "+
			"{vault: {server: '"+server.URL+"', path: secret, version: v2}}}\n")
	s.file("work/apps/shop/web.yaml", `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data: [{secretKey: password, remoteRef: {key: shop/db}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]
`)
	s.file("work/apps/shop/rollstamp.lock", "schema 1\nClusterSecretStore/vault shop/db version 7\n")
	git := "git init -q -b main . && git init -q --bare -b main ../remote.git && git -C ../remote.git config receive.advertisePushOptions true" +
		" && git config user.name t && git config user.email t@example.com && rollstamp lock apps/shop --allow stores && git add --all && git commit -q -m begin && git remote add origin ../remote.git && git push -q origin main"
	s.shell(git)
	return s
}

func (s *schedule) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.dir), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run runs a command of an example, which must not fail.
func (s *schedule) run(dir string, env []string, name string, args ...string) string {
	s.t.Helper()
	path := name
	if !strings.Contains(name, "/") {
		if own := filepath.Join(s.programs, name); fileExists(own) {
			path = own
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, s.env...), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *schedule) shell(script string, env ...string) string {
	s.t.Helper()
	return s.run(s.dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
}

// branch returns the lock on the branch that an example pushes, and the message of its commit; "" where there is none.
func (s *schedule) branch() (lock, message string) {
	s.t.Helper()
	if s.shell("git -C ../remote.git branch --list rollstamp-lock") == "" {
		return "", ""
	}
	return s.shell("git -C ../remote.git show rollstamp-lock:apps/shop/rollstamp.lock"), s.shell(
		"git -C ../remote.git log -1 --format=%B rollstamp-lock")
}

// holds checks what is on the branch.
func (s *schedule) holds(version string) {
	s.t.Helper()
	lock, message := s.branch()
	if !strings.Contains(lock, "ClusterSecretStore/vault shop/db version "+version+"\n") || !strings.HasPrefix(message, "Lock new versions of secrets\n") {
		s.t.Errorf("the branch holds %q, as %q", lock, message)
	}
	if base := s.shell("git -C ../remote.git show main:apps/shop/rollstamp.lock"); !strings.Contains(base, "version 7") {
		s.t.Errorf("main was changed: %q", base)
	}
}

// fresh returns the state in which a run begins: the default branch.
func (s *schedule) fresh() { s.shell("git fetch -q origin && git checkout -q --detach origin/main") }

func decodeExample(t *testing.T, name string, to ...any) {
	t.Helper()
	text, err := os.Open(filepath.Join("..", "..", "examples", "lock", name))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	d := yaml.NewDecoder(text)
	for _, v := range to {
		if err := d.Decode(v); err != nil {
			t.Fatal(err)
		}
	}
}

// rotations runs an example where nothing has moved, then after one rotation, then after another with the change still
// open.
func (s *schedule) rotations(run func()) {
	s.t.Helper()
	s.fresh()
	run()
	if lock, _ := s.branch(); lock != "" {
		s.t.Errorf("nothing has moved, and there is a branch with %q", lock)
	}
	for _, version := range []string{"8", "9"} {
		s.file("vault/shop/db", version)
		s.fresh()
		run()
		s.holds(version)
	}
}

// TestExamplesOfSchedules runs what examples/lock says, as it is.
func TestExamplesOfSchedules(t *testing.T) {
	t.Parallel()
	t.Run("the workflow of GitHub opens a pull request", func(t *testing.T) { gitHubSchedule(t) })
	t.Run("the workflow for pull requests adds what is new", func(t *testing.T) { gitHubPullRequest(t) })
	t.Run("the job of GitLab opens a merge request", func(t *testing.T) { gitLabSchedule(t) })
	t.Run("the CronJob pushes a branch", func(t *testing.T) { cronJobSchedule(t) })
}

// gitHubSchedule runs the steps but for the installation; a script takes the place of gh.
func gitHubSchedule(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct {
				Name, Uses, Run string
				Env             map[string]string
			}
		}
	}
	decodeExample(t, "github.yaml", &workflow)
	s := newSchedule(t)
	s.file("gh/gh",
		"#!/bin/sh\necho \"$@\" >> \"$RUNNER_TEMP/gh\"\n[ \"$2\" != create ] || [ ! -e \"$RUNNER_TEMP/open\" ] "+
			"&& touch \"$RUNNER_TEMP/open\"\n")
	if err := os.Chmod(filepath.Join(filepath.Dir(s.dir), "gh", "gh"), 0o700); err != nil {
		t.Fatal(err)
	}
	ran := 0
	s.rotations(func() {
		for _, step := range workflow.Jobs["lock"].Steps {
			if step.Run == "" || strings.HasPrefix(step.Run, "go install ") {
				continue
			}
			ran++
			var env []string
			for _, vars := range []map[string]string{workflow.Jobs["lock"].Env, step.Env} {
				for name, value := range vars {
					if !strings.Contains(value, "${{") { // what GitHub fills in is there already
						env = append(env, name+"="+value)
					}
				}
			}
			s.shell(step.Run, env...)
		}
	})
	asked, _ := os.ReadFile(filepath.Join(s.tmp, "gh"))
	restarts, _ := os.ReadFile(filepath.Join(s.tmp, "restarts.txt"))
	if got := strings.Count(string(asked), "pr create --head rollstamp-lock"); ran != 6 || got != 2 || strings.Count(string(asked), "pr edit rollstamp-lock") != 1 {
		t.Errorf("%d steps ran; gh was asked for\n%s", ran, asked)
	}
	if !strings.Contains(string(restarts), "web") {
		t.Errorf("what restarts is reported as %q", restarts)
	}
}

// gitHubPullRequest runs the steps on the branch of a pull request that brings a new ExternalSecret.
func gitHubPullRequest(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			If    string
			Env   map[string]string
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	decodeExample(t, "github-pull-request.yaml", &workflow)
	job := workflow.Jobs["lock"]
	if job.If != "github.event.pull_request.head.repo.full_name == github.repository" {
		t.Errorf("it runs if %s", job.If)
	}
	s := newSchedule(t)
	steps := func() {
		t.Helper()
		s.shell("git fetch -q origin && git checkout -q --detach origin/feature")
		for _, step := range job.Steps {
			if step.Run == "" || strings.HasPrefix(step.Run, "go install ") {
				continue
			}
			env := []string{"BRANCH=feature"}
			for _, vars := range []map[string]string{job.Env, step.Env} {
				for name, value := range vars {
					if !strings.Contains(value, "${{") { // what GitHub fills in is there already
						env = append(env, name+"="+value)
					}
				}
			}
			s.shell(step.Run, env...)
		}
	}
	locked := func() string { return s.shell("git -C ../remote.git show feature:apps/shop/rollstamp.lock") }
	s.shell("git checkout -q -b feature")
	more := `---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: mail}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data: [{secretKey: password, remoteRef: {key: shop/mail}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: mailer}
spec:
  template:
    spec:
      containers: [{name: mailer, envFrom: [{secretRef: {name: mail}}]}]
`
	s.file("work/apps/shop/mail.yaml", more)
	s.file("vault/shop/mail", "3")
	s.file("vault/shop/db", "8") // rotated meanwhile, which is for the schedule
	s.shell("git add --all && git commit -q -m mail && git push -q origin feature")
	if out := s.shell("! rollstamp render apps/shop"); !strings.Contains(out, "shop/mail: not in the lock") {
		t.Errorf("before: %s", out)
	}
	steps()
	if got := locked(); !strings.Contains(got, "shop/mail version 3\n") || !strings.Contains(got, "shop/db version 7\n") {
		t.Errorf("the branch holds %q", got)
	}
	head := s.shell("git -C ../remote.git rev-parse feature")
	steps()
	if again := s.shell("git -C ../remote.git rev-parse feature"); again != head {
		t.Error("a run that finds nothing new makes a commit")
	}
	s.shell("rollstamp render apps/shop")
}

// gitLabSchedule runs the script of the job.
func gitLabSchedule(t *testing.T) {
	t.Parallel()
	var pipeline map[string]struct {
		Variables map[string]string
		Script    []string
	}
	decodeExample(t, "gitlab.yaml", &pipeline)
	s := newSchedule(t)
	hook := "remote.git/hooks/pre-receive"
	s.file(hook, "#!/bin/sh\nfor i in 0 1; do eval echo \\$GIT_PUSH_OPTION_$i; done > \"$RUNNER_TEMP/options\"\n")
	if err := os.Chmod(filepath.Join(filepath.Dir(s.dir), hook), 0o700); err != nil {
		t.Fatal(err)
	}
	job := pipeline["rollstamp-lock"]
	s.rotations(func() {
		env := []string{"CI_DEFAULT_BRANCH=main"}
		for name, value := range job.Variables {
			if name == "REMOTE" {
				value = s.remote
			}
			env = append(env, name+"="+value)
		}
		s.shell(strings.Join(job.Script, "\n"), env...) // as GitLab's runner joins them
	})
	options, _ := os.ReadFile(filepath.Join(s.tmp, "options"))
	if string(options) != "merge_request.create\nmerge_request.target=main\n" {
		t.Errorf("pushed with %q", options)
	}
	if _, message := s.branch(); !strings.Contains(message, "web") {
		t.Errorf("what restarts is reported as %q", message)
	}
}

// cronJobSchedule runs the containers' commands, one after the other, below a folder in place of /.
func cronJobSchedule(t *testing.T) {
	t.Parallel()
	type container struct {
		Name          string
		WorkingDir    string `yaml:"workingDir"`
		Command, Args []string
		Env           []struct{ Name, Value string }
	}
	var job struct {
		Spec struct {
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							InitContainers []container `yaml:"initContainers"`
							Containers     []container
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	var policy struct{ Data map[string]string }
	decodeExample(t, "cronjob.yaml", &job, &policy)
	s := newSchedule(t)
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	if len(pod.InitContainers) != 2 || len(pod.Containers) != 1 {
		t.Fatalf("%d and %d containers", len(pod.InitContainers), len(pod.Containers))
	}
	s.rotations(func() {
		root := t.TempDir() // of all volumes
		if err := os.Mkdir(filepath.Join(root, "work"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, c := range append(append([]container{}, pod.InitContainers...), pod.Containers...) {
			command, env := append(append([]string{}, c.Command...), c.Args...), []string{}
			if c.Name == "lock" {
				command = append([]string{"rollstamp"}, command...) // the image's entrypoint
			}
			for _, v := range c.Env {
				switch v.Name {
				case "REPOSITORY":
					v.Value = s.remote
				case "ROLLSTAMP_POLICY", "HOME", "GIT_SSH_COMMAND":
					continue // of the cluster; VAULT_ADDR and VAULT_TOKEN take the place of the policy here
				}
				for i := range command {
					command[i] = strings.ReplaceAll(command[i], fmt.Sprintf("$(%s)", v.Name), v.Value)
				}
				env = append(env, v.Name+"="+v.Value)
			}
			s.run(filepath.Join(root, c.WorkingDir), env, command[0], command[1:]...)
		}
	})
	s.file("policy/policy.yaml", policy.Data["policy.yaml"])
	s.shell("rollstamp config apps/shop", "ROLLSTAMP_POLICY="+filepath.Join(filepath.Dir(s.dir), "policy", "policy.yaml"))
}
