// Package argo holds the example for Argo Workflows to Argo's own code: its types, its validation, its templates
// and its expressions. The steps are taken in order here, and each pod is a process.
package argo

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/workflow/validate"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/scale/divided"
)

// example returns the Workflow, with parameters of a submission.
func example(t *testing.T, parameters map[string]string) *v1alpha1.Workflow {
	t.Helper()
	text, err := os.ReadFile(divided.Example(t, "argo-workflow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var w v1alpha1.Workflow
	if err := yaml.UnmarshalStrict(text, &w); err != nil {
		t.Fatal(err)
	}
	all := w.Spec.Arguments.Parameters
	for name, value := range parameters {
		at := slices.IndexFunc(all, func(p v1alpha1.Parameter) bool { return p.Name == name })
		if at < 0 {
			t.Fatalf("the Workflow has no parameter %s", name)
		}
		all[at].Value = v1alpha1.AnyStringPtr(value)
	}
	return &w
}

func TestArgoTakesTheWorkflow(t *testing.T) {
	if err := validate.ValidateWorkflow(nil, nil, example(t, nil), nil, validate.ValidateOpts{Submit: true}); err != nil {
		t.Error(err)
	}
}

func TestASequenceOfArgoReportsWhatOneRunDoes(t *testing.T) {
	r := divided.New(t, nil)
	want, _ := r.Report(t, "markdown", "--from", "origin/main", "--to", "HEAD")
	w := example(t, map[string]string{"repository": r.Dir, "to": "topic", "shards": "3"})
	c := newController(t, w)
	c.kill = "1"
	if got := c.run(); !bytes.Equal(got, want) {
		t.Errorf("the last step prints\n%s\nand one run\n%s", got, want)
	}
	if c.failed || c.pods["0"] != 1 || c.pods["1"] != 2 || c.pods["2"] != 1 || len(c.pods) != 4 {
		t.Errorf("failed: %v, pods of each item: %v; one that was killed is tried again, alone", c.failed, c.pods)
	}
}

func TestAnApplicationThatFailsFailsTheWorkflowAndIsReported(t *testing.T) {
	r := divided.New(t, nil)
	r.Break(t)
	want, _ := r.Report(t, "markdown", "--from", "origin/main", "--to", "HEAD")
	c := newController(t, example(t, map[string]string{"repository": r.Dir, "to": "topic"}))
	if got := c.run(); !bytes.Equal(got, want) {
		t.Errorf("the last step prints\n%s\nand one run\n%s", got, want)
	}
	if !c.failed {
		t.Error("the Workflow succeeds")
	}
	for item, n := range c.pods {
		if n != 1 {
			t.Errorf("item %q has %d pods: what fails in the same way again is not tried again", item, n)
		}
	}
}
