package sealed

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestKeysAreReadFromPEMAndFromSecrets(t *testing.T) {
	t.Parallel()
	key, second := newKey(t), newKey(t)
	pkcs1 := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8 := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("not read")}))
	other := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(second)}))
	secret := func(text string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: k, namespace: kube-system}, type: kubernetes.io/tls, data: {tls.crt: '', tls.key: " +
			base64.StdEncoding.EncodeToString([]byte(text)) + "}}"
	}
	doc := document("name: db, namespace: shop", "password", seal(t, key, "shop/db", "hunter2"))
	for name, texts := range map[string][]string{
		"PKCS #1":                  {pkcs1},
		"PKCS #8":                  {pkcs8},
		"behind its certificate":   {certificate + pkcs1},
		"behind another key":       {other + pkcs1},
		"in the second file":       {other, pkcs8},
		"a Secret":                 {secret(pkcs1)},
		"a Secret with stringData": {"apiVersion: v1\nkind: Secret\nmetadata: {name: k}\nstringData:\n  tls.key: |\n    " + strings.ReplaceAll(strings.TrimSpace(pkcs1), "\n", "\n    ") + "\n"},
		"Secrets in a row":         {secret(other) + "\n---\n" + secret(pkcs8) + "\n"},
		"a List":                   {"apiVersion: v1\nkind: List\nitems:\n- " + secret(other) + "\n- " + secret(pkcs1) + "\n"},
		"a List in JSON":           {`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"k"},"data":{"tls.key":"` + base64.StdEncoding.EncodeToString([]byte(pkcs1)) + `"}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			var files []string
			for _, text := range texts {
				files = append(files, written(t, text))
			}
			o, err := Load(files)
			if err != nil {
				t.Fatal(err)
			}
			if values, err := o.Decrypt(context.Background(), "", doc); err != nil || string(values["password"].Reveal()) != "hunter2" {
				t.Errorf("got %q (%v)", values["password"].Reveal(), err)
			}
		})
	}
}

func TestAKeyFileThatCannotBeUsedIsTheUsersError(t *testing.T) {
	t.Parallel()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	const canary = "canary-7f3a"
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":                    {"", ErrKeyFormat},
		"only a certificate":       {encode("CERTIFICATE", []byte("x")), ErrKeyFormat},
		"a damaged key":            {encode("RSA PRIVATE KEY", []byte(canary)), ErrKeyFormat},
		"a key of a curve":         {encode("PRIVATE KEY", der), ErrKeyFormat},
		"a key under a passphrase": {encode("ENCRYPTED PRIVATE KEY", []byte(canary)), ErrKeyFormat},
		"a Secret without a key":   {"apiVersion: v1\nkind: Secret\nmetadata: {name: k}\ndata: {password: " + canary + "}\n", ErrKeyFormat},
		"a Secret with bad base64": {"apiVersion: v1\nkind: Secret\nmetadata: {name: k}\ndata: {tls.key: '" + canary + "!'}\n", ErrKeyFormat},
		"no YAML":                  {"a: [" + canary, ErrKeyFormat},
		"some text":                {canary, ErrKeyFormat},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load([]string{written(t, c.text)})
			if !errors.Is(err, c.want) || diag.ExitOf(err) != diag.ExitUsage || diag.HintOf(err) == "" {
				t.Errorf("got %v (exit code %d)", err, diag.ExitOf(err))
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("it shows the file: %v", err)
			}
		})
	}
	if _, err := Load([]string{filepath.Join(t.TempDir(), "none")}); !errors.Is(err, ErrKeyMissing) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Load([]string{t.TempDir()}); !errors.Is(err, ErrKeyUnreadable) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Load(nil); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("no files: %v", err)
	}
	if _, err := Load([]string{written(t, string(bytes.Repeat([]byte("a"), maxKeyFile+1)))}); !errors.Is(err, ErrKeyUnreadable) {
		t.Errorf("a huge file: %v", err)
	}
}
