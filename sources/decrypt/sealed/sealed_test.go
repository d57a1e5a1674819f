package sealed

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// newKey makes a small key: tests are about what is decrypted, not about how hard it is.
func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func keyFile(t *testing.T, keys ...*rsa.PrivateKey) string {
	t.Helper()
	var text []byte
	for _, key := range keys {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})...)
	}
	return written(t, string(text))
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func decrypter(t *testing.T, keys ...*rsa.PrivateKey) *Decrypter {
	t.Helper()
	o, err := Load([]string{keyFile(t, keys...)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// seal does what kubeseal does; that this is so is held against kubeseal's own code in e2e/secrets.
func seal(t *testing.T, key *rsa.PrivateKey, label, value string) string {
	t.Helper()
	session := make([]byte, 32)
	_, _ = rand.Read(session)
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, session, []byte(label))
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

func document(metadata string, encrypted ...string) []byte {
	text := "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {" + metadata + "}\nspec:\n  encryptedData:\n"
	for i := 0; i < len(encrypted); i += 2 {
		text += "    " + encrypted[i] + ": " + encrypted[i+1] + "\n"
	}
	return []byte(text)
}

func TestAValueIsOpenedInEachScope(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	o := decrypter(t, key)
	for name, c := range map[string]struct{ metadata, label string }{
		"strict":                              {"name: db, namespace: shop", "shop/db"},
		"namespace-wide":                      {"name: db, namespace: shop, annotations: {sealedsecrets.bitnami.com/namespace-wide: 'true'}", "shop"},
		"cluster-wide":                        {"name: db, namespace: shop, annotations: {sealedsecrets.bitnami.com/cluster-wide: 'true'}", ""},
		"cluster-wide without a namespace":    {"name: db, annotations: {sealedsecrets.bitnami.com/cluster-wide: 'true'}", ""},
		"cluster-wide comes before the other": {"name: db, namespace: shop, annotations: {sealedsecrets.bitnami.com/namespace-wide: 'true', sealedsecrets.bitnami.com/cluster-wide: 'true'}", ""},
		"an annotation that is not true":      {"name: db, namespace: shop, annotations: {sealedsecrets.bitnami.com/cluster-wide: 'yes'}", "shop/db"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := o.Decrypt(context.Background(), "", document(c.metadata, "password", seal(t, key, c.label, "hunter2"), "empty", seal(t, key, c.label, "")))
			if err != nil {
				t.Fatal(err)
			}
			if len(values) != 2 || string(values["password"].Reveal()) != "hunter2" || len(values["empty"].Reveal()) != 0 {
				t.Errorf("%d values, password %q", len(values), values["password"].Reveal())
			}
		})
	}
}

func TestADocumentWithoutNamespaceLiesInTheOneThatIsGiven(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	doc := document("name: db", "password", seal(t, key, "shop/db", "hunter2"))
	if values, err := decrypter(t, key).Decrypt(context.Background(), "shop", doc); err != nil || string(values["password"].Reveal()) != "hunter2" {
		t.Errorf("got %q (%v)", values["password"].Reveal(), err)
	}
	if _, err := decrypter(t, key).Decrypt(context.Background(), "", doc); !errors.Is(err, ErrNamespace) {
		t.Errorf("without one: %v", err)
	}
}

func TestOldAndNewKeysOpenWhatIsSealedForThem(t *testing.T) {
	t.Parallel()
	var keys []*rsa.PrivateKey
	for range 3 {
		keys = append(keys, newKey(t))
	}
	o := decrypter(t, keys...)
	var wg sync.WaitGroup
	for i, key := range keys {
		doc := document("name: db, namespace: shop", "a", seal(t, key, "shop/db", fmt.Sprint(i)), "b", seal(t, keys[0], "shop/db", "0"))
		for range 5 {
			wg.Go(func() {
				values, err := o.Decrypt(context.Background(), "", doc)
				if err != nil || string(values["a"].Reveal()) != fmt.Sprint(i) || string(values["b"].Reveal()) != "0" {
					t.Errorf("key %d: %q %q (%v)", i, values["a"].Reveal(), values["b"].Reveal(), err)
				}
			})
		}
	}
	wg.Wait()
}

func TestSealingAgainChangesNothingOfWhatIsOpened(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	o := decrypter(t, key)
	first, second := seal(t, key, "shop/db", "hunter2"), seal(t, key, "shop/db", "hunter2")
	if first == second {
		t.Fatal("sealing is random")
	}
	for _, text := range []string{first, second} {
		values, err := o.Decrypt(context.Background(), "", document("name: db, namespace: shop", "password", text))
		if err != nil || string(values["password"].Reveal()) != "hunter2" {
			t.Errorf("got %q (%v)", values["password"].Reveal(), err)
		}
	}
}

func TestWhatCannotBeOpenedIsToldByObjectAndKey(t *testing.T) {
	t.Parallel()
	key, foreign := newKey(t), newKey(t)
	o := decrypter(t, key)
	const strict = "name: db, namespace: shop"
	good := seal(t, key, "shop/db", "hunter2")
	// A bit of the ciphertext, not of its base64: that changes one letter into
	// one outside the alphabet now and then.
	damaged, err := base64.StdEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)-6] ^= 1
	for name, c := range map[string]struct {
		doc  []byte
		want error
		says string
	}{
		"sealed for another controller":      {document(strict, "password", seal(t, foreign, "shop/db", "x")), ErrNoKey, "SealedSecret shop/db: open key \"password\""},
		"sealed for another name":            {document(strict, "password", seal(t, key, "shop/other", "x")), ErrNoKey, "password"},
		"sealed for the namespace":           {document(strict, "password", seal(t, key, "shop", "x")), ErrScope, "namespace-wide"},
		"sealed for the cluster":             {document(strict, "password", seal(t, key, "", "x")), ErrScope, "cluster-wide"},
		"sealed for one name":                {document(strict+", annotations: {sealedsecrets.bitnami.com/cluster-wide: 'true'}", "password", good), ErrScope, "strict"},
		"changed afterwards":                 {document(strict, "password", base64.StdEncoding.EncodeToString(damaged)), ErrFormat, "changed"},
		"not base64":                         {document(strict, "password", "'hunter2!'"), ErrFormat, "base64"},
		"too short":                          {document(strict, "password", base64.StdEncoding.EncodeToString([]byte("x"))), ErrFormat, "short"},
		"shorter than it says":               {document(strict, "password", base64.StdEncoding.EncodeToString([]byte("\x01\x00x"))), ErrFormat, "short"},
		"empty":                              {document(strict, "password", "''"), ErrFormat, "short"},
		"null":                               {document(strict, "password", "null"), ErrFormat, "password"},
		"a number":                           {document(strict, "password", "12"), ErrFormat, "password"},
		"a mapping":                          {document(strict, "password", "{a: b}"), ErrFormat, "password"},
		"a list of values":                   {[]byte("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db, namespace: shop}\nspec: {encryptedData: [a]}\n"), ErrFormat, "SealedSecret shop/db"},
		"the old form":                       {[]byte("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db, namespace: shop}\nspec: {data: AAAA}\n"), ErrDeprecated, "SealedSecret shop/db"},
		"one good value beside one that not": {document(strict, "a", good, "b", seal(t, foreign, "shop/db", "x")), ErrNoKey, "open key \"b\""},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := o.Decrypt(context.Background(), "", c.doc)
			if !errors.Is(err, c.want) || values != nil || diag.ExitOf(err) != diag.ExitInput {
				t.Fatalf("%d values, %v (exit code %d)", len(values), err, diag.ExitOf(err))
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "SealedSecret shop/db") {
				t.Errorf("it says: %v", err)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), good[:20]) {
				t.Errorf("it shows a value: %v", err)
			}
		})
	}
}

func TestADocumentThatIsNoSealedSecretIsLeftAlone(t *testing.T) {
	t.Parallel()
	o := decrypter(t, newKey(t))
	for _, text := range []string{"", "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", "apiVersion: example.com/v1\nkind: SealedSecret\nmetadata: {name: x}\n"} {
		if values, err := o.Decrypt(context.Background(), "", []byte(text)); err != nil || values != nil {
			t.Errorf("%q: %d values (%v)", text, len(values), err)
		}
	}
	if _, err := o.Decrypt(context.Background(), "", []byte("a: [")); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("no YAML: %v", err)
	}
}

func TestAnEmptySealedSecretHoldsNoValues(t *testing.T) {
	t.Parallel()
	o := decrypter(t, newKey(t))
	for _, spec := range []string{"{}", "{encryptedData: null}", "{encryptedData: {}}", "{encryptedData: {}, data: null}"} {
		text := "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: x, namespace: y}\nspec: " + spec + "\n"
		if values, err := o.Decrypt(context.Background(), "", []byte(text)); err != nil || values == nil || len(values) != 0 {
			t.Errorf("%s: %d values (%v)", spec, len(values), err)
		}
	}
}

func TestOpeningEndsWithItsContext(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := decrypter(t, key).Decrypt(ctx, "", document("name: db, namespace: shop", "a", seal(t, key, "shop/db", "x"))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnOpenerCannotBePrinted(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	o := decrypter(t, key)
	holder := struct{ shown, hidden any }{o, *o}
	for _, v := range []any{o, holder, &holder} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
			out := fmt.Sprintf(verb, v)
			for _, part := range []string{key.D.String(), key.D.Text(16), key.Primes[0].String(), key.Primes[0].Text(16)} {
				if strings.Contains(out, part) {
					t.Errorf("%s of %T shows the key", verb, v)
				}
			}
		}
	}
}
