package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesOfPolicies runs the commands in each README below examples/policies, in a repository of their own.
func TestExamplesOfPolicies(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "examples", "policies", "*", "README.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(filepath.Dir(page)), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			after := newTranscript(t, filepath.Dir(page)).run(string(before))
			if *update {
				if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if after != string(before) {
				t.Errorf("with what is printed now, the page is\n%s", after)
			}
		})
	}
}

// transcript is a copy of an example in Git, in which the commands of its page run.
type transcript struct {
	t        *testing.T
	dir      string
	env      []string
	commands int
}

func newTranscript(t *testing.T, example string) *transcript {
	t.Helper()
	root := t.TempDir()
	s := &transcript{t: t, dir: filepath.Join(root, filepath.Base(example))}
	s.env = []string{"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}
	if err := os.CopyFS(s.dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	s.shell("git config --global user.name t && git config --global user.email t@example.com && " +
		"git init -q -b main . && git add . && git commit -qm begin")
	return s
}

// run returns a page with what its commands print now: the lines "$ COMMAND" of its blocks of a console.
func (s *transcript) run(page string) string {
	s.t.Helper()
	var out strings.Builder
	inside := false
	for line := range strings.Lines(page) {
		fence, command, isCommand := strings.HasPrefix(line, "```"), "", false
		if inside {
			command, isCommand = strings.CutPrefix(line, "$ ")
		}
		if !inside || fence || isCommand {
			out.WriteString(line)
		}
		if fence {
			inside = line == "```console\n"
		}
		if isCommand {
			s.commands++
			out.WriteString(s.shell(command))
		}
	}
	if s.commands == 0 {
		s.t.Error("the page has no commands")
	}
	return out.String()
}

// shell runs a command, which must not fail, and returns what it prints.
func (s *transcript) shell(command string) string {
	s.t.Helper()
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
