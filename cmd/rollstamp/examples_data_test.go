package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestTheExampleOfTheDataKeyRuns renders the manifests of examples/policies/data-key as it is.
func TestTheExampleOfTheDataKeyRuns(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	env := func(string) (string, bool) { return "", false }
	code := run(context.Background(), []string{"render", "../../examples/policies/data-key/app"}, env, streamsOf(&out, &errs))
	text := out.String()
	if code != 0 || strings.Count(text, "value: v1-") != 2 || strings.Contains(text, "key: __data") {
		t.Errorf("exit code %d: %s\n%s", code, errs.String(), text)
	}
	if strings.Contains(text, "rollstamp.dev/configmap") || strings.Contains(text, "rollstamp.dev/secret") {
		t.Errorf("there are annotations for the objects, too:\n%s", text)
	}
	if !strings.Contains(errs.String(), "data-of-other-kind") {
		t.Errorf("nothing is reported of the other kind: %s", errs.String())
	}
}
