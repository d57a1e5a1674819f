package sops

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	sopsage "github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/hcvault"
	"github.com/getsops/sops/v3/keys"
	"github.com/getsops/sops/v3/pgp"
	"github.com/getsops/sops/v3/stores"
	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// encrypt does what the sops command does, with its own code. Each of groups is a key group.
func encrypt(t *testing.T, text string, change func(*sops.Metadata), groups ...[]keys.MasterKey) string {
	t.Helper()
	branch, _, err := read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tree := sops.Tree{Branches: sops.TreeBranches{branch}, Metadata: sops.Metadata{
		EncryptedRegex: "^(data|stringData|binaryData)$", Version: "3.13.3", LastModified: time.Now().UTC(), ShamirThreshold: len(groups),
	}}
	for _, g := range groups {
		tree.Metadata.KeyGroups = append(tree.Metadata.KeyGroups, g)
	}
	if change != nil {
		change(&tree.Metadata)
	}
	key, errs := tree.GenerateDataKey()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	c := aes.NewCipher()
	mac, err := tree.Encrypt(key, c)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Metadata.MessageAuthenticationCode, err = c.Encrypt(mac, key,
		tree.Metadata.LastModified.Format(time.RFC3339)); err != nil {
		t.Fatal(err)
	}
	return emit(t, tree)
}

func emit(t *testing.T, tree sops.Tree) string {
	t.Helper()
	branches, err := stores.SerializeMetadata(tree, stores.MetadataOpts{Flatten: stores.MetadataFlattenNone})
	if err != nil {
		t.Fatal(err)
	}
	out, err := yaml.Marshal(node(t, branches[0]))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func node(t *testing.T, v any) *yaml.Node {
	switch v := v.(type) {
	case sops.TreeBranch:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, item := range v {
			n.Content = append(n.Content, node(t, item.Key), node(t, item.Value))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			n.Content = append(n.Content, node(t, item))
		}
		return n
	}
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		t.Fatal(err)
	}
	return n
}

// identity makes an age key, and what SOPS encrypts for.
func identity(t *testing.T) (redact.Secret, keys.MasterKey) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return redact.New([]byte("# made for a test\n" + id.String() + "\n")), &sopsage.MasterKey{Recipient: id.Recipient().String()}
}

func decrypter(t *testing.T, o Options) *Decrypter {
	t.Helper()
	out, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shown writes values for comparison, sorted by key.
func shown(values map[string]redact.Secret) string {
	plain := map[string]string{}
	for k, v := range values {
		plain[k] = string(v.Reveal())
	}
	return strings.TrimPrefix(fmt.Sprint(plain), "map")
}

const secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  namespace: shop\ndata:\n  password: aHVudGVyMg==\n  user: YXBw\nstringData:\n  user: web\n  empty: ''\n  url: |\n    a: b\n"

const secretValues = "[empty: password:hunter2 url:a: b\n user:web]"

func TestSecretsAndConfigMapsAreOpenedWithAge(t *testing.T) {
	key, recipient := identity(t)
	o := decrypter(t, Options{AgeKeys: []redact.Secret{key}})
	for name, c := range map[string]struct{ text, want string }{
		"a Secret":                {secret, secretValues},
		"a ConfigMap":             {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: x, 'yes': z}\nbinaryData: {b: AAE=}\n", "[a:x b:\x00\x01 yes:z]"},
		"nulls":                   {"apiVersion: v1\nkind: Secret\nmetadata: {name: c}\ndata: {a: null}\nstringData: null\n", "[a:]"},
		"without content":         {"apiVersion: v1\nkind: Secret\nmetadata: {name: c, labels: {a: '1'}}\n", "[]"},
		"a value by its alias":    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: &x one}\n", "[a:one]"},
		"numbers in clear fields": {"apiVersion: v1\nkind: Secret\nmetadata: {name: c, generation: 3, x: 1.5, y: true, z: 2020-01-01}\nstringData: {a: '1'}\n", "[a:1]"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := encrypt(t, c.text, nil, []keys.MasterKey{recipient})
			if strings.Contains(doc, "hunter2") || !strings.Contains(doc, "mac: ENC[") {
				t.Fatalf("not encrypted:\n%s", doc)
			}
			values, err := o.Decrypt(context.Background(), "", []byte(doc))
			if err != nil || values == nil || shown(values) != c.want {
				t.Errorf("got %q (%v), want %q", shown(values), err, c.want)
			}
		})
	}
}

func TestEncryptingAgainChangesNothingOfWhatIsOpened(t *testing.T) {
	key, recipient := identity(t)
	o := decrypter(t, Options{AgeKeys: []redact.Secret{key}})
	first, second := encrypt(
		t,
		secret,
		nil,
		[]keys.MasterKey{recipient},
	), encrypt(
		t,
		secret,
		nil,
		[]keys.MasterKey{recipient},
	)
	if first == second {
		t.Fatal("encryption is random")
	}
	for _, doc := range []string{first, second} {
		if values, err := o.Decrypt(context.Background(), "", []byte(doc)); err != nil || shown(values) != secretValues {
			t.Errorf("got %q (%v)", shown(values), err)
		}
	}
}

func TestAgeKeysComeFromFilesToo(t *testing.T) {
	key, recipient := identity(t)
	foreign, _ := identity(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "keys.txt")
	if err := os.WriteFile(file, append(foreign.Reveal(), key.Reveal()...), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := encrypt(t, secret, nil, []keys.MasterKey{recipient})
	if values, err := decrypter(t, Options{AgeKeyFiles: []string{file}}).Decrypt(context.Background(), "", []byte(doc)); err != nil || shown(values) != secretValues {
		t.Errorf("got %q (%v)", shown(values), err)
	}
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":     {"", ErrKeyFormat},
		"a comment": {"# public key: age1\n", ErrKeyFormat},
		"no key":    {"canary-7f3a", ErrKeyFormat},
		"damaged":   {"AGE-SECRET-KEY-1CANARY7F3A", ErrKeyFormat},
		"a plugin":  {"AGE-PLUGIN-YUBIKEY-1CANARY", ErrKeyFormat},
		"SSH":       {"-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-7f3a\n-----END OPENSSH PRIVATE KEY-----\n", ErrKeyFormat},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := New(Options{AgeKeyFiles: []string{file}})
		if !errors.Is(err, c.want) || diag.ExitOf(err) != diag.ExitUsage || strings.Contains(strings.ToLower(err.Error()), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{AgeKeyFiles: []string{filepath.Join(dir, "none")}}); !errors.Is(err, ErrKeyMissing) {
		t.Errorf("no file: %v", err)
	}
	if _, err := New(Options{AgeKeyFiles: []string{dir}}); !errors.Is(err, ErrKeyUnreadable) {
		t.Errorf("a folder: %v", err)
	}
}

func TestSeveralKeyGroupsNeedAKeyOfEach(t *testing.T) {
	one, first := identity(t)
	two, second := identity(t)
	doc := encrypt(t, secret, nil, []keys.MasterKey{first}, []keys.MasterKey{second})
	if values, err := decrypter(t, Options{AgeKeys: []redact.Secret{one, two}}).Decrypt(context.Background(), "", []byte(doc)); err != nil || shown(values) != secretValues {
		t.Errorf("with both: %q (%v)", shown(values), err)
	}
	if _, err := decrypter(t, Options{AgeKeys: []redact.Secret{one}}).Decrypt(context.Background(), "", []byte(doc)); !errors.Is(err, ErrNoKey) {
		t.Errorf("with one: %v", err)
	}
}

// hash512 is what SOPS's own error shows: SHA-512 over the values.
var hash512 = regexp.MustCompile(`[0-9A-Fa-f]{64,}`)

func TestWhatCannotBeOpenedIsToldWithoutAnyValue(t *testing.T) {
	key, recipient := identity(t)
	foreign, other := identity(t)
	good := encrypt(t, secret, nil, []keys.MasterKey{recipient})
	replace := func(pattern, with string) string {
		out := regexp.MustCompile(pattern).ReplaceAllString(good, with)
		if out == good {
			t.Fatalf("%s is not in it", pattern)
		}
		return out
	}
	for name, c := range map[string]struct {
		doc  string
		want error
		says string
	}{
		"a name that was changed":        {replace(`name: db`, `name: prod-db`), ErrMAC, "Secret shop/prod-db"},
		"a label that was added":         {replace(`(?m)^metadata:`, "metadata:\n    labels: {a: b}"), ErrMAC, "Secret shop/db"},
		"a damaged code":                 {replace(`mac: ENC\[AES256_GCM,data:.`, "mac: ENC[AES256_GCM,data:_"), ErrMAC, ""},
		"no code":                        {replace(`(?m)^    mac: .*\n`, ""), ErrMAC, ""},
		"a damaged value":                {replace(`password: ENC\[AES256_GCM,data:.`, "password: ENC[AES256_GCM,data:_"), ErrValue, "data.password"},
		"a value in another place":       {replace(`password: ENC`, "password2: ENC"), ErrValue, "data.password2"},
		"a value in clear":               {replace(`password: ENC\[.*`, "password: aHVudGVyMg=="), ErrValue, "data.password"},
		"a value of another type":        {replace(`(password: ENC.*)type:str`, "${1}type:canary"), ErrValue, "data.password"},
		"a value of bytes":               {replace(`(password: ENC.*)type:str`, "${1}type:bytes"), ErrFormat, "data.password"},
		"a code of bytes":                {replace(`(mac: ENC.*)type:str`, "${1}type:bytes"), ErrMAC, ""},
		"a number":                       {replace(`password: ENC\[.*`, "password: 12"), ErrFormat, ""},
		"for another key":                {encrypt(t, secret, nil, []keys.MasterKey{other}), ErrNoKey, "age1"},
		"no keys":                        {replace(`(?s)    age:.*?    lastmodified`, "    lastmodified"), ErrFormat, ""},
		"a field sops that is no map":    {"kind: Secret\nsops: hello\n", ErrFormat, "Secret"},
		"an empty field sops":            {"kind: Secret\nsops: {}\n", ErrFormat, "Secret"},
		"a date that is none":            {replace(`lastmodified: .*`, "lastmodified: canary"), ErrFormat, ""},
		"no YAML":                        {"a: [", ErrFormat, ""},
		"a list":                         {"[sops]", ErrFormat, ""},
		"nothing":                        {"", ErrFormat, ""},
		"two documents":                  {good + "---\n" + good, ErrFormat, "several"},
		"a key that stands twice":        {good + "kind: Secret\n", ErrFormat, "twice"},
		"not base64 inside":              {encrypt(t, "kind: Secret\nmetadata: {name: db}\ndata: {password: hunter2!}\n", nil, []keys.MasterKey{recipient}), ErrContent, "password"},
		"a number inside":                {encrypt(t, "kind: Secret\nmetadata: {name: db}\nstringData: {password: 12}\n", nil, []keys.MasterKey{recipient}), ErrContent, "password"},
		"a list inside":                  {encrypt(t, "kind: Secret\nmetadata: {name: db}\ndata: [hunter2]\n", nil, []keys.MasterKey{recipient}), ErrContent, "data"},
		"comments say what is encrypted": {encrypt(t, secret, func(m *sops.Metadata) { m.EncryptedRegex, m.EncryptedCommentRegex = "", "secret" }, []keys.MasterKey{recipient}), ErrFormat, "comments"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := decrypter(t, Options{AgeKeys: []redact.Secret{key}}).Decrypt(context.Background(), "", []byte(c.doc))
			if !errors.Is(err, c.want) || values != nil || diag.ExitOf(err) != diag.ExitInput {
				t.Fatalf("%d values, %v (exit code %d)", len(values), err, diag.ExitOf(err))
			}
			text := err.Error() + diag.HintOf(err)
			if !strings.Contains(text, c.says) || hash512.MatchString(text) || strings.Contains(text, "hunter2") || strings.Contains(text, "ENC[") || strings.Contains(text, "canary") {
				t.Errorf("it says: %s", text)
			}
		})
	}
	if _, err := decrypter(t, Options{AgeKeys: []redact.Secret{foreign}}).Decrypt(context.Background(), "", []byte(good)); !errors.Is(err, ErrNoKey) {
		t.Errorf("another key: %v", err)
	}
}

// TestTheHashThatSOPSShowsIsOneOfTheValues is why its words are kept back.
func TestTheHashThatSOPSShowsIsOneOfTheValues(t *testing.T) {
	_, recipient := identity(t)
	branch, _, err := read([]byte("kind: Secret\ndata: {a: hunter2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	tree := sops.Tree{
		Branches: sops.TreeBranches{branch},
		Metadata: sops.Metadata{KeyGroups: []sops.KeyGroup{{recipient}}},
	}
	key, errs := tree.GenerateDataKey()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	mac, err := tree.Encrypt(key, aes.NewCipher())
	if want := fmt.Sprintf("%X", sha512.Sum512([]byte("Secrethunter2"))); err != nil || mac != want {
		t.Errorf("the code is %s (%v), not %s: look again at what may be shown", mac, err, want)
	}
}

func TestTheCodeCanBeLeftOut(t *testing.T) {
	key, recipient := identity(t)
	changed := strings.Replace(encrypt(t, secret, nil, []keys.MasterKey{recipient}), "name: db", "name: prod-db", 1)
	values, err := decrypter(t, Options{AgeKeys: []redact.Secret{key}, MAC: IgnoreMAC}).Decrypt(context.Background(), "", []byte(changed))
	if err != nil || shown(values) != secretValues {
		t.Errorf("ignored: %q (%v)", shown(values), err)
	}
	clear := strings.Replace(encrypt(t, secret, func(m *sops.Metadata) { m.MACOnlyEncrypted = true }, []keys.MasterKey{recipient}), "name: db", "name: prod-db", 1)
	values, err = decrypter(t, Options{AgeKeys: []redact.Secret{key}}).Decrypt(context.Background(), "", []byte(clear))
	if err != nil || shown(values) != secretValues {
		t.Errorf("over encrypted values only: %q (%v)", shown(values), err)
	}
}

func TestAKeyServiceIsAskedOnlyWhereTheOperatorListsIt(t *testing.T) {
	_, recipient := identity(t)
	doc := encrypt(t, secret, nil, []keys.MasterKey{recipient})
	vault := "hc_vault:\n    - vault_address: http://127.0.0.1:1\n      engine_path: transit\n      key_name: k\n      created_at: '2026-01-01T00:00:00Z'\n      enc: vault:v1:AAAA\n    lastmodified"
	hostile := regexp.MustCompile(`(?s)age:.*?    lastmodified`).ReplaceAllString(doc, vault)
	const name = "http://127.0.0.1:1/v1/transit/keys/k"
	if master := (&hcvault.MasterKey{VaultAddress: "http://127.0.0.1:1", EnginePath: "transit", KeyName: "k"}); master.ToString() != name {
		t.Fatalf("SOPS names it %s", master.ToString())
	}
	t.Setenv("VAULT_TOKEN", "canary-7f3a")
	t.Setenv("VAULT_MAX_RETRIES", "0")
	for _, c := range []struct {
		services []string
		want     error
		exit     diag.Exit
	}{
		{nil, ErrNoKey, diag.ExitInput},
		{[]string{"*", "http://127.0.0.1:2/*", "http://127.0.0.1:1/v1/transit/keys/", ""}, ErrNoKey, diag.ExitInput},
		{[]string{name}, ErrService, diag.ExitSource},
		{[]string{"http://127.0.0.1:1/*"}, ErrService, diag.ExitSource},
	} {
		_, err := decrypter(t, Options{KeyServices: c.services}).Decrypt(context.Background(), "", []byte(hostile))
		if !errors.Is(err, c.want) || diag.ExitOf(err) != c.exit || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "dial") {
			t.Errorf("%v: %v (exit code %d)", c.services, err, diag.ExitOf(err))
		}
	}
}

func TestADocumentThatIsNotEncryptedIsLeftAlone(t *testing.T) {
	o := decrypter(t, Options{})
	for _, text := range []string{secret, "kind: Secret\nsops: null\n"} {
		if values, err := o.Decrypt(context.Background(), "", []byte(text)); err != nil || values != nil {
			t.Errorf("%d values (%v)", len(values), err)
		}
	}
}

func TestOpeningEndsWithItsContext(t *testing.T) {
	key, recipient := identity(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	doc := encrypt(t, secret, nil, []keys.MasterKey{recipient})
	if _, err := decrypter(t, Options{AgeKeys: []redact.Secret{key}}).Decrypt(ctx, "", []byte(doc)); !errors.Is(err, context.Canceled) || diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("got %v", err)
	}
}

func TestAnOpenerCannotBePrinted(t *testing.T) {
	key, _ := identity(t)
	o := decrypter(t, Options{AgeKeys: []redact.Secret{key}})
	word := strings.TrimPrefix(strings.Fields(string(key.Reveal()))[5], "AGE-SECRET-KEY-1")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		for _, v := range []any{o, *o, []any{o}, struct{ hidden *Decrypter }{o}} {
			if out := fmt.Sprintf(verb, v); strings.Contains(out, word) ||
				strings.Contains(out, base64.StdEncoding.EncodeToString([]byte(word))) {
				t.Errorf("%s shows the key: %s", verb, out)
			}
		}
	}
}

// TestDocumentsAreOpenedWithGnuPG uses a keyring of its own, with the real gpg.
func TestDocumentsAreOpenedWithGnuPG(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("gpg is not installed")
	}
	home, err := os.MkdirTemp("", "gpg") // the agent's socket takes no long path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", home, "--kill", "gpg-agent").Run()
		_ = os.RemoveAll(home)
	})
	t.Setenv("GNUPGHOME", home)
	gpg := func(args ...string) string {
		out, err := exec.Command("gpg", append([]string{"--batch", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("gpg %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	gpg("--quick-generate-key", "test@example.com", "default", "default", "never")
	fingerprint := regexp.MustCompile(`(?m)^fpr:+([0-9A-F]{40}):`).FindStringSubmatch(gpg("--with-colons", "--list-keys"))[1]
	doc := encrypt(t, secret, nil, []keys.MasterKey{pgp.NewMasterKeyFromFingerprint(fingerprint)})
	if values, err := decrypter(t, Options{GnuPG: true}).Decrypt(context.Background(), "", []byte(doc)); err != nil || shown(values) != secretValues {
		t.Errorf("got %q (%v)", shown(values), err)
	}
	if _, err := decrypter(t, Options{}).Decrypt(context.Background(), "", []byte(doc)); !errors.Is(err, ErrNoKey) || !strings.Contains(err.Error(), fingerprint) {
		t.Errorf("gpg was not allowed: %v", err)
	}
	gpg("--yes", "--delete-secret-keys", fingerprint)
	if _, err := decrypter(t, Options{GnuPG: true}).Decrypt(context.Background(), "", []byte(doc)); !errors.Is(err, ErrNoKey) {
		t.Errorf("the key is gone: %v", err)
	}
}
