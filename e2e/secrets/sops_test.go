package secrets

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"filippo.io/age"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/decrypt/sops"
)

// command is the real sops, in a folder of its own, with a new age key.
type command struct {
	dir, binary string
	recipient   string
	env         []string
	key         redact.Secret
}

func newCommand(t *testing.T) command {
	t.Helper()
	binary, err := exec.Command("go", "tool", "-n", "sops").Output()
	if err != nil {
		t.Fatal(err)
	}
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return command{
		dir: t.TempDir(), binary: strings.TrimSpace(string(binary)), recipient: id.Recipient().String(),
		env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SOPS_AGE_KEY=" + id.String(), "SOPS_DISABLE_VERSION_CHECK=1"},
		key: redact.New([]byte(id.String())),
	}
}

// try runs the command where it may fail.
func (c command) try(args ...string) (out string, failed bool) {
	cmd := exec.Command(c.binary, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	text, err := cmd.Output()
	return string(text), err != nil
}

func (c command) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(c.binary, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sops %v: %v\n%s", args, err, errs.Bytes())
	}
	return string(out)
}

func (c command) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c command) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const plain = `apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: shop
  # a comment
  labels: {app: web}
data:
  password: aHVudGVyMg== # another one
stringData:
  user: app
  notes: |
    one
    two
`

var plainValues = map[string][]byte{"password": []byte("hunter2"), "user": []byte("app"), "notes": []byte("one\ntwo\n")}

// encrypted writes the file, encrypts it by the creation rule of .sops.yaml, and returns what sops makes of it.
func (c command) encrypted(t *testing.T, rule string, flags ...string) string {
	t.Helper()
	c.write(t, "secret.yaml", plain)
	c.write(t, ".sops.yaml", "creation_rules:\n- age: "+c.recipient+"\n  "+rule+"\n")
	c.run(t, append(append([]string{"encrypt", "-i"}, flags...), "secret.yaml")...)
	return c.read(t, "secret.yaml")
}

const usual = "encrypted_regex: ^(data|stringData)$"

func (c command) decrypter(t *testing.T, mac sops.MACRule) *sops.Decrypter {
	t.Helper()
	o, err := sops.New(sops.Options{AgeKeys: []redact.Secret{c.key}, MAC: mac})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWhatTheCommandEncryptsIsOpened(t *testing.T) {
	c := newCommand(t)
	for name, text := range map[string]string{
		"as it is":                    c.encrypted(t, usual),
		"code over encrypted values":  c.encrypted(t, usual+"\n  mac_only_encrypted: true"),
		"in JSON":                     c.encrypted(t, usual, "--output-type", "json"),
		"everything but some of them": c.encrypted(t, "unencrypted_regex: ^(kind|apiVersion|metadata)$"),
	} {
		t.Run(name, func(t *testing.T) {
			opened, err := c.decrypter(t, sops.CheckMAC).Decrypt(context.Background(), "", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			same(t, opened, plainValues)
		})
	}
}

var ciphertext = regexp.MustCompile(`(?m)^ +(password|user|notes): (ENC\[[^\]]*\])`)

func ciphertexts(text string) map[string]string {
	out := map[string]string{}
	for _, m := range ciphertext.FindAllStringSubmatch(text, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// TestWhatTheCommandLeavesAlone is the table that the policies rest on: what of the ciphertext moves, while what is
// opened moves only with a value.
func TestWhatTheCommandLeavesAlone(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(t *testing.T, c command)
		cipher  string // keys whose ciphertext moves
		value   string // keys whose value moves
		another string // the value then
	}{
		{"set of one key", func(t *testing.T, c command) { c.run(t, "set", "secret.yaml", `["stringData"]["user"]`, `"web"`) }, "user", "user", "web"},
		{"set to the same value", func(t *testing.T, c command) { c.run(t, "set", "secret.yaml", `["stringData"]["user"]`, `"app"`) }, "", "", ""},
		{"updatekeys", func(t *testing.T, c command) {
			id, err := age.GenerateX25519Identity()
			if err != nil {
				t.Fatal(err)
			}
			c.write(t, ".sops.yaml", "creation_rules:\n- age: "+c.recipient+","+id.Recipient().String()+"\n")
			c.run(t, "updatekeys", "-y", "secret.yaml")
		}, "", "", ""},
		{"rotate", func(t *testing.T, c command) { c.run(t, "rotate", "-i", "secret.yaml") }, "notes password user", "", ""},
		{"decrypt and encrypt", func(t *testing.T, c command) { c.encrypted(t, usual) }, "notes password user", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := newCommand(t)
			before := cmd.encrypted(t, usual)
			c.do(t, cmd)
			after := cmd.read(t, "secret.yaml")
			old, moved := ciphertexts(before), []string{}
			for _, key := range []string{"notes", "password", "user"} {
				if old[key] == "" {
					t.Fatalf("%s is not encrypted:\n%s", key, before)
				}
				if ciphertexts(after)[key] != old[key] {
					moved = append(moved, key)
				}
			}
			if got := strings.Join(moved, " "); got != c.cipher {
				t.Errorf("the ciphertext of %q moves, not of %q", got, c.cipher)
			}
			want := map[string][]byte{}
			for key, value := range plainValues {
				want[key] = value
			}
			if c.value != "" {
				want[c.value] = []byte(c.another)
			}
			opened, err := cmd.decrypter(t, sops.CheckMAC).Decrypt(context.Background(), "", []byte(after))
			if err != nil {
				t.Fatal(err)
			}
			same(t, opened, want)
		})
	}
}

// TestKustomizeBreaksTheCodeAndNotTheValues is what docs/secrets.md says of transforms.
func TestKustomizeBreaksTheCodeAndNotTheValues(t *testing.T) {
	for _, c := range []struct {
		name, kustomization, rule string
		fits                      bool
	}{
		{"no transform: fields are sorted all the same", "", "", false},
		{"a prefix", "namePrefix: prod-\n", "", false},
		{"a label", "labels: [{pairs: {team: a}}]\n", "", false},
		{"the same namespace", "namespace: shop\n", "", false},
		{"no transform, code over encrypted values: keys are sorted, too", "", "mac_only_encrypted: true", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := newCommand(t)
			cmd.encrypted(t, usual+"\n  "+c.rule)
			cmd.write(t, "kustomization.yaml", "resources: [secret.yaml]\n"+c.kustomization)
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), cmd.dir)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := built.AsYaml()
			if err != nil {
				t.Fatal(err)
			}
			opened, err := cmd.decrypter(t, sops.CheckMAC).Decrypt(context.Background(), "", doc)
			switch {
			case c.fits && err != nil:
				t.Errorf("it fits no more: %v", err)
			case c.fits:
				same(t, opened, plainValues)
			case err == nil || !strings.Contains(err.Error(), sops.ErrMAC.Error()):
				t.Errorf("it should not fit: %v", err)
			}
			opened, err = cmd.decrypter(t, sops.IgnoreMAC).Decrypt(context.Background(), "", doc)
			if err != nil {
				t.Fatal(err)
			}
			same(t, opened, plainValues)
		})
	}
}

// TestADocumentOfSeveralHasTheCodeOfAll: sops computes one code over all documents of a file.
func TestADocumentOfSeveralHasTheCodeOfAll(t *testing.T) {
	c := newCommand(t)
	c.write(t, "secret.yaml", plain+"---\n"+strings.ReplaceAll(plain, "name: db", "name: other"))
	c.write(t, ".sops.yaml", "creation_rules:\n- age: "+c.recipient+"\n  "+usual+"\n")
	c.run(t, "encrypt", "-i", "secret.yaml")
	docs := strings.Split(c.read(t, "secret.yaml"), "\n---\n")
	if len(docs) != 2 {
		t.Fatalf("%d documents", len(docs))
	}
	for _, doc := range docs {
		if _, err := c.decrypter(t, sops.CheckMAC).Decrypt(context.Background(), "", []byte(doc)); err == nil || !strings.Contains(err.Error(), sops.ErrMAC.Error()) {
			t.Errorf("got %v", err)
		}
		opened, err := c.decrypter(t, sops.IgnoreMAC).Decrypt(context.Background(), "", []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		same(t, opened, plainValues)
	}
}
