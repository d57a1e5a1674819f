// Package stock builds the real helm and kustomize for tests, once, from the pinned modules under tools/.
package stock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// HelmVersion is what the built helm says of itself, as a release does; the module alone knows only "v3.22".
const HelmVersion = "v3.22.0"

// Helm4Version is HelmVersion of the built helm 4.
const Helm4Version = "v4.3.1"

// tool is one CLI: a folder under tools/ that pins it, the package to build, and the linker flags of its releases.
type tool struct {
	name, pkg, ldflags string
}

const helmModule = "helm.sh/helm/v3"

// Like a released helm, and unlike a plain build of the module, ours knows its version and the Kubernetes version that
// it was built against.
var helm = tool{name: "helm", pkg: helmModule + "/cmd/helm", ldflags: "-s -w" +
	" -X " + helmModule + "/internal/version.version=" + HelmVersion +
	" -X " + helmModule + "/internal/version.gitTreeState=clean" +
	" -X " + helmModule + "/pkg/chartutil.k8sVersionMajor=1" +
	" -X " + helmModule + "/pkg/chartutil.k8sVersionMinor=37"}

const helm4Module = "helm.sh/helm/v4"

// Helm 4 reads the Kubernetes version from its own module.
var helm4 = tool{name: "helm4", pkg: helm4Module + "/cmd/helm", ldflags: "-s -w" +
	" -X " + helm4Module + "/internal/version.version=" + Helm4Version +
	" -X " + helm4Module + "/internal/version.gitTreeState=clean"}

var kustomize = tool{name: "kustomize", pkg: "sigs.k8s.io/kustomize/kustomize/v5", ldflags: "-s -w"}

// Helm returns the path of the pinned helm, building it when this machine has not done so yet.
func Helm(t testing.TB) string {
	t.Helper()
	return path(t, helm)
}

// Helm4 returns the path of the pinned helm 4, building it when this machine has not done so yet.
func Helm4(t testing.TB) string {
	t.Helper()
	return path(t, helm4)
}

// Kustomize returns the path of the pinned kustomize, building it when this machine has not done so yet.
func Kustomize(t testing.TB) string {
	t.Helper()
	return path(t, kustomize)
}

// BuildHelm returns the path of the pinned helm, as Helm does, to a program that is no test and runs inside the
// checkout.
func BuildHelm() (string, error) { return helm.ensure(time.Time{}) }

// BuildKustomize returns the path of the pinned kustomize, as Kustomize does, to a program that is no test and runs
// inside the checkout.
func BuildKustomize() (string, error) { return kustomize.ensure(time.Time{}) }

// margin is what a test needs to report that a build takes longer than the test may run.
const margin = 20 * time.Second

func path(t testing.TB, c tool) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("needs the real %s", c.name)
	}
	var until time.Time
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := limited.Deadline(); ok {
			until = deadline.Add(-margin)
		}
	}
	bin, err := c.ensure(until)
	if err != nil {
		t.Fatalf("build the real %s: %v", c.name, err)
	}
	return bin
}

// errStillBuilding reports a build that takes longer than the caller may wait.
var errStillBuilding = errors.New("it takes longer than this test may run, and goes on in the background: " +
	"run the test again, or wait for `go run ./internal/stock/build`")

// ensure returns the built tool. Its folder in the cache is named by what goes into the build, so a changed pin is a
// new folder and an old binary is never taken for a new one. The build is a process of its own, which goes on where
// this one ends, or until is past; no time is no limit.
func (c tool) ensure(until time.Time) (string, error) {
	dir, err := moduleDir(c.name)
	if err != nil {
		return "", err
	}
	key, err := c.key(dir)
	if err != nil {
		return "", err
	}
	cache, err := cacheDir(key)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, c.name+exeSuffix())
	if isBuilt(bin) {
		return bin, nil
	}
	done := make(chan error, 1)
	go func() { done <- c.buildOnce(dir, bin) }()
	var late <-chan time.Time
	if !until.IsZero() {
		late = time.After(time.Until(until))
	}
	select {
	case err := <-done:
		return bin, err
	case <-late:
		return "", errStillBuilding
	}
}

// buildOnce builds the tool, or waits until the process that does so has ended.
func (c tool) buildOnce(dir, bin string) error {
	held, err := lock(filepath.Join(filepath.Dir(bin), "lock"))
	if err != nil {
		return err
	}
	defer held.Close()
	if isBuilt(bin) { // by the process that held the lock before us
		return nil
	}
	return c.build(dir, bin, held)
}

// build runs the go tool for a file beside bin and renames that, so that bin is whole whenever it exists. What a build
// that was killed left is removed.
func (c tool) build(dir, bin string, held *os.File) error {
	part, log := bin+".part", bin+".log"
	_ = os.Remove(part)
	cmd := command(part, bin, log, "build", "-trimpath", "-buildvcs=false", "-ldflags", c.ldflags, "-o", part, c.pkg)
	cmd.Dir = dir
	// The caller's build settings (vendoring, the race detector, a workspace, another platform) are not the pin's.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0", "GOOS=", "GOARCH=",
		"GOEXPERIMENT=")
	detach(cmd, held)
	if err := cmd.Run(); err != nil {
		out, _ := os.ReadFile(log)
		return fmt.Errorf("go build %s: %w\n%s", c.pkg, err, out)
	}
	return nil
}

// key names a build by the pinned versions, the compiler, the platform and the flags.
func (c tool) key(dir string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, c.pkg, c.ldflags, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		h.Write(b)
	}
	return c.name + "-" + hex.EncodeToString(h.Sum(nil))[:16], nil
}

// moduleDir finds tools/NAME above the folder in which go test runs the test.
func moduleDir(name string) (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, "tools", name)
		if _, err := os.Stat(filepath.Join(candidate, "go.mod")); err == nil {
			return candidate, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find tools/%s above %s: no such folder", name, wd)
		}
	}
}

// cacheDir makes the folder for one build: in the user's cache, or in the temporary folder where there is none to write
// to.
func cacheDir(key string) (string, error) {
	if base, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(base, "rollstamp-stock", key)
		if os.MkdirAll(dir, 0o755) == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("rollstamp-stock-%d", os.Getuid()), key)
	return dir, os.MkdirAll(dir, 0o700)
}

func isBuilt(bin string) bool {
	info, err := os.Stat(bin)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
