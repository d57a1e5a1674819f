package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	sopsage "github.com/getsops/sops/v3/age"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// asProgram makes the test's own binary the program, when it is started again.
const asProgram = "ROLLSTAMP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// encryptedFor makes a Secret with one value that is encrypted for an age key.
func encryptedFor(t *testing.T, id *age.X25519Identity, value string) []byte {
	t.Helper()
	master := &sopsage.MasterKey{Recipient: id.Recipient().String()}
	if err := master.Encrypt([]byte(strings.Repeat("k", 32))); err != nil {
		t.Fatal(err)
	}
	c := aes.NewCipher()
	text, err := c.Encrypt(value, []byte(strings.Repeat("k", 32)), "stringData:password:")
	if err != nil {
		t.Fatal(err)
	}
	tree := sops.Tree{
		Branches: sops.TreeBranches{{{Key: "kind", Value: "Secret"}, {Key: "stringData", Value: sops.TreeBranch{{Key: "password", Value: text}}}}},
		Metadata: sops.Metadata{EncryptedRegex: "^stringData$"},
	}
	code, err := tree.Decrypt([]byte(strings.Repeat("k", 32)), c)
	if err != nil {
		t.Fatal(err)
	}
	mac, err := c.Encrypt(code, []byte(strings.Repeat("k", 32)), "2026-01-01T00:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	enc := strings.ReplaceAll(strings.TrimSpace(master.EncryptedKey), "\n", "\n      ")
	return []byte("kind: Secret\nmetadata:\n  name: db\nstringData:\n  password: " + text + "\nsops:\n  age:\n  - recipient: " + master.Recipient +
		"\n    enc: |\n      " + enc + "\n  lastmodified: '2026-01-01T00:00:00Z'\n  mac: " + mac + "\n  encrypted_regex: ^stringData$\n  version: 3.13.3\n")
}

func decrypter(t *testing.T, rule config.SOPSRule) *remote.Decrypter {
	t.Helper()
	t.Setenv(asProgram, "1")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return &remote.Decrypter{Path: own, Release: config.Release(""), Rule: rule, Run: ctx}
}

func TestSOPSDocumentsAreOpenedByTheOtherProgram(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(file, []byte(id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := encryptedFor(t, id, "hunter2")
	t.Run("with a key file", func(t *testing.T) {
		o := decrypter(t, config.SOPSRule{AgeKeyFiles: []config.NonEmpty{config.NonEmpty(file)}, MAC: config.MACIgnore})
		for range 3 {
			values, err := o.Decrypt(t.Context(), "", doc)
			if err != nil || len(values) != 1 || string(values["password"].Reveal()) != "hunter2" {
				t.Fatalf("%d values: %q (%v)", len(values), values["password"].Reveal(), err)
			}
		}
		if values, err := o.Decrypt(t.Context(), "", []byte("kind: Secret\nmetadata: {name: x}\n")); err != nil || values != nil {
			t.Errorf("one that is not encrypted: %d values (%v)", len(values), err)
		}
	})
	t.Run("with the key in SOPS's own variable", func(t *testing.T) {
		t.Setenv(config.EnvSOPSAgeKey, id.String())
		if values, err := decrypter(t, config.SOPSRule{MAC: config.MACIgnore}).Decrypt(t.Context(), "", doc); err != nil || string(values["password"].Reveal()) != "hunter2" {
			t.Errorf("%q (%v)", values["password"].Reveal(), err)
		}
	})
	t.Run("without a key", func(t *testing.T) {
		o := decrypter(t, config.SOPSRule{})
		for range 2 { // the program lives on
			_, err := o.Decrypt(t.Context(), "", doc)
			var d *diag.Error
			if !errors.As(err, &d) || d.Exit != diag.ExitInput || d.Object != "Secret db" || !strings.Contains(d.Error(), "no key at hand") || d.Hint == "" {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("with a code that does not fit", func(t *testing.T) {
		t.Setenv(config.EnvSOPSAgeKey, id.String())
		_, err := decrypter(t, config.SOPSRule{}).Decrypt(t.Context(), "", doc) // metadata.name takes part in it
		if err == nil || !strings.Contains(err.Error(), "authentication code") || strings.Contains(err.Error(), "hunter2") || !strings.Contains(diag.HintOf(err), "mac: ignore") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("with a key that cannot be read", func(t *testing.T) {
		_, err := decrypter(t, config.SOPSRule{AgeKeyFiles: []config.NonEmpty{"/none"}}).Decrypt(t.Context(), "", doc)
		if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(err.Error(), "/none") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAProgramThatIsNotOursOpensNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script, release string
		exit            diag.Exit
	}{
		"another release":        {`echo '{"protocol":1,"release":"v0"}'; cat >/dev/null`, "v1", diag.ExitUsage},
		"another program":        {`echo hello`, "v1", diag.ExitUsage},
		"one that ends":          {`echo '{"protocol":1,"release":"v1"}'`, "v1", diag.ExitInternal},
		"one that says nonsense": {`echo '{"protocol":1,"release":"v1"}'; echo nonsense; cat >/dev/null`, "v1", diag.ExitInternal},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			o := &remote.Decrypter{Path: path, Release: c.release, Run: t.Context()}
			if values, err := o.Decrypt(t.Context(), "", []byte("x")); values != nil || diag.ExitOf(err) != c.exit || diag.HintOf(err) == "" {
				t.Errorf("got %v (exit code %d)", err, diag.ExitOf(err))
			}
		})
	}
	o := &remote.Decrypter{Path: "/none/rollstamp-stores", Run: t.Context()}
	if _, err := o.Decrypt(t.Context(), "", nil); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("no program: %v", err)
	}
}

// TestTheOtherProgramEndsWithTheRun leaves nobody behind.
func TestTheOtherProgramEndsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, "1")
	o := &remote.Decrypter{Path: own, Release: config.Release(""), Run: ctx}
	if _, err := o.Decrypt(ctx, "", []byte("kind: Secret\n")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := o.Decrypt(context.Background(), "", []byte("kind: Secret\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnotherArgumentIsRefused(t *testing.T) {
	t.Setenv(asProgram, "1")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if out, err := exec.Command(own, "close").Output(); !errors.As(err, &exit) || exit.ExitCode() != int(diag.ExitUsage) || len(out) > 0 {
		t.Errorf("%q, %v", out, err)
	}
}
