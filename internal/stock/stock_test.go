package stock

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func run(t *testing.T, bin string, args ...string) string {
	t.Helper()
	out, err := exec.Command(bin, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", bin, args, err, out)
	}
	return string(out)
}

func TestHelmIsTheReleasePinned(t *testing.T) {
	if got := run(t, Helm(t), "version", "--short"); !strings.HasPrefix(got, HelmVersion) {
		t.Errorf("helm says it is %q, want %s", got, HelmVersion)
	}
}

func TestKustomizeRuns(t *testing.T) {
	// A build of the module does not know its own version, so the help is all there is to ask.
	if got := run(t, Kustomize(t), "build", "--help"); !strings.Contains(got, "--load-restrictor") {
		t.Errorf("kustomize build --help says:\n%s", got)
	}
}

func TestSimultaneousCallersOfAnEmptyCacheGetOneBinary(t *testing.T) {
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(gocache))) // its default lies in the folder that the next line moves
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	paths, errs := make([]string, 3), make([]error, 3)
	var all sync.WaitGroup
	for i := range paths {
		all.Go(func() { paths[i], errs[i] = kustomize.ensure(time.Time{}) })
	}
	all.Wait()
	for i, p := range paths {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if p != paths[0] {
			t.Errorf("callers got different binaries: %q", paths)
		}
	}
	run(t, paths[0], "version")
	if entries, err := os.ReadDir(filepath.Dir(paths[0])); err != nil || len(entries) != 2 {
		t.Errorf("the cache holds %v (%v), want the binary and the lock", entries, err)
	}
}
