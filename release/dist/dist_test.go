package dist_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/dist"
)

// release writes two files and their sums to a folder.
func release(t *testing.T) string {
	t.Helper()
	dir, r := t.TempDir(), dist.Release{Version: "1.0.0", Tag: "v1.0.0"}
	for _, name := range []string{"two", "one"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		var err error
		if r, err = r.Add(dir, dist.Artifact{Name: name, Kind: dist.Archive, OS: "linux", Arch: "amd64"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.WriteChecksums(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheSumsAreThoseOfSha256sum(t *testing.T) {
	cmd := exec.Command("sha256sum", "--strict", "-c", dist.Checksums)
	cmd.Dir = release(t)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "one: OK\ntwo: OK\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestEveryFileThatIsNotAsItWasIsNamed(t *testing.T) {
	dir := release(t)
	if err := dist.Verify(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "one"), []byte("onf"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "two")); err != nil {
		t.Fatal(err)
	}
	err := dist.Verify(dir)
	for _, want := range []string{"one differs", "two: no such file"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestAFileWithoutASumIsNamed(t *testing.T) {
	dir := release(t)
	for _, name := range []string{"image", "programs", "site"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, dist.Signature), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := dist.Verify(dir); err != nil {
		t.Fatal(err)
	}
	const other = "rollstamp_0.1.0_windows_amd64.zip"
	if err := os.WriteFile(filepath.Join(dir, other), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := dist.Verify(dir); err == nil || !strings.Contains(err.Error(), other+" has no sum") {
		t.Errorf("%v, want %s", err, other)
	}
}

func TestAFolderWithoutAReleaseIsAnErrorThatNamesWhatWritesOne(t *testing.T) {
	if err := dist.Verify(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make release") {
		t.Errorf("%v", err)
	}
}

func TestAReleaseHasNoFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "krew"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "krew", "one"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := dist.Release{}.Add(dir, dist.Artifact{Name: "krew/one"})
	if err == nil || !strings.Contains(err.Error(), "no folders") {
		t.Errorf("%v", err)
	}
}

func TestSumsOfFilesElsewhereAreRefused(t *testing.T) {
	dir := release(t)
	for _, line := range []string{strings.Repeat("0", 64) + "  ../secret\n", strings.Repeat("0", 64) + "  a/b\n", "nonsense\n"} {
		if err := os.WriteFile(filepath.Join(dir, dist.Checksums), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := dist.Verify(dir); err == nil || !strings.Contains(err.Error(), "not a line of sums") {
			t.Errorf("%q: %v", line, err)
		}
	}
}
