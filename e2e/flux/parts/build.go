package parts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/programs"
)

// build returns the folder with the controllers: $FLUXPARTS, or a build that the user's cache keeps under the name of
// all that goes into it.
func build(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("FLUXPARTS"); dir != "" {
		return dir
	}
	source := filepath.Join(folder.Root(t), "e2e", "flux", "controllers")
	dir := programs.Folder(t, "fluxparts", source, nil)
	for _, name := range controllers {
		programs.Once(t, dir, name, source, "-ldflags", "-s -w", "github.com/fluxcd/"+name)
	}
	return dir
}

// cli is the version of Flux's own command line.
const cli = "v2.9.5"

// CLI returns Flux's own command line: $FLUX, or a build that the user's cache keeps. The published module lacks the
// folder that its main package embeds, so it is built from a copy with an empty file there.
func CLI(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("FLUX"); path != "" {
		return path
	}
	dir := programs.Cached(t, "flux-"+cli+"-"+runtime.Version()+"-"+runtime.GOARCH)
	if path := filepath.Join(dir, "flux"); exists(path) {
		return path
	}
	source := copyOfModule(t, "github.com/fluxcd/flux2/v2@"+cli)
	folder.WriteFile(t, filepath.Join(source, "cmd", "flux", "manifests", "none.yaml"), "")
	return programs.Once(t, dir, "flux", source, "-ldflags", "-s -w -X main.VERSION="+cli[1:], "./cmd/flux")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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
