// Package folder makes the folders that tests work in: temporary ones, written from a text, and Git repositories.
package folder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Empty makes an empty folder with a short name, because the path of a socket has about a hundred bytes at most.
func Empty(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// New writes the files of a txtar text into a new folder.
func New(t testing.TB, text string) string {
	t.Helper()
	dir := Empty(t)
	Write(t, dir, text)
	return dir
}

// Write writes the files of a txtar text into a folder.
func Write(t testing.TB, dir, text string) {
	t.Helper()
	archive := txtar.Parse([]byte(text))
	if len(archive.Files) == 0 || len(strings.TrimSpace(string(archive.Comment))) > 0 {
		t.Fatalf("not a txtar text:\n%s", text)
	}
	for _, file := range archive.Files {
		WriteFile(t, filepath.Join(dir, file.Name), string(file.Data))
	}
}

// WriteFile writes one file, and the folders above it.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Checkout is the root of our repository, seen from a module two folders below it.
func Checkout() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(strings.TrimSpace(string(out))))), nil
}

// Root is the root of our repository.
func Root(t testing.TB) string {
	t.Helper()
	root, err := Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Install creates a file in a folder whole or not at all: several tests of a process and several processes may do so at
// once, each in a folder of its own until the file is complete.
func Install(dir, name string, write func(part string) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	parts, err := os.MkdirTemp(dir, name+".part")
	if err != nil {
		return err
	}
	defer os.RemoveAll(parts)
	part := filepath.Join(parts, name)
	if err := write(part); err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(dir, name))
}
