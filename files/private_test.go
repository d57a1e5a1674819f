//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestAFolderThatOthersCouldHaveMadeIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(files.PrivateFolder(at("new")))
	if info, err := os.Stat(at("new")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it was made as %v, %v", info, err)
	}
	check(files.PrivateFolder(at("new")))
	check(os.Mkdir(at("open"), 0o700))
	check(os.Chmod(at("open"), 0o777))
	check(os.Symlink(at("new"), at("link")))
	check(os.WriteFile(at("file"), nil, 0o600))
	refused := []string{"open", "link", "file", "none/below"}
	if os.Geteuid() == 0 {
		check(os.Mkdir(at("another's"), 0o700))
		check(os.Chown(at("another's"), 12345, 12345))
		refused = append(refused, "another's")
	}
	for _, name := range refused {
		if err := files.PrivateFolder(at(name)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
