package fleet_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/fleet"
)

type failing struct{}

func (failing) WriteTo(w io.Writer) (int64, error) {
	_, _ = io.WriteString(w, "half")
	return 4, errors.New("broken")
}

func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("%s holds %v, want %v", dir, entries, want)
	}
}

func TestWriteFileReplacesAWholeFileAndKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "deep/er/a.yaml")
	for _, content := range []string{"one\n", "two\n"} {
		if changed, err := fleet.WriteFile(name, bytes.NewBufferString(content)); !changed || err != nil {
			t.Fatalf("changed %v, %v", changed, err)
		}
		if got, err := os.ReadFile(name); string(got) != content {
			t.Errorf("file holds %q, %v", got, err)
		}
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fleet.WriteFile(name, bytes.NewBufferString("three\n")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	only(t, filepath.Dir(name), "a.yaml")
}

func TestWriteFileDoesNotTouchWhatIsTheSame(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.yaml")
	write(t, name, "same\n")
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := fleet.WriteFile(name, bytes.NewBufferString("same\n")); changed || err != nil {
		t.Errorf("changed %v, %v", changed, err)
	}
	if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) {
		t.Errorf("it is another file now: %v", err)
	}
}

func TestWriteFileWritesThroughALink(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real.yaml"), "old\n")
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Fatal(err)
	}
	if _, err := fleet.WriteFile(link, bytes.NewBufferString("new\n")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "real.yaml")); string(got) != "new\n" {
		t.Errorf("the file behind the link holds %q, %v", got, err)
	}
	if to, err := os.Readlink(link); to != "real.yaml" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

func TestWriteFileLeavesNothingHalfWritten(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	write(t, name, "old\n")
	if _, err := fleet.WriteFile(name, failing{}); err == nil {
		t.Error("a failing writer gave a file")
	}
	if got, err := os.ReadFile(name); string(got) != "old\n" {
		t.Errorf("file holds %q, %v", got, err)
	}
	if _, err := fleet.WriteFile(dir, bytes.NewBufferString("x")); err == nil {
		t.Error("a folder was replaced")
	}
	only(t, dir, "a.yaml")
}

func TestWriteFileShowsAReaderTheOldTextOrTheNewOne(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.yaml")
	texts := [][]byte{bytes.Repeat([]byte("old\n"), 100_000), bytes.Repeat([]byte("newer\n"), 100_000)}
	write(t, name, string(texts[0]))
	done := make(chan error, 1)
	go func() {
		for i := range 50 {
			if _, err := fleet.WriteFile(name, bytes.NewBuffer(texts[(i+1)%2])); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for reads := 0; ; reads++ {
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) {
			t.Fatalf("read %d gave %d bytes, %v", reads, len(got), err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

func TestOnlyWhatLiesInAFolderIsWrittenThere(t *testing.T) {
	t.Parallel()
	for _, isThere := range []bool{false, true} {
		top := t.TempDir()
		dir := filepath.Join(top, "out")
		if isThere {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		outside := filepath.Join(top, "else", "web.yaml")
		_, err := fleet.WriteBelow(dir, filepath.Join(dir, "..", "else", "web.yaml"), bytes.NewBufferString("a: b\n"))
		if err == nil || !strings.Contains(err.Error(), "leads out of") {
			t.Errorf("folder there %v: %v", isThere, err)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Errorf("folder there %v: %s was written", isThere, outside)
		}
	}
}
