package argo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/util/expr/argoexpr"
	"github.com/argoproj/argo-workflows/v3/util/expr/env"
	"github.com/argoproj/argo-workflows/v3/util/template"

	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// controller takes the steps of a Workflow.
type controller struct {
	t        *testing.T
	workflow *v1alpha1.Workflow
	global   map[string]string // what {{workflow...}} is
	store    string            // the artifact repository
	kill     string            // the item whose first pod is killed
	pods     map[string]int    // how many there were of each item
	failed   bool              // a step has failed after which the Workflow does not go on
}

func newController(t *testing.T, w *v1alpha1.Workflow) *controller {
	t.Helper()
	global := map[string]string{"workflow.name": w.GenerateName + "x7k2p"}
	for _, p := range w.Spec.Arguments.Parameters {
		global["workflow.parameters."+p.Name] = p.Value.String()
	}
	return &controller{t: t, workflow: w, global: global, store: t.TempDir(), pods: map[string]int{}}
}

// run takes all steps, and returns what the last one printed.
func (c *controller) run() (last []byte) {
	c.t.Helper()
	for _, group := range c.workflow.GetTemplateByName(c.workflow.Spec.Entrypoint).Steps {
		for _, step := range group.Steps {
			for _, item := range c.items(step) {
				out, ok := c.step(step, item)
				if !ok && !step.ContinuesOn(v1alpha1.NodeFailed) {
					c.failed = true
				}
				last = out
			}
		}
		if c.failed {
			break
		}
	}
	return last
}

// items returns the items of a step: one without a name where it has no sequence.
func (c *controller) items(step v1alpha1.WorkflowStep) (out []string) {
	c.t.Helper()
	if step.WithSequence == nil {
		return []string{""}
	}
	sequence := replaced(c, *step.WithSequence, nil)
	count, err := strconv.Atoi(sequence.Count.String())
	if err != nil || sequence.Start != nil || sequence.End != nil || sequence.Format != "" {
		c.t.Fatalf("a sequence that this test does not know: %+v, %v", sequence, err)
	}
	for i := range count {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// step runs pods for an item of a step until one has succeeded or there are no more tries. It reports whether one
// has.
func (c *controller) step(step v1alpha1.WorkflowStep, item string) (out []byte, ok bool) {
	c.t.Helper()
	inputs := map[string]string{}
	for _, p := range replaced(c, step.Arguments, map[string]string{"item": item}).Parameters {
		inputs["inputs.parameters."+p.Name] = p.Value.String()
	}
	// What a retry is decided by is known after a try only.
	from := *c.workflow.GetTemplateByName(step.Template)
	retry := from.RetryStrategy
	from.RetryStrategy = nil
	pod := replaced(c, from, inputs)
	for {
		c.pods[item]++
		text, exit := c.pod(&pod, c.kill != "" && item == c.kill && c.pods[item] == 1)
		if exit == 0 || retry == nil || c.pods[item] > retry.Limit.IntValue() || !c.again(retry, exit) {
			return text, exit == 0
		}
	}
}

// again reports whether a pod that ended with a code is tried again.
func (c *controller) again(retry *v1alpha1.RetryStrategy, exit int) bool {
	c.t.Helper()
	scope := template.EnvMap(map[string]string{"lastRetry.exitCode": strconv.Itoa(exit), "lastRetry.status": string(v1alpha1.NodeFailed)})
	again, err := argoexpr.EvalBool(retry.Expression, env.GetFuncMap(scope))
	if err != nil {
		c.t.Fatal(err)
	}
	return again
}

// pod runs the container of a template as a process, with a folder for each of its paths.
func (c *controller) pod(p *v1alpha1.Template, killed bool) (out []byte, exit int) {
	c.t.Helper()
	paths := map[string]string{}
	for _, mount := range p.Container.VolumeMounts {
		paths[mount.MountPath] = c.t.TempDir()
	}
	for _, in := range p.Inputs.Artifacts {
		paths[in.Path] = c.load(in)
	}
	if killed {
		return nil, 137
	}
	if got := strings.Join(p.Container.Command, " "); got != "/usr/local/bin/rollstamp" {
		c.t.Fatalf("the image has no %s", got)
	}
	var args []string
	for _, arg := range p.Container.Args {
		flag, value, _ := strings.Cut(arg, "=")
		switch {
		case paths[arg] != "":
			arg = paths[arg]
		case paths[value] != "":
			arg = flag + "=" + paths[value]
		}
		args = append(args, arg)
	}
	cmd := exec.Command(process.Rollstamp(c.t), args...)
	cmd.Dir = paths[p.Container.WorkingDir]
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		exit = ended.ExitCode()
		c.t.Logf("rollstamp %v ends with %d: %s", args, exit, stderr.String())
	case err != nil:
		c.t.Fatal(err)
	}
	for _, artifact := range p.Outputs.Artifacts {
		c.save(artifact, paths[artifact.Path])
	}
	return out, exit
}

// load returns a folder with an artifact in it.
func (c *controller) load(a v1alpha1.Artifact) string {
	c.t.Helper()
	dir := c.t.TempDir()
	switch {
	case a.Git != nil:
		c.sh("git", "clone", "-q", a.Git.Repo, dir)
		c.sh("git", "-C", dir, "checkout", "-q", a.Git.Revision)
	case a.S3 != nil:
		c.sh("cp", "-r", filepath.Join(c.store, a.S3.Key)+"/.", dir)
	default:
		c.t.Fatalf("an artifact that this test does not know: %+v", a)
	}
	return dir
}

// save adds the files of a folder below the key of an artifact, as a bucket does: what others have saved there stays.
func (c *controller) save(a v1alpha1.Artifact, dir string) {
	c.t.Helper()
	if a.Archive == nil || a.Archive.None == nil || a.S3 == nil {
		c.t.Fatalf("artifact %s is one file of a key, which the next part replaces", a.Name)
	}
	to := filepath.Join(c.store, a.S3.Key)
	if err := os.MkdirAll(to, 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.sh("cp", "-r", dir+"/.", to)
}

func (c *controller) sh(name string, args ...string) {
	c.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// replaced returns a part of the Workflow in which {{...}} is replaced, by Argo's own code. One that is not known
// is an error.
func replaced[T any](c *controller, part T, more map[string]string) (out T) {
	c.t.Helper()
	all := map[string]string{}
	for _, from := range []map[string]string{c.global, more} {
		for name, value := range from {
			all[name] = value
		}
	}
	text, err := json.Marshal(part)
	if err != nil {
		c.t.Fatal(err)
	}
	result, err := template.Replace(string(text), all, false)
	if err != nil {
		c.t.Fatal(fmt.Errorf("%w in %s", err, text))
	}
	if err := json.Unmarshal([]byte(result), &out); err != nil {
		c.t.Fatal(err)
	}
	return out
}
