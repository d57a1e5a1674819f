package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestKrewInstallsThePlugin(t *testing.T) {
	needs(t, "git") // krew asks for it before it does anything
	krew := tool(t, "krew", "sigs.k8s.io/krew/cmd/krew")
	root := t.TempDir()
	env := []string{"KREW_ROOT=" + root, "KREW_NO_UPGRADE_CHECK=1"}
	manifest, archive := filepath.Join(made.dir, "rollstamp.yaml"), filepath.Join(made.dir, archiveName())
	run(t, root, env, krew, "install", "--manifest", manifest, "--archive", archive)
	plugin := filepath.Join(root, "bin", "kubectl-rollstamp")
	if out := run(t, root, nil, plugin, "--version"); !strings.HasPrefix(out, "rollstamp v"+version+"\n") {
		t.Errorf("the plugin prints\n%s", out)
	}
	if out := run(t, root, nil, plugin, "stamp", "--help"); !strings.Contains(out, "\n  kubectl rollstamp stamp ") {
		t.Errorf("the plugin does not know its name:\n%s", out)
	}
	// Stores are asked by the program beside the real one, to which the plugin is a link.
	target, err := filepath.EvalSymlinks(plugin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(target), "rollstamp-stores")); err != nil {
		t.Error(err)
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("no kubectl on this machine: apt-get install kubernetes-client")
	}
	path := []string{"PATH=" + filepath.Dir(plugin) + ":/usr/local/bin:/usr/bin:/bin"}
	if out := run(t, root, path, "kubectl", "rollstamp", "version"); !strings.HasPrefix(out, "rollstamp v"+version+"\n") {
		t.Errorf("kubectl's plugin prints\n%s", out)
	}
}

func TestKrewRefusesAnotherArchive(t *testing.T) {
	needs(t, "git")
	krew := tool(t, "krew", "sigs.k8s.io/krew/cmd/krew")
	root := t.TempDir()
	other := filepath.Join(root, "other.tar.gz")
	write(t, other, "not the archive")
	cmd := exec.Command(krew, "install", "--manifest", filepath.Join(made.dir, "rollstamp.yaml"), "--archive", other)
	cmd.Env = append(cmd.Environ(), "KREW_ROOT="+root, "KREW_NO_UPGRADE_CHECK=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "checksum") {
		t.Errorf("%v\n%s", err, out)
	}
}
