package cosign_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/cosign"
)

// recorder is a program that writes down its arguments, and the file with them.
func recorder(t *testing.T) (program, written string) {
	t.Helper()
	dir := t.TempDir()
	program, written = filepath.Join(dir, "cosign"), filepath.Join(dir, "arguments")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" >> "+written+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, written
}

func TestWithoutAKeyTheWorkflowsIdentitySigns(t *testing.T) {
	program, written := recorder(t)
	c := cosign.Cosign{Program: program}
	if err := c.SignFile(t.Context(), "sums", "bundle"); err != nil {
		t.Fatal(err)
	}
	if err := c.SignImage(t.Context(), "registry.example/x@sha256:abc"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	if want := "sign-blob --yes --bundle bundle sums\nsign --yes registry.example/x@sha256:abc\n"; string(got) != want {
		t.Errorf("cosign is called with\n%s", got)
	}
}

func TestWithAKeyNoServiceIsAsked(t *testing.T) {
	program, written := recorder(t)
	if err := (cosign.Cosign{Program: program, Key: "a.key"}).SignFile(t.Context(), "sums", "bundle"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(written)
	if err != nil || !strings.HasPrefix(string(got), "sign-blob --yes --key a.key --signing-config ") {
		t.Errorf("%v, cosign is called with\n%s", err, got)
	}
}
