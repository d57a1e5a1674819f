package cluster

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

// kubernetes is the version that e2e/kube pins.
const kubernetes = "v1.36.3"

// kubeparts returns the binary that holds etcd, kube-apiserver and kube-controller-manager: $KUBEPARTS, or a build that
// the user's cache keeps under the name of all that goes into it.
func kubeparts(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("KUBEPARTS"); path != "" {
		return path
	}
	source := filepath.Join(folder.Root(t), "e2e", "kube")
	hash := sha256.New()
	fmt.Fprintln(hash, kubernetes, runtime.Version(), runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "rollstamp-stock", "kubeparts-"+hex.EncodeToString(hash.Sum(nil))[:16])
	path := filepath.Join(dir, "kubeparts")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	t.Logf("building Kubernetes %s, once: this takes some minutes", kubernetes)
	const version = " -X k8s.io/component-base/version."
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w"+version+"gitVersion="+kubernetes+version+"gitMajor=1"+version+"gitMinor=36"+version+"gitTreeState=clean",
		"-o", path+".part", ".")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build Kubernetes: %v\n%s", err, out)
	}
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
	return path
}
