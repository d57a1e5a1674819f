package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/programs"
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
	dir := programs.Folder(t, "kubeparts", source, []string{"main.go"}, kubernetes)
	const version = " -X k8s.io/component-base/version."
	return programs.Once(t, dir, "kubeparts", source, "-ldflags", "-s -w"+version+"gitVersion="+kubernetes+
		version+"gitMajor=1"+version+"gitMinor=36"+version+"gitTreeState=clean", ".")
}
