package policies_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/cluster/programs"
)

// kyverno returns Kyverno's CLI: $KYVERNO, or a build that the user's cache keeps under the name of what goes into it.
func kyverno(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("KYVERNO"); path != "" {
		return path
	}
	source := filepath.Join(folder.Root(t), "e2e", "policies", "kyverno")
	return programs.Once(t, programs.Folder(t, "kyverno", source, nil), "kyverno", source, "-ldflags", "-s -w",
		"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno")
}

// example is a copy of an example that begins with a policy of Kyverno's, in Git.
type example struct{ folder.Repository }

func openExample(t *testing.T, name string) example {
	t.Helper()
	e := example{folder.Repository{Dir: folder.Empty(t)}}
	if err := os.CopyFS(e.Dir, os.DirFS(filepath.Join(folder.Root(t), "examples", "policies", name))); err != nil {
		t.Fatal(err)
	}
	e.Commit(t, "begin")
	return e
}

// run runs a program in the example, and returns what it prints and its exit code.
func (e example) run(t *testing.T, program string, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = e.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if code = cmd.ProcessState.ExitCode(); code > 1 {
		t.Fatalf("%s %s ends with %d\n%s", program, strings.Join(args, " "), code, &stderr)
	}
	return string(out), code
}

// edit changes a text in a file.
func (e example) edit(t *testing.T, file, old, by string) {
	t.Helper()
	replaceIn(t, filepath.Join(e.Dir, file), old, by)
}

// during writes a file that has Kyverno's CLI take the run for an operation, and returns its name.
func (e example) during(t *testing.T, operation string) string {
	t.Helper()
	folder.WriteFile(t, filepath.Join(e.Dir, "values.txt"), "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\n"+
		"globalValues: {request.operation: "+operation+"}\n")
	return "values.txt"
}

// templates returns the pod templates of the workloads in manifests.
func templates(t *testing.T, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range cluster.Parse(t, []byte(text)) {
		if template := o.Field("spec", "template"); template != nil {
			out[o.Kind()+" "+o.Name()] = fmt.Sprint(template)
		}
	}
	return out
}

// changed returns the workloads of before whose templates are others after.
func changed(before, after map[string]string) (names []string) {
	for name, template := range after {
		if before[name] != template {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestWhatKyvernosPolicyRollsIsWhatRestarts(t *testing.T) {
	program := kyverno(t)
	e := openExample(t, "kyverno-roll")
	before, _ := e.run(t, process.Rollstamp(t), "render", "app")
	bare, _ := e.run(t, process.Rollstamp(t), "render", "--no-stamp", "app")
	e.edit(t, "app/database.yaml", "example-1", "example-2")
	after, _ := e.run(t, process.Rollstamp(t), "render", "app")
	ours := changed(templates(t, before), templates(t, after))

	rolled := func() []string {
		t.Helper()
		out := filepath.Join(folder.Empty(t), "out.yaml")
		report, code := e.run(t, program, "apply", "kyverno/roll.yaml", "--resource", "app/database.yaml",
			"--target-resource", "app/shop.yaml", "-f", e.during(t, "UPDATE"), "-o", out)
		text, err := os.ReadFile(out)
		if err != nil || code != 0 {
			t.Fatalf("%v\n%s", err, report)
		}
		return changed(templates(t, bare), templates(t, string(text)))
	}
	// The policy names one form; migrate.md says so.
	if diff := cmp.Diff([]string{"Deployment web"}, rolled()); diff != "" {
		t.Errorf("Kyverno rolls (-want +got):\n%s", diff)
	}
	page, err := os.ReadFile(filepath.Join(folder.Root(t), "docs", "migrate.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "restarts those that name the object at a path that its author wrote") {
		t.Error("migrate.md does not explain the difference")
	}
	// With a rule for the other form, too, the two are one.
	policy, err := os.ReadFile(filepath.Join(e.Dir, "kyverno", "roll.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(string(policy), "  rules:\n")
	rule = strings.NewReplacer("- name: roll", "- name: roll-env-from", "- env:", "- envFrom:", "- valueFrom:\n", "- secretRef:\n",
		"                    secretKeyRef:\n  ", "").Replace(rule)
	folder.WriteFile(t, filepath.Join(e.Dir, "kyverno", "roll.yaml"), string(policy)+rule)
	if diff := cmp.Diff(rolled(), ours); diff != "" {
		t.Errorf("restarts, with a rule for each form (-Kyverno +rollstamp):\n%s", diff)
	}
}

func TestWhatKyvernoClonesIsWhatIsReplicated(t *testing.T) {
	program := kyverno(t)
	e := openExample(t, "kyverno-clone")
	cloned, _ := e.run(t, process.Rollstamp(t), "render", "app")
	for name, value := range map[string]string{"equal": "example-1", "another value": "example-3"} {
		folder.WriteFile(t, filepath.Join(e.Dir, "kyverno-test.yaml"), `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: clone}
policies: [platform/clone.yaml]
resources: [platform/namespaces.yaml]
results:
- {policy: clone, rule: clone, kind: Namespace, resources: [shop], result: pass, generatedResource: want.yaml,
  cloneSourceResource: platform/registry.yaml}
`)
		folder.WriteFile(t, filepath.Join(e.Dir, "want.yaml"), e.copy(t, value))
		if report, code := e.run(t, program, "test", ".", "--remove-color"); (code == 0) != (name == "equal") {
			t.Errorf("a copy with %s: it ends with %d\n%s", name, code, report)
		}
	}
	for _, name := range []string{"kyverno-test.yaml", "want.yaml", filepath.Join("platform", "clone.yaml")} {
		if err := os.Remove(filepath.Join(e.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	e.replicate(t)
	if replicated, _ := e.run(t, process.Rollstamp(t), "render", "app"); replicated != cloned {
		t.Errorf("a stamp of a clone is no stamp of a copy:\n%s\n%s", cloned, replicated)
	}
}

// replicate has the example print copies.
func (e example) replicate(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.Dir, "replicate.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	folder.WriteFile(t, filepath.Join(e.Dir, "platform", ".rollstamp.yaml"), string(text))
}

// copy returns the copy that rollstamp prints, without its mark and with another value.
func (e example) copy(t *testing.T, value string) string {
	t.Helper()
	e.replicate(t)
	text, _ := e.run(t, process.Rollstamp(t), "render", "platform")
	if err := os.Remove(filepath.Join(e.Dir, "platform", ".rollstamp.yaml")); err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(text, "---\n")
	mark := "  annotations:\n    added.rollstamp.dev/copy-of: Secret/platform/registry\n"
	if !strings.Contains(text[at:], mark) || !strings.Contains(text[at:], "namespace: shop") {
		t.Fatalf("there is no copy in\n%s", text)
	}
	return strings.NewReplacer(mark, "", "example-1", value).Replace(text[at:])
}

func TestWhatKyvernoDeniesIsProtected(t *testing.T) {
	program := kyverno(t)
	for _, operation := range []string{"CREATE", "UPDATE", "DELETE"} {
		for _, label := range []string{"protected", "other"} {
			t.Run(operation+" "+label, func(t *testing.T) {
				e := openExample(t, "kyverno-protect")
				e.edit(t, "app/blog.yaml", "protected:", label+":")
				report, theirs := e.run(t, program, "apply", "kyverno/protect.yaml", "--resource", "app/blog.yaml", "-f",
					e.during(t, operation))
				folder.WriteFile(t, filepath.Join(e.Dir, "app", "more.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n")
				path := filepath.Join(e.Dir, "app", "blog.yaml")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if operation == "CREATE" {
					_ = os.Remove(path)
				}
				from := e.Commit(t, "before")
				switch operation {
				case "CREATE":
					folder.WriteFile(t, path, string(text))
				case "UPDATE":
					e.edit(t, "app/blog.yaml", "example-1", "example-2")
				case "DELETE":
					_ = os.Remove(path)
				}
				found, ours := e.run(t, process.Rollstamp(t), "diff", "app", "--from", from, "--exit-zero")
				if want := label == "protected" && operation != "CREATE"; (theirs == 1) != want || (ours == 1) != want {
					t.Errorf("denied: %v, protected: %v, want %v\n%s\n%s", theirs == 1, ours == 1, want, report, found)
				}
			})
		}
	}
}
