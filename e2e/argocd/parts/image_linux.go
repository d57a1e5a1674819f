package parts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// Image is our image in a registry, and the program that runs images without a container runtime: `release run`.
type Image struct{ Reference, Runner string }

// EnvironImage is the image that whoever started the tests wants to have tested: $ROLLSTAMP_IMAGE, run by
// $ROLLSTAMP_RUNNER.
func EnvironImage(t testing.TB) Image {
	t.Helper()
	image := Image{Reference: os.Getenv("ROLLSTAMP_IMAGE"), Runner: os.Getenv("ROLLSTAMP_RUNNER")}
	if image.Reference == "" || image.Runner == "" {
		t.Skip("no ROLLSTAMP_IMAGE and ROLLSTAMP_RUNNER: the tests of the module for releases have them")
	}
	return image
}

// StartCMPInImage starts the real argocd-cmp-server in our image as `rollstamp argocd install` has it: nothing but
// memory can be written to, the user is the image's, and the server comes from elsewhere.
func StartCMPInImage(t testing.TB, plugin Plugin, image Image) *Server {
	t.Helper()
	dir := folder.Empty(t)
	folder.WriteFile(t, filepath.Join(dir, "plugin.yaml"), plugin.yaml(t))
	const home = "/home/argocd/cmp-server"
	return RunCMPInImage(t, image, plugin.name(), filepath.Join(dir, "p"),
		"-mount", filepath.Join(dir, "plugin.yaml")+":"+home+"/config/plugin.yaml",
		"-mount", filepath.Join(dir, "p")+":"+home+"/plugins:rw", "-tmpfs", "/tmp", "-tmpfs", "/var/cache/rollstamp",
		"-env", "ROLLSTAMP_CACHE_DIR=/var/cache/rollstamp", "-env", "ARGOCD_CMP_SERVER_LOGLEVEL=debug")
}

// CMPServerPath is where an init container of the repo-server puts argocd-cmp-server.
const CMPServerPath = "/var/run/argocd/argocd-cmp-server"

// RunCMPInImage starts the real argocd-cmp-server in an image, with flags of `release run`, and waits for the socket of
// a plugin in a folder of this machine.
func RunCMPInImage(t testing.TB, image Image, plugin, plugins string, flags ...string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(plugins, 0o777); err != nil { // the image's user is another one
		t.Fatal(err)
	}
	s := &Server{Plugins: plugins}
	cmd := exec.Command(image.Runner, append([]string{"run", "-from", image.Reference, "-entrypoint", CMPServerPath,
		"-mount", self + ":" + CMPServerPath, "-env", partVariable + "=" + CMPServer}, flags...)...)
	s.Process = process.Run(t, CMPServer+" in the image", cmd)
	s.connect(t, plugin)
	return s
}
