package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

// TestNoCanaryLeavesTheProgram puts random values where secrets are and looks for them, and for what is made of them,
// in everything that is printed but the manifests themselves.
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
	const store = "---\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: store}\nspec: {provider: "
	const external = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: s}\nspec:\n  secretStoreRef: {name: store}\n"
	const data = "  data: [{secretKey: a, remoteRef: {key: k}}]\n"
	const encrypted = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nsops: {mac: x, "
	streams := map[string]string{
		"a store with values":           store + "{fake: {data: [{key: k, value: " + canary + "}]}}}\n" + external + data + workload,
		"a store with a header":         store + "{webhook: {url: 'http://127.0.0.1:1', headers: {Authorization: " + canary + "}, body: " + canary + "}}}\n" + external + data + workload,
		"a store of an unknown kind":    store + canary + "}\n" + external + data + workload,
		"a template with a value":       external + data + "  target: {template: {data: {a: 'x " + canary + " {{ .a }}'}}}\n" + workload,
		"a template that does not fit":  external + data + "  target: {template: {data: {a: '{{ " + canary + "'}}}\n" + workload,
		"a template from a Secret":      external + data + "  target: {template: {templateFrom: [{secret: {name: t, items: [{key: a}]}}]}}\n---\n" + strings.Replace(secret, "name: s", "name: t", 1) + "stringData: {a: " + canary + "}\n" + workload,
		"a generator":                   "---\napiVersion: generators.external-secrets.io/v1alpha1\nkind: Fake\nmetadata: {name: g}\nspec: {data: {a: " + canary + "}}\n" + external + "  dataFrom: [{sourceRef: {generatorRef: {kind: Fake, name: g}}}]\n" + workload,
		"a merged Secret":               secret + "stringData: {a: " + canary + "}\n" + external + data + "  target: {creationPolicy: Merge}\n" + workload,
		"a SealedSecret with a value":   "---\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s}\nspec: {encryptedData: {a: " + canary + "}, template: {data: {b: '" + canary + "'}}}\n" + workload,
		"a value beside encrypted ones": encrypted + "version: '3'}\nstringData: {a: " + canary + ", b: 'ENC[AES256_GCM,data:" + canary + "]'}\n" + workload,
		"a field sops with a value":     encrypted + "lastmodified: " + canary + ", age: [{recipient: x, enc: " + canary + "}]}\nstringData: {a: 'ENC[" + canary + "]'}\n" + workload,
		"a value with a placeholder":    secret + "stringData: {a: '<path:p#k> " + canary + "'}\n" + workload,
		"a copy":                        "---\n" + strings.Replace(secret, "name: s}", "name: s, annotations: {replicator.v1.mittwald.de/replicate-from: a/t}}", 1) + "---\n" + strings.Replace(secret, "name: s", "name: t, namespace: a", 1) + "stringData: {a: " + canary + "}\n" + workload,
		"a class of providers":          "---\napiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: c}\nspec: {provider: vault, parameters: {objects: '" + canary + ": ['}, secretObjects: [{secretName: s, data: [{key: a, objectName: o}]}]}\n" + workload,

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
	sealing, _ := sealingKey(t)
	chart := filepath.Dir(write("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"))
	write("chart/values.yaml", "password: "+canary+"\n")
	write("chart/templates/s.yaml",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: {{ .Values.password }}}\n{{ fail "+
			".Values.password }}\n")
	kustomization := filepath.Dir(write("kustomization/kustomization.yaml", "secretGenerator:\n- name: s\n  literals:\n  - "+canary+"\n"))
	commands := [][]string{
		{"explain", "-v"}, {"explain", "-v", "-o", "json"}, {"explain", "-v", "--hash-key-file", key},
		{"config", "-v", "--hash-key-file", key}, {"config", "-o", "json", "--hash-key-file", key},
		{"stamp", "-v"}, {"stamp", "-v", "--hash-key-file", key}, {"unstamp", "-v"},
		{"explain", "-v", "--hash-key-file", key, "--sealing-key-file", sealing}, {"stamp", "--hash-key-file", key, "--sealing-key-file", sealing},
		{"explain", "-v", "--sealing-key-file", key}, {"explain", "-v", "--open-sops", "--hash-key-file", key}, {"config", "-v", "--sealing-key-file", key, "--open-sops"},
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
			env := func(name string) (string, bool) {
				secrets := map[string]string{config.EnvSOPSAgeKey: canary, config.EnvVaultToken: canary, config.EnvStores: "/bin/false"}
				value, set := secrets[name]
				return value, set
			}
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

// forms returns a value and what a careless program would make of it.
func forms(value string) []string {
	b := []byte(value)
	one, two, five := sha1.Sum(b), sha256.Sum256(b), sha512.Sum512(b)
	out := []string{value, strings.ToLower(value), hex.EncodeToString(b)}
	for _, made := range [][]byte{b, one[:], two[:], five[:]} {
		out = append(out, hex.EncodeToString(made), strings.ToUpper(hex.EncodeToString(made)), strings.TrimRight(base64.StdEncoding.EncodeToString(made), "="), strings.TrimRight(base64.URLEncoding.EncodeToString(made), "="))
	}
	return out
}

// sealingKey writes a file with the key of a controller.
func sealingKey(t *testing.T) (file string, key *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "sealing-key")
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, key
}

// seal does what kubeseal does for the cluster-wide scope.
func seal(t *testing.T, key *rsa.PrivateKey, value string) string {
	t.Helper()
	session := make([]byte, 32)
	_, _ = rand.Read(session)
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, session, nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(session)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	out := append(binary.BigEndian.AppendUint16(nil, uint16(len(wrapped))), wrapped...)
	return base64.StdEncoding.EncodeToString(aead.Seal(out, make([]byte, aead.NonceSize()), []byte(value), nil))
}

// TestNoOpenedValueLeavesTheProgram seals a random value, so that it is nowhere in the input: not even the
// manifests that are printed may hold it, nor any file.
func TestNoOpenedValueLeavesTheProgram(t *testing.T) {
	canary := "cnry" + rand.Text()
	file, key := sealingKey(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	sealed := func(more, template string, values ...string) string {
		text := "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s, namespace: a, annotations: {sealedsecrets.bitnami.com/cluster-wide: 'true'}}\nspec:\n  template: " + template + "\n  encryptedData:\n"
		for i, v := range values {
			text += fmt.Sprintf("    k%d: %s\n", i, v)
		}
		return text + more
	}
	workload := func(where string) string {
		return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: a}\nspec: {template: {spec: {containers: [{name: c, " + where + "}]}}}\n"
	}
	all, one := workload("envFrom: [{secretRef: {name: s}}]"), workload(
		"env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k0}}}, {name: B, valueFrom: {secretKeyRef: "+
			"{name: s, key: none}}}]")
	good := seal(t, key, canary)
	inputs := map[string]string{
		"all":         sealed("", "{}", good, good) + all,
		"one key":     sealed("", "{}", good, "'"+good[:40]+"'") + one,
		"binary":      sealed("", "{}", seal(t, key, "\x00\xff"+canary)) + all,
		"templates":   sealed("", "{data: {x: '{{ .k0 }}', y: '{{ .k0', k0: other}}", good) + all,
		"damaged":     sealed("", "{}", good[:len(good)-8]+"AAAAAAA=") + all,
		"beside":      sealed("---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: a}\nstringData: {z: '1'}\n", "{}", good) + all,
		"in a list":   "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(sealed("", "{}", good), "\n", "\n  ") + "\n" + all,
		"merged":      sealed("---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e, namespace: a}\nspec: {target: {name: s, creationPolicy: Merge}, data: [{secretKey: q, remoteRef: {key: k}}]}\n", "{}", good) + all,
		"template of": sealed("---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e, namespace: a}\nspec: {target: {template: {templateFrom: [{secret: {name: s, items: [{key: k0}]}}]}}}\n", "{}", good) + strings.ReplaceAll(all, "name: s", "name: e"),
	}
	hashKey := filepath.Join(dir, "hash-key")
	if err := os.WriteFile(hashKey, []byte("sixteen bytes or more"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := 0
	for name, text := range inputs {
		path := filepath.Join(dir, "stream.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"stamp"}, {"stamp", "-v"}, {"stamp", "-v", "--fail-on", "info"}, {"stamp", "--timeout", "1ns"}, {"explain"}, {"explain", "-v"}, {"explain", "-v", "-o", "json"},
			{"render", "-v"}, {"render", "--output-dir", filepath.Join(dir, "out")}, {"config", "-v"},
		} {
			for _, keys := range [][]string{{"--hash-key-file", hashKey}, {"--hash-key-file", hashKey, "--hash-domain", "d"}, nil} {
				args := append(append([]string{args[0], path, "--sealing-key-file", file}, args[1:]...), keys...)
				var out, errs bytes.Buffer
				run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
				if strings.Contains(out.String(), "v1k-") {
					opened++
				}
				noLeak(t, canary, fmt.Sprint(name, " ", args), out.String()+errs.String())
			}
		}
	}
	if opened < 20 {
		t.Errorf("only %d of the runs opened anything", opened)
	}
	for _, root := range []string{dir, os.Getenv("TMPDIR")} {
		noLeakInFiles(t, canary, root)
	}
}

func noLeak(t *testing.T, canary, where, shown string) {
	t.Helper()
	for _, leak := range forms(canary) {
		if strings.Contains(shown, leak) {
			t.Errorf("%s shows %q:\n%s", where, leak, shown)
		}
	}
}

func noLeakInFiles(t *testing.T, canary, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		noLeak(t, canary, path, string(text))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
