package install

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what a test reads of a workflow.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]job
}

type job struct {
	Needs       string
	Environment string
	Permissions map[string]string
	Steps       []struct{ Name, Uses, Run string }
}

func workflows(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(top, ".github/workflows/*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("the workflows are %v, %v", files, err)
	}
	return files
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWorkflowsAreWhatGitHubTakes(t *testing.T) {
	lint := tool(t, "actionlint", "github.com/rhysd/actionlint/cmd/actionlint")
	files := append(workflows(t), filepath.Join(top, "examples/ci/github.yaml"), filepath.Join(top, "examples/lock/github.yaml"),
		filepath.Join(top, "examples/lock/github-pull-request.yaml"), filepath.Join(top, "examples/scale/github-actions.yml"))
	run(t, ".", nil, lint, append([]string{"-shellcheck", "", "-pyflakes", ""}, files...)...)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, path := range workflows(t) {
		uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`).FindAllStringSubmatch(readText(t, path), -1)
		for _, m := range uses {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned by its commit, with its version", path, m[1])
			}
		}
		if len(uses) < 2 {
			t.Errorf("%s uses %d actions", path, len(uses))
		}
	}
}

// TestNothingMayBeWrittenBeforeAPersonApproves reads what each job of the workflows may do.
func TestNothingMayBeWrittenBeforeAPersonApproves(t *testing.T) {
	for _, path := range workflows(t) {
		var w workflow
		if err := yaml.Unmarshal([]byte(readText(t, path)), &w); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("%s: without a word of its own a job may %v", path, w.Permissions)
		}
		for name, j := range w.Jobs {
			if len(j.Permissions) == 0 {
				t.Errorf("%s: the job %s does not say what it may", path, name)
			}
			writes := slices.Contains(slices.Collect(maps.Values(j.Permissions)), "write")
			if writes && !w.isApproved(name) {
				t.Errorf("%s: the job %s may write before anybody approved", path, name)
			}
			if j.Permissions["contents"] == "write" && (j.Permissions["id-token"] != "" || j.Permissions["packages"] != "") {
				t.Errorf("%s: the job %s may do more than one thing: %v", path, name, j.Permissions)
			}
		}
	}
}

// isApproved reports whether a job or one that it needs waits for the rules of an environment.
func (w workflow) isApproved(name string) bool {
	for ; name != ""; name = w.Jobs[name].Needs {
		if w.Jobs[name].Environment != "" {
			return true
		}
	}
	return false
}

func TestAReleasesTagsComeLast(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(readText(t, filepath.Join(top, ".github/workflows/release.yml"))), &w); err != nil {
		t.Fatal(err)
	}
	before, scripts := "", []string{}
	for _, name := range []string{"check", "build", "sign", "draft", "tag"} {
		if w.Jobs[name].Needs != before {
			t.Errorf("%s needs %q, want %q", name, w.Jobs[name].Needs, before)
		}
		before = name
		for _, s := range w.Jobs[name].Steps {
			scripts = append(scripts, s.Run+s.Uses)
		}
	}
	all, from := strings.Join(scripts, "\n"), 0
	for _, want := range []string{"make release-ready ", ".ci/run", "make vuln", "make release ", "BUILDER=", " sign ", "push -source .. -out ../dist -untagged -keyless",
		"attest-build-provenance@", "attest-build-provenance@", "attest-build-provenance@", "gh release create", "make image-push IMAGE="} {
		at := strings.Index(all[from:], want)
		if at < 0 {
			t.Fatalf("%q is not done, or not after what must come before", want)
		}
		from += at + len(want)
	}
}

// TestExamplesAreFoundByRenovate compares the examples with what docs/install.md has Renovate look for.
func TestExamplesAreFoundByRenovate(t *testing.T) {
	page := readText(t, filepath.Join(top, "docs/install.md"))
	_, block, _ := strings.Cut(page, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var settings struct {
		CustomManagers []struct{ MatchStrings []string }
	}
	if err := json.Unmarshal([]byte(block), &settings); err != nil || len(settings.CustomManagers) != 1 {
		t.Fatalf("%v in\n%s", err, block)
	}
	rule := regexp.MustCompile(settings.CustomManagers[0].MatchStrings[0])
	for path, want := range map[string]*regexp.Regexp{
		"examples/lock/github.yaml":                  rule,
		"examples/lock/github-pull-request.yaml":     rule,
		"examples/lock/gitlab.yaml":                  rule,
		"examples/scale/github-actions.yml":          rule,
		"examples/scale/gitlab-ci.yml":               regexp.MustCompile(`image: ghcr.io/rollstamp/rollstamp:([0-9.]+)-shell\n`),
		"examples/ci/github.yaml":                    regexp.MustCompile(`uses: rollstamp/rollstamp@(v[0-9.]+)\n`),
		"examples/ci/gitlab.yaml":                    regexp.MustCompile(`image: ghcr.io/rollstamp/rollstamp:([0-9.]+)-shell\n`),
		"examples/lock/cronjob.yaml":                 regexp.MustCompile(`image: ghcr.io/rollstamp/rollstamp:([0-9.]+)\n`),
		"examples/scale/argo-workflow.yaml":          regexp.MustCompile(`image: ghcr.io/rollstamp/rollstamp:([0-9.]+)\n`),
		"examples/pre-commit/pre-commit-config.yaml": regexp.MustCompile(`rev: (v[0-9.]+) `),
	} {
		text := readText(t, filepath.Join(top, path))
		if m := want.FindStringSubmatch(text); m == nil || strings.TrimPrefix(m[1], "v") != version || strings.Contains(text, "@main") {
			t.Errorf("%s does not name the version %s: %q", path, version, m)
		}
	}
}
