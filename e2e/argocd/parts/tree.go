package parts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Folder makes an empty folder with a short name, because the path of a socket has about a hundred bytes at most.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Tree writes the files of a txtar text into a new folder.
func Tree(t testing.TB, text string) string {
	t.Helper()
	dir := Folder(t)
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
