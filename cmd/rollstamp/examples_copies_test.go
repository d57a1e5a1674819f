package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// TestTheExampleOfCopiesRuns renders examples/policies/harbor as it is.
func TestTheExampleOfCopiesRuns(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	env := func(string) (string, bool) { return "", false }
	args := []string{"render", "../../examples/policies/harbor"}
	if code := run(context.Background(), args, env, streamsOf(&out, &errs)); code != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	text := out.String()
	if !strings.Contains(text, "      s3:\n        accesskey: EXAMPLEACCESSKEY\n        region: eu-central-1\n") {
		t.Errorf("the resource has no access key:\n%s", text)
	}
	if strings.Count(text, "example-secret-key") != 1 {
		t.Errorf("the secret key is not only in the Secret:\n%s", text)
	}
}

// TestADecryptedValueIsCopiedOnlyWithPermission copies a value of a SealedSecret, which only the operator permits.
func TestADecryptedValueIsCopiedOnlyWithPermission(t *testing.T) {
	canary := "cnry" + rand.Text()
	t.Chdir(t.TempDir())
	file, key := sealingKey(t)
	const rule = "kinds: [{group: example.com, kind: Bucket, copies: " +
		"[{kind: Secret, name: s, key: user, to: spec.user}]}]\n"
	const refused = "Bucket a/b: app/bucket.yaml:4: copy into spec.user: the value of Secret a/s is not in the " +
		"manifests in plain, and copying it is not permitted"
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		"app/s.yaml": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s, namespace: a, " +
			"annotations: {sealedsecrets.bitnami.com/cluster-wide: 'true'}}\nspec:\n  encryptedData:\n    user: " +
			seal(t, key, canary),
		"app/bucket.yaml": "apiVersion: example.com/v1\nkind: Bucket\nmetadata: {name: b, namespace: a}\n" +
			"spec: {size: 1}\n",
		"app/.rollstamp.yaml": rule,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rollstamp := func(args ...string) (diag.Exit, string, string) {
		var out, errs bytes.Buffer
		env := func(string) (string, bool) { return "", false }
		code := run(t.Context(), append(args, "--sealing-key-file", file), env, streamsOf(&out, &errs))
		return code, out.String(), errs.String()
	}
	code, out, errs := rollstamp("render", "app")
	if code != diag.ExitUsage || out != "" || !strings.Contains(errs, refused) ||
		!strings.Contains(errs, "--allow copy-secrets") {
		t.Errorf("without the permission it ends with %d: %s", code, errs)
	}
	if code, out, errs = rollstamp("render", "app", "--allow", "copy-secrets"); code != diag.ExitOK ||
		!strings.Contains(out, "spec: {user: "+canary+", size: 1}") {
		t.Errorf("with it, it ends with %d: %s", code, errs)
	}
	noLeak(t, canary, "the findings", errs)
	for _, args := range [][]string{
		{"render", "app", "--output-dir", "out"}, {"explain", "-o", "json", "app"}, {"check", "app"},
	} {
		code, out, errs = rollstamp(append(args, "--allow", "copy-secrets")...)
		noLeak(t, canary, strings.Join(args, " "), out+errs)
		if args[0] == "render" && (code != diag.ExitInput || !strings.Contains(errs, "would be written")) {
			t.Errorf("it is written to a file, and ends with %d: %s", code, errs)
		}
	}
}
