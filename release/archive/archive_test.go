package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/release/archive"
)

var date = time.Unix(1800000000, 0).UTC()

// files are those of an archive; the program lies in a folder of its own each time.
func files(t *testing.T, mode os.FileMode) []archive.File {
	t.Helper()
	program := filepath.Join(t.TempDir(), "rollstamp")
	err := os.WriteFile(program, []byte("the program"), 0o600)
	if err := errors.Join(err, os.Chmod(program, mode)); err != nil {
		t.Fatal(err)
	}
	return []archive.File{
		{Name: "rollstamp", From: program, Executable: true},
		{Name: "man/man1/rollstamp.1", Content: []byte("a page")},
		{Name: "LICENSE", Content: []byte("a license")},
	}
}

func write(t *testing.T, name string, files []archive.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := archive.Write(path, date, files); err != nil {
		t.Fatal(err)
	}
	return path
}

const want = `LICENSE 644 "a license"
man/ 755 ""
man/man1/ 755 ""
man/man1/rollstamp.1 644 "a page"
rollstamp 755 "the program"
`

func TestATarballHasOneDateNoOwnerAndFoldersFirst(t *testing.T) {
	f, err := os.Open(write(t, "a.tar.gz", files(t, 0o600)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for tape := tar.NewReader(packed); ; {
		h, err := tape.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %o %q\n", h.Name, h.Mode, text)
		if !h.ModTime.Equal(date) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s: of %v, %d:%d %q", h.Name, h.ModTime, h.Uid, h.Gid, h.Uname)
		}
	}
	if got.String() != want {
		t.Errorf("it holds\n%swant\n%s", got.String(), want)
	}
}

func TestAZipHoldsTheSame(t *testing.T) {
	packed, err := zip.OpenReader(write(t, "a.zip", files(t, 0o600)))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	var got strings.Builder
	for _, f := range packed.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %o %q\n", f.Name, f.Mode().Perm(), text)
		if !f.Modified.Equal(date) {
			t.Errorf("%s: of %v", f.Name, f.Modified)
		}
	}
	if got.String() != want {
		t.Errorf("it holds\n%swant\n%s", got.String(), want)
	}
}

func TestModesTimeZoneAndUmaskChangeNothing(t *testing.T) {
	for _, name := range []string{"a.tar.gz", "a.zip"} {
		t.Run(name, func(t *testing.T) {
			one, err := os.ReadFile(write(t, name, files(t, 0o600)))
			if err != nil {
				t.Fatal(err)
			}
			local := time.Local
			time.Local = time.FixedZone("elsewhere", 14*3600)
			defer func() { time.Local = local }()
			defer syscall.Umask(syscall.Umask(0o077))
			two, err := os.ReadFile(write(t, name, files(t, 0o777)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(one, two) {
				t.Error("two archives of the same files differ")
			}
		})
	}
}

func TestAFileThatIsNotThereIsAnError(t *testing.T) {
	err := archive.Write(filepath.Join(t.TempDir(), "a.zip"), date, []archive.File{{Name: "a", From: "/nowhere"}})
	if err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("%v", err)
	}
}
