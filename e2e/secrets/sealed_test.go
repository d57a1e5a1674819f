// Package secrets holds the decrypters of rollstamp against what really seals and encrypts: the code of kubeseal, and
// the sops command.
package secrets

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	ssv1 "github.com/bitnami/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami/sealed-secrets/pkg/crypto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/decrypt/sealed"
)

// controller is what the real one has: keys under their fingerprints, and the file that an operator saves of them.
type controller struct {
	keys map[string]*rsa.PrivateKey
	file string
}

func newController(t *testing.T, keys int) controller {
	t.Helper()
	c := controller{map[string]*rsa.PrivateKey{}, filepath.Join(t.TempDir(), "keys.yaml")}
	list := corev1.SecretList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for i := range keys {
		key, cert, err := crypto.GeneratePrivateKeyAndCert(2048, 1e15, "test")
		if err != nil {
			t.Fatal(err)
		}
		fingerprint, err := crypto.PublicKeyFingerprint(&key.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		c.keys[fingerprint] = key
		list.Items = append(list.Items, corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("sealed-secrets-key%d", i), Namespace: "kube-system", Labels: map[string]string{"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}},
			Type:       corev1.SecretTypeTLS,
			Data: map[string][]byte{
				"tls.key": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
				"tls.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
			},
		})
	}
	text, err := yaml.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// any returns one of the keys.
func (c controller) any() *rsa.PrivateKey {
	for _, key := range c.keys {
		return key
	}
	return nil
}

func (c controller) seal(t *testing.T, secret *corev1.Secret) *ssv1.SealedSecret {
	t.Helper()
	sealed, err := ssv1.NewSealedSecret(scheme.Codecs, &c.any().PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	sealed.TypeMeta = metav1.TypeMeta{APIVersion: "bitnami.com/v1alpha1", Kind: "SealedSecret"}
	return sealed
}

func text(t *testing.T, v any) []byte {
	t.Helper()
	out, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatKubesealSealsIsOpenedAsTheControllerDoes(t *testing.T) {
	c := newController(t, 3)
	o, err := sealed.Load([]string{c.file})
	if err != nil {
		t.Fatal(err)
	}
	scopes := []string{"", "sealedsecrets.bitnami.com/namespace-wide", "sealedsecrets.bitnami.com/cluster-wide"}
	r := mathrand.New(mathrand.NewPCG(1, 2))
	for i := range 60 {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("s", i), Namespace: fmt.Sprint("n", i%3)}, Data: map[string][]byte{}}
		if scope := scopes[i%3]; scope != "" {
			secret.Annotations = map[string]string{scope: "true"}
		}
		for key := range 1 + r.IntN(4) {
			value := make([]byte, r.IntN(200)*r.IntN(20))
			_, _ = rand.Read(value)
			secret.Data[fmt.Sprint("key.", key)] = value
		}
		object := c.seal(t, secret)
		unsealed, err := object.UnsealWithoutTemplate(scheme.Codecs, c.keys)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := o.Decrypt(context.Background(), "", text(t, object))
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		same(t, opened, unsealed.Data)
		same(t, opened, secret.Data)
	}
}

func same(t *testing.T, opened map[string]redact.Secret, want map[string][]byte) {
	t.Helper()
	if len(opened) != len(want) {
		t.Errorf("%d keys, want %d", len(opened), len(want))
	}
	for key, value := range want {
		if !bytes.Equal(opened[key].Reveal(), value) {
			t.Errorf("key %s differs", key)
		}
	}
}

// TestWhatTheControllerRefusesIsRefused moves sealed objects to where they were not sealed for.
func TestWhatTheControllerRefusesIsRefused(t *testing.T) {
	c, foreign := newController(t, 2), newController(t, 1)
	o, err := sealed.Load([]string{c.file})
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*ssv1.SealedSecret){
		"nothing":   func(*ssv1.SealedSecret) {},
		"name":      func(s *ssv1.SealedSecret) { s.Name = "other" },
		"namespace": func(s *ssv1.SealedSecret) { s.Namespace = "other" },
		"cluster-wide": func(s *ssv1.SealedSecret) {
			s.Annotations = map[string]string{ssv1.SealedSecretClusterWideAnnotation: "true"}
		},
		"namespace-wide": func(s *ssv1.SealedSecret) {
			s.Annotations = map[string]string{ssv1.SealedSecretNamespaceWideAnnotation: "true"}
		},
		"no scope": func(s *ssv1.SealedSecret) { s.Annotations = nil },
		"scope yes": func(s *ssv1.SealedSecret) {
			s.Annotations = map[string]string{ssv1.SealedSecretClusterWideAnnotation: "yes"}
		},
		"the template's scope": func(s *ssv1.SealedSecret) {
			s.Spec.Template.Annotations = map[string]string{ssv1.SealedSecretClusterWideAnnotation: "true"}
		},
		"truncated": func(s *ssv1.SealedSecret) { s.Spec.EncryptedData["password"] = s.Spec.EncryptedData["password"][:40] },
		"a line break": func(s *ssv1.SealedSecret) {
			v := s.Spec.EncryptedData["password"]
			s.Spec.EncryptedData["password"] = v[:8] + "\n" + v[8:]
		},
		"a space": func(s *ssv1.SealedSecret) {
			v := s.Spec.EncryptedData["password"]
			s.Spec.EncryptedData["password"] = v[:8] + " " + v[8:]
		},
		"empty":               func(s *ssv1.SealedSecret) { s.Spec.EncryptedData["password"] = "" },
		"another key's value": func(s *ssv1.SealedSecret) { s.Spec.EncryptedData["password"] = s.Spec.EncryptedData["user"] },
		"no data":             func(s *ssv1.SealedSecret) { s.Spec.EncryptedData = nil },
	}
	for _, scope := range []string{"", ssv1.SealedSecretNamespaceWideAnnotation, ssv1.SealedSecretClusterWideAnnotation} {
		for name, change := range changes {
			for from, sealer := range map[string]controller{"ours": c, "foreign": foreign} {
				secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "shop"}, Data: map[string][]byte{"password": []byte("hunter2"), "user": []byte("app")}}
				if scope != "" {
					secret.Annotations = map[string]string{scope: "true"}
				}
				object := sealer.seal(t, secret)
				change(object)
				unsealed, refused := object.UnsealWithoutTemplate(scheme.Codecs, c.keys)
				opened, err := o.Decrypt(context.Background(), "", text(t, object))
				if (err == nil) != (refused == nil) {
					t.Errorf("%q, %s, %s: the controller says %v, we say %v", scope, name, from, refused, err)
					continue
				}
				if err == nil {
					same(t, opened, unsealed.Data)
				}
			}
		}
	}
}

func TestJSONIsOpenedAsYAMLIs(t *testing.T) {
	c := newController(t, 1)
	o, err := sealed.Load([]string{c.file})
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "shop"}, StringData: map[string]string{"password": "hunter2"}}
	doc, err := json.Marshal(c.seal(t, secret))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := o.Decrypt(context.Background(), "", doc)
	if err != nil {
		t.Fatal(err)
	}
	same(t, opened, map[string][]byte{"password": []byte("hunter2")})
}
