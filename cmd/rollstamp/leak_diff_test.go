package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/report"
)

// secretsThatChange are streams with a value in a Secret. The same stream with another value is the other side.
func secretsThatChange(value string) map[string]string {
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	const reads = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: s}}]}]}}}
`
	applied := `'{"apiVersion":"v1","kind":"Secret","stringData":{"a":"` + value + `"}}'`
	return map[string]string{
		"data":                secret + "data: {a: " + encoded + "}\n" + reads,
		"texts":               secret + "stringData: {a: " + value + "}\n" + reads,
		"both":                secret + "data: {a: " + encoded + "}\nstringData: {a: " + value + ", b: x" + value + "}\n" + reads,
		"what was applied":    secret[:len(secret)-2] + ", annotations: {kubectl.kubernetes.io/last-applied-configuration: " + applied + "}}\nstringData: {a: " + value + "}\n" + reads,
		"nobody reads it":     secret + "stringData: {a: " + value + "}\n",
		"another name":        strings.ReplaceAll(secret, "name: s", "name: s-"+strings.ToLower(value[len(value)-8:])) + "stringData: {a: " + value + "}\n",
		"in a list":           "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(secret+"stringData: {a: "+value+"}", "\n", "\n  ") + "\n" + reads,
		"in a list of a kind": "apiVersion: v1\nkind: SecretList\nitems:\n- {metadata: {name: s}, stringData: {a: " + value + "}}\n" + reads,
		"not base64":          secret + "data: {a: '" + value + "!'}\n" + reads,
		"no table":            secret + "data: " + value + "\n" + reads,
		"a list":              secret + "stringData: [" + value + "]\n" + reads,
		"below a key":         secret + "stringData: {a: {b: " + value + "}}\n" + reads,
		"another field":       secret + "stringDate: {a: " + value + "}\n" + reads,
		"not to be decoded":   secret + "stringData: {a: \"" + value + "\n" + reads,
		"an unknown alias":    secret + "stringData: {a: *" + value + "}\n" + reads,
		"a tab":               secret + "stringData:\n\ta: " + value + "\n" + reads,
		"twice":               secret + "stringData: {a: " + value + ", a: x}\n---\n" + secret + "stringData: {a: x" + value + "}\n" + reads,
		"a placeholder":       secret + "stringData: {a: '<path:p#k> " + value + "'}\n" + reads,
	}
}

// TestNoCanaryIsInAReport lets the values of Secrets change, and looks for them in everything that compares, checks or
// draws.
func TestNoCanaryIsInAReport(t *testing.T) {
	canaries := []string{"cnry" + rand.Text(), "cnry" + rand.Text()}
	dir := t.TempDir()
	t.Chdir(dir)
	digests := regexp.MustCompile(`v1-[0-9a-f]{16}`)
	compared := 0
	shows := func(what string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
		for _, canary := range canaries {
			noLeak(t, canary, fmt.Sprint(what, " ", args), out.String()+errs.String())
		}
		if d := digests.FindString(out.String() + errs.String()); d != "" {
			t.Errorf("%s, %v shows the digest %s, which can be tried", what, args, d)
		}
		return out.String()
	}
	put := func(name, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	then, now := secretsThatChange(canaries[0]), secretsThatChange(canaries[1])
	for what := range then {
		for name, sides := range map[string][2]string{"changed": {then[what], now[what]}, "added": {"", now[what]}, "removed": {then[what], ""}} {
			put("from.yaml", sides[0])
			put("to.yaml", sides[1])
			put("old/app.yaml", sides[0])
			put("new/app.yaml", sides[1])
			what := what + " " + name
			for _, format := range report.DiffFormats() {
				if strings.Contains(shows(what, "diff", "-v", "--from-file", "from.yaml", "--to-file", "to.yaml", "-o", format), "Secret") {
					compared++
				}
				shows(what, "diff", "-v", "--dirs", "old", "new", "-o", format)
			}
			put("diff.json", shows(what, "diff", "--from-file", "from.yaml", "--to-file", "to.yaml", "-o", "json"))
			for _, format := range report.DiffFormats() {
				shows(what, "report", "--from-json", "diff.json", "-o", format)
			}
		}
		put("app/app.yaml", now[what])
		for _, format := range report.FindingsFormats() {
			shows(what, "check", "-v", "app", "-o", format)
		}
		for _, format := range report.GraphFormats() {
			shows(what, "graph", "-v", "app", "-o", format)
		}
		put("rendered/app/manifests.yaml", then[what])
		shows(what, "render", "-v", "--check", "--output-dir", "rendered", "app")
	}
	if compared < 100 {
		t.Errorf("only %d reports name a Secret", compared)
	}
}
