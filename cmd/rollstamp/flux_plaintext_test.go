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

// opened is a folder with Kustomizations of Flux, of which one has a variable that comes from a sealed Secret.
type opened struct{ dir, key, hashKey string }

func newOpened(t *testing.T, canary string) opened {
	t.Helper()
	t.Chdir(t.TempDir())
	file, key := sealingKey(t)
	const of = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: NAME, namespace: a}\n" +
		"spec:\n  path: ./NAME\n  sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}\n"
	from := "  postBuild: {substituteFrom: [{kind: Secret, name: s}]}\n"
	for name, text := range map[string]string{
		"all.yaml": strings.ReplaceAll(of, "NAME", "vars") + "---\n" + strings.ReplaceAll(of, "NAME", "apps") + from,
		"vars/s.yaml": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s, namespace: a, annotations: " +
			"{sealedsecrets.bitnami.com/cluster-wide: 'true'}}\nspec:\n  encryptedData:\n    PASSWORD: " + seal(t, key, canary),
		"apps/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: a}\ndata: {url: '${PASSWORD}@db'}\n" +
			"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: a}\nspec: {template: {spec: " +
			"{containers: [{name: c, envFrom: [{configMapRef: {name: web}}]}]}}}\n",
		"hash-key": "sixteen bytes or more",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return opened{".", file, "hash-key"}
}

// run runs the program on the folder.
func (o opened) run(args ...string) (code diag.Exit, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), append(args, "--as", "flux", "--sealing-key-file", o.key),
		func(string) (string, bool) { return "", false }, streamsOf(&stdout, &stderr))
	return code, stdout.String(), stderr.String()
}

func TestDecryptedVariablesAreNeitherWrittenNorPublishedUnasked(t *testing.T) {
	canary := "cnry" + rand.Text()
	o := newOpened(t, canary)
	const refused = "ConfigMap a/web: apps/web.yaml:2: a value of a Secret stands in it in clear text, and would be written"
	for _, args := range [][]string{
		{"render", "all.yaml", "--output-dir", "out", "--hash-key-file", o.hashKey},
		{"flux", "push", "oci://127.0.0.1:1/x", "all.yaml", "--hash-key-file", o.hashKey},
		{"flux", "push", "oci://127.0.0.1:1/x", "all.yaml", "--hash-key-file", o.hashKey, "--dry-run"},
	} {
		code, out, errs := o.run(args...)
		if code != diag.ExitInput || out != "" || !strings.Contains(errs, refused) ||
			!strings.Contains(errs, "rollstamp flux stamp writes stamps alone") {
			t.Errorf("%v ends with %d: %s%s", args, code, out, errs)
		}
		noLeak(t, canary, strings.Join(args, " "), out+errs)
		if _, err := os.Stat("out/a/apps.yaml"); err == nil {
			t.Errorf("%v wrote the file", args)
		}
	}
	code, out, errs := o.run("render", "all.yaml", "--hash-key-file", o.hashKey)
	if code != diag.ExitOK || !strings.Contains(out, canary+"@db") || !strings.Contains(out, "configmap.web: v1k-") ||
		!strings.Contains(errs, "warning: ConfigMap a/web: apps/web.yaml:2: a value of a Secret stands in it in clear "+
			"text, as it will in the cluster [flux-plaintext]") {
		t.Errorf("it ends with %d: %s%s", code, strings.ReplaceAll(out, canary, "CANARY"), errs)
	}
	noLeak(t, canary, "the findings of a render", errs)
	code, _, errs = o.run("render", "all.yaml", "--hash-key-file", o.hashKey, "--output-dir", "out", "--plaintext-secrets")
	if text, err := os.ReadFile("out/a/apps.yaml"); code != diag.ExitOK || err != nil || !strings.Contains(string(text), canary) {
		t.Errorf("it ends with %d: %v %s", code, err, errs)
	}
}

func TestADigestOfADecryptedVariableNeedsAHashKey(t *testing.T) {
	canary := "cnry" + rand.Text()
	o := newOpened(t, canary)
	for _, args := range [][]string{{"render", "all.yaml"}, {"flux", "stamp", "all.yaml"}} {
		code, out, errs := o.run(args...)
		if code != diag.ExitUsage || out != "" || !strings.Contains(errs,
			"ConfigMap a/web: apps/web.yaml:2: content that was fetched or decrypted needs a hash key") {
			t.Errorf("%v ends with %d: %s", args, code, errs)
		}
		noLeak(t, canary, strings.Join(args, " "), out+errs)
	}
	if code, out, errs := o.run("flux", "stamp", "all.yaml", "--hash-key-file", o.hashKey); code != diag.ExitOK {
		t.Errorf("it ends with %d: %s%s", code, out, errs)
	} else {
		noLeak(t, canary, "flux stamp", out+errs)
	}
	text, err := os.ReadFile("all.yaml")
	if err != nil || !strings.Contains(string(text), "configmap.web: v1k-") {
		t.Errorf("%v: %s", err, text)
	}
	noLeak(t, canary, "a patch", string(text))
}
