package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// build returns the folder with the controllers: $FLUXPARTS, or a build that the user's cache keeps under the name of
// all that goes into it.
func build(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("FLUXPARTS"); dir != "" {
		return dir
	}
	source := filepath.Join(folder.Root(t), "e2e", "flux", "controllers")
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	dir := cached(t, "fluxparts-"+hex.EncodeToString(hash.Sum(nil))[:16])
	for _, name := range controllers {
		once(t, dir, name, func(part string) *exec.Cmd {
			t.Logf("building %s, once: this takes some minutes", name)
			cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, "github.com/fluxcd/"+name)
			cmd.Dir = source
			return cmd
		})
	}
	return dir
}

// cached is a folder of the user's cache for what is built once.
func cached(t testing.TB, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "rollstamp-stock", name)
}

// once runs the command that builds a program, unless the folder has it.
func once(t testing.TB, dir, name string, command func(part string) *exec.Cmd) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return
	}
	if err := folder.Install(dir, name, func(part string) error {
		cmd := command(part)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// cli is the version of Flux's own command line.
const cli = "v2.9.5"

// CLI returns Flux's own command line: $FLUX, or a build that the user's cache keeps. The published module lacks the folder that its main package embeds, so it is
// built from a copy with an empty file there.
func CLI(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("FLUX"); path != "" {
		return path
	}
	dir := cached(t, "flux-"+cli+"-"+runtime.Version()+"-"+runtime.GOARCH)
	once(t, dir, "flux", func(part string) *exec.Cmd {
		t.Logf("building the flux command %s, once: this takes some minutes", cli)
		source := copyOfModule(t, "github.com/fluxcd/flux2/v2@"+cli)
		folder.WriteFile(t, filepath.Join(source, "cmd", "flux", "manifests", "none.yaml"), "")
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.VERSION="+cli[1:], "-o", part, "./cmd/flux")
		cmd.Dir = source
		return cmd
	})
	return filepath.Join(dir, "flux")
}

// download downloads a module, and returns the folder of its files, which cannot be changed.
func download(t testing.TB, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // whatever module the test is in has no say
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || found.Dir == "" {
		t.Fatalf("download %s: %v %s", module, err, found.Error)
	}
	return found.Dir
}

// copyOfModule downloads a module, and returns the folder with a copy that can be changed.
func copyOfModule(t testing.TB, module string) string {
	t.Helper()
	dir := filepath.Join(folder.Empty(t), "source")
	if err := os.CopyFS(dir, os.DirFS(download(t, module))); err != nil {
		t.Fatal(err)
	}
	return dir
}
