package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCanaryLeavesTheProgram puts random values where secrets stand and looks for them, and for what is made of them, in
// everything that is printed but the manifests themselves.
func TestNoCanaryLeavesTheProgram(t *testing.T) {
	canary := "cnry" + rand.Text()
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	workload := `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: c
        envFrom:
        - secretRef: {name: s}
        env:
        - {name: A, valueFrom: {secretKeyRef: {name: s, key: missing}}}
`
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	streams := map[string]string{
		"good":             secret + "data:\n  a: " + encoded + "\nstringData:\n  b: " + canary + "\n" + workload,
		"bad base64":       secret + "data:\n  a: '" + canary + "!'\n" + workload,
		"a map":            secret + "stringData:\n  a: {x: " + canary + "}\n" + workload,
		"twice":            secret + "stringData:\n  a: " + canary + "\n  a: " + canary + "x\n" + workload,
		"a tab":            secret + "stringData:\n\ta: " + canary + "\n" + workload,
		"unclosed":         secret + "stringData:\n  a: \"" + canary + "\n" + workload,
		"an unknown alias": secret + "stringData:\n  a: *" + canary + "\n" + workload,
		"a bad tag":        secret + "stringData:\n  a: !!int " + canary + "\n" + workload,
		"a value as key":   secret + "stringData:\n  ? {" + canary + ": x}\n  : y\n" + workload,
		"merged":           secret + "stringData:\n  <<: " + canary + "\n" + workload,
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := write("key", canary+canary)
	chart := filepath.Dir(write("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"))
	write("chart/values.yaml", "password: "+canary+"\n")
	write("chart/templates/s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: {{ .Values.password }}}\n{{ fail .Values.password }}\n")
	kustomization := filepath.Dir(write("kustomization/kustomization.yaml", "secretGenerator:\n- name: s\n  literals:\n  - "+canary+"\n"))
	commands := [][]string{
		{"explain", "-v"}, {"explain", "-v", "-o", "json"}, {"explain", "-v", "--hash-key-file", key},
		{"config", "-v", "--hash-key-file", key}, {"config", "-o", "json", "--hash-key-file", key},
		{"stamp", "-v"}, {"stamp", "-v", "--hash-key-file", key}, {"unstamp", "-v"},
		{"render", "-v", chart}, {"render", "-v", kustomization},
	}
	for name, stream := range streams {
		for _, args := range commands {
			args := args
			switch args[0] {
			case "explain", "stamp", "unstamp":
				args = append(args[:len(args):len(args)], write("stream.yaml", stream))
			}
			var out, errs bytes.Buffer
			env := func(string) (string, bool) { return "", false }
			run(context.Background(), args, env, streamsOf(&out, &errs))
			shown := errs.String()
			if args[0] == "explain" || args[0] == "config" {
				shown += out.String()
			}
			for _, leak := range forms(canary) {
				if strings.Contains(shown, leak) {
					t.Errorf("%s, %v shows %q:\n%s", name, args, leak, shown)
				}
			}
		}
	}
}

func streamsOf(out, errs *bytes.Buffer) streams {
	return streams{in: strings.NewReader(""), out: out, err: errs}
}

// forms gives a value and what a careless program would make of it.
func forms(value string) []string {
	b := []byte(value)
	one, two, five := sha1.Sum(b), sha256.Sum256(b), sha512.Sum512(b)
	return []string{value, base64.StdEncoding.EncodeToString(b), hex.EncodeToString(b), hex.EncodeToString(one[:]), hex.EncodeToString(two[:]), hex.EncodeToString(five[:])}
}
