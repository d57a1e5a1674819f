package values_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

func store(text string) *values.Store {
	var s values.Store
	s.Add("home", "Kustomization flux-system/vars", &render.Output{Text: []byte(text)}, "flux-system", nil)
	return &s
}

func ref(kind, name string) values.Ref {
	return values.Ref{Kind: kind, Namespace: "flux-system", Name: name}
}

func TestAnObjectIsFoundInTheRendersOfARun(t *testing.T) {
	s := store("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {cluster: live}\n---\n" +
		"apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: flux-system}\ndata: {token: c2VjcmV0}\n")
	d, err := s.Find(context.Background(), "home", ref("ConfigMap", "settings"), values.Around{})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := d.Get("cluster"); !ok || string(v) != "live" || d.Secrecy("cluster") != redact.Public ||
		d.From != "Kustomization flux-system/vars" {
		t.Errorf("found %v with %q", d, v)
	}
	d, err = s.Find(context.Background(), "home", ref("Secret", "keys"), values.Around{})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := d.Get("token"); string(v) != "secret" || d.Secrecy("token") != redact.HoldsSecret || !slices.Equal(d.Keys(), []string{"token"}) {
		t.Errorf("found %v", d)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, d); strings.Contains(text, "secret") || strings.Contains(text, "115") {
			t.Errorf("%s shows %s", verb, text)
		}
	}
}

func TestALaterRenderOfAnApplicationReplacesTheEarlierOne(t *testing.T) {
	s := store("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {cluster: live}\n")
	s.Add("home", "Kustomization flux-system/vars", &render.Output{Text: []byte("{}")}, "", nil)
	if _, err := s.Find(context.Background(), "home", ref("ConfigMap", "settings"), values.Around{}); !values.IsMissing(err) {
		t.Errorf("it is still found: %v", err)
	}
}

func TestWhatIsMissingNamesWhatWouldMakeIt(t *testing.T) {
	s := store("apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: cluster-secrets}\n" +
		"spec: {secretStoreRef: {name: x}, target: {name: cluster-secrets}, dataFrom: [{extract: {key: a}}]}\n---\n" +
		"apiVersion: v1\nkind: Secret\nmetadata: {name: closed}\nstringData: {a: 'ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]'}\n" +
		"sops: {mac: x, version: 3.9.0}\n")
	for name, want := range map[string]string{
		"cluster-secrets": "Secret flux-system/cluster-secrets is made in the cluster, by ExternalSecret " +
			"flux-system/cluster-secrets of Kustomization flux-system/vars",
		"closed": "is encrypted, and is not decrypted here",
		"absent": "Secret flux-system/absent is in no application of this run",
	} {
		d, err := s.Find(context.Background(), "home", ref("Secret", name), values.Around{})
		if d != nil || !values.IsMissing(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// decrypter decrypts whatever it gets.
type decrypter struct{}

func (decrypter) Decrypt(context.Context, string, []byte) (map[string]redact.Secret, error) {
	return map[string]redact.Secret{"a": redact.New([]byte("open"))}, nil
}

func TestWhatIsBinaryIsNoValue(t *testing.T) {
	s := store("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: both}\ndata: {a: text}\nbinaryData: {b: aGFsbG8=}\n")
	d, err := s.Find(context.Background(), "home", ref("ConfigMap", "both"), values.Around{})
	if err != nil {
		t.Fatal(err)
	}
	if keys := d.Keys(); !slices.Equal(keys, []string{"a"}) {
		t.Errorf("%q, and the controllers read data alone", keys)
	}
}

func TestCiphertextsAreDecryptedWhereThatIsAllowed(t *testing.T) {
	s := store("apiVersion: v1\nkind: Secret\nmetadata: {name: closed}\n" +
		"stringData: {a: 'ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]'}\nsops: {mac: x, version: 3.9.0}\n")
	d, err := s.Find(context.Background(), "home", ref("Secret", "closed"), values.Around{Decrypter: decrypter{}})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := d.Get("a"); string(v) != "open" {
		t.Error("its value is not the plaintext")
	}
}

func TestAFileOfTheUsersHasVariablesOrObjects(t *testing.T) {
	read := func(text string) (*values.File, error) {
		file := filepath.Join(t.TempDir(), "vars")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return values.ReadFile(nil, file)
	}
	for what, text := range map[string]string{
		"lines":   "# comment\nexport cluster=\"live\"\nport=80\nurl=http://x?a=b\n",
		"mapping": "cluster: live\nport: 80\nurl: http://x?a=b\n",
	} {
		f, err := read(text)
		if err != nil {
			t.Fatal(what, err)
		}
		d := f.Variables(ref("Secret", "x"))
		for key, want := range map[string]string{"cluster": "live", "port": "80", "url": "http://x?a=b"} {
			if v, _ := d.Get(key); string(v) != want {
				t.Errorf("%s: %s is %q", what, key, v)
			}
		}
		if _, err := store("{}").Find(context.Background(), "home", ref("Secret", "x"), values.Around{File: f}); d.Secrecy("cluster") != redact.HoldsDecrypted ||
			!values.IsMissing(err) {
			t.Errorf("%s: %v, %v", what, d, err)
		}
	}
	for what, text := range map[string]string{
		"mapping":      "Secret/flux-system/x: {a: live}\n",
		"object":       "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: flux-system}\ndata: {a: bGl2ZQ==}\n",
		"no namespace": "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: live}\n",
	} {
		f, err := read(text)
		if err != nil {
			t.Fatal(what, err)
		}
		d, err := store("{}").Find(context.Background(), "home", ref("Secret", "x"), values.Around{File: f})
		if err != nil {
			t.Fatal(what, err)
		}
		if v, _ := d.Get("a"); string(v) != "live" || d.InManifest || f.Variables(ref("Secret", "x")) != nil {
			t.Errorf("%s: %q", what, v)
		}
	}
	for _, text := range []string{"a=1\nb\n", "- a\n", "a: [1]\n", "x: {a: 1}\n", "apiVersion: apps/v1\nkind: Deployment\n",
		"x: {a: {b: c}}\n"} {
		if _, err := read(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	var none *values.File
	if none.Variables(ref("Secret", "x")) != nil {
		t.Error("no file has values")
	}
}
