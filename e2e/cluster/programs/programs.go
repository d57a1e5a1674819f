// Package programs builds the programs that tests run from modules of this repository, each once: the user's cache keeps
// them under the name of all that goes into them.
package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// Folder is the cache's folder for programs of a module: files are those of the module, beside go.mod and go.sum, and
// facts what else goes into them.
func Folder(t testing.TB, name, module string, files []string, facts ...any) string {
	t.Helper()
	hash := sha256.New()
	fmt.Fprintln(hash, append(facts, runtime.Version(), runtime.GOARCH)...)
	for _, file := range append([]string{"go.mod", "go.sum"}, files...) {
		text, err := os.ReadFile(filepath.Join(module, file))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	return Cached(t, name+"-"+hex.EncodeToString(hash.Sum(nil))[:16])
}

// Cached is a folder of the user's cache, by its name.
func Cached(t testing.TB, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "rollstamp-stock", name)
}

// quickly are the flags by which a program is compiled in 6 tenths of the time: without inlining and without what a
// debugger reads. These programs take longer to compile than they run, and what they do is the same.
const quickly = "-gcflags=all=-l -dwarf=false"

// Once builds a program, unless the folder has it, and returns its path. The module is where go build runs, with the
// arguments beside those that every build has.
func Once(t testing.TB, dir, name, module string, args ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	t.Logf("building %s, once: this takes some minutes", name)
	if err := folder.Install(dir, name, func(part string) error {
		cmd := exec.Command("go", append([]string{"build", "-trimpath", quickly, "-o", part}, args...)...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return path
}
