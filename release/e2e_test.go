package main_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/rollstamp/rollstamp/release/registry/registrytest"
)

// pushImage returns the name of the release's image in a registry of the test.
func pushImage(t *testing.T, b built) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	repository := strings.TrimPrefix(server.URL, "http://") + "/tools/rollstamp"
	output := command(t, "", nil, b.release, "push", "-out", b.dir, repository)
	reference, _, _ := strings.Cut(output, "@")
	return reference
}

func TestThePulledImageRuns(t *testing.T) {
	b := whole(t)
	if out, err := exec.Command("unshare", "--user", "--pid", "--fork", "true").CombinedOutput(); err != nil {
		t.Skipf("no user namespaces here: %s", bytes.TrimSpace(out))
	}
	release, program, reference := b.release, b.program("rollstamp"), pushImage(t, b)
	run := func(args ...string) string {
		t.Helper()
		return command(t, "", nil, release, append([]string{"run", "-from", reference}, args...)...)
	}

	t.Run("its version", func(t *testing.T) {
		if got := run("version"); !strings.HasPrefix(got, "rollstamp v9.9.9") {
			t.Errorf("it says that it is %q", got)
		}
	})
	t.Run("without arguments it shows help", func(t *testing.T) {
		if got := run(); !strings.Contains(got, "Available Commands:") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("it renders what the program outside renders", func(t *testing.T) {
		web, err := filepath.Abs("../examples/web")
		if err != nil {
			t.Fatal(err)
		}
		want := command(t, web, nil, program, "render", ".")
		got := run("-mount", web+":/work", "render", ".")
		if got != want || !strings.Contains(got, "checksum.rollstamp.dev/") {
			t.Errorf("in the image:\n%s\noutside:\n%s", got, want)
		}
	})
	t.Run("it is the user of Argo CD, and cannot write", func(t *testing.T) { looksAround(t, run) })
	t.Run("exit codes arrive", func(t *testing.T) {
		err := exec.Command(release, "run", "-from", reference, "render", "/nowhere").Run()
		if ended, ok := err.(*exec.ExitError); !ok || ended.ExitCode() != 3 {
			t.Errorf("%v, want exit code 3", err)
		}
	})
	t.Run("from Debian's registry", func(t *testing.T) {
		repository := registrytest.Debian(t) + "/tools/rollstamp"
		output := command(t, "", nil, release, "push", "-out", b.dir, repository)
		name, _, _ := strings.Cut(output, "@")
		if got := command(t, "", nil, release, "run", "-from", name, "version"); !strings.HasPrefix(got, "rollstamp v9.9.9") {
			t.Errorf("it says that it is %q", got)
		}
	})
	t.Run("as a function of kustomize", func(t *testing.T) { runsAsFunction(t, b) })
	t.Run("behind the real argocd-cmp-server", func(t *testing.T) {
		env := []string{"ROLLSTAMP_IMAGE=" + reference, "ROLLSTAMP_RUNNER=" + release, "ROLLSTAMP=" + program,
			"CGO_ENABLED=0"}
		out := command(t, "../e2e/argocd", env, "go", "test", "-count=1", "-v",
			"-run", "^TestTheImageIsAPluginOfArgoCD$", "./contract")
		if !strings.Contains(out, "--- PASS: TestTheImageIsAPluginOfArgoCD") || strings.Contains(out, "--- SKIP") {
			t.Errorf("not passed:\n%s", out)
		}
	})
}

// runsAsFunction lets kustomize start the image with the two lines that docs/pipes.md has for it, where there is an
// engine, and compares what it prints with what a run of the program prints.
func runsAsFunction(t *testing.T, b built) {
	t.Helper()
	if out, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		t.Skipf("no engine for containers: %s", bytes.TrimSpace(out))
	}
	const loaded, function = "rollstamp-release-test:9.9.9", "rollstamp-release-test:fn"
	dir := t.TempDir()
	kustomize := filepath.Join(dir, "kustomize")
	command(t, "../tools/kustomize", []string{"CGO_ENABLED=0"}, "go", "build", "-o", kustomize,
		"sigs.k8s.io/kustomize/kustomize/v5")
	command(t, "", nil, b.release, "load", "-out", b.dir, loaded)
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", "--force", function, loaded).Run() })
	tree := filepath.Join(dir, "tree")
	if err := os.CopyFS(tree, os.DirFS("../examples/pipes/kustomize")); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Dockerfile", "FROM "+loaded+"\nCMD [\"fn\"]\n")
	command(t, dir, nil, "docker", "build", "--quiet", "--tag", function, "--file", "Dockerfile", "tree")
	stamp, err := os.ReadFile(filepath.Join(tree, "stamp.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := []string{"PATH=" + filepath.Dir(b.program("rollstamp")) + ":" + os.Getenv("PATH")}
	want := command(t, tree, path, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", ".")
	const asProgram = "exec: {path: rollstamp, args: [fn]}"
	write("tree/stamp.yaml", strings.Replace(string(stamp), asProgram, "container: {image: "+function+"}", 1))
	got := command(t, tree, nil, kustomize, "build", "--enable-alpha-plugins", ".")
	if got != want || !strings.Contains(got, "checksum.rollstamp.dev/configmap.shop-limits") {
		t.Errorf("in a container:\n%s\nwithout one:\n%s", got, want)
	}
}

// looksAround runs a program in the image that prints who it is, and where it can write.
func looksAround(t *testing.T, run func(args ...string) string) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	command(t, "", []string{"CGO_ENABLED=0"}, "go", "build", "-o", probe, "./testdata/probe")
	look := []string{"-entrypoint", "/probe", "-mount", probe + ":/probe"}
	want := `user 999:999
in /work <nil>
HOME /home/rollstamp
writes to /: false
writes to /etc: false
writes to /usr/local/bin: false
writes to /work: false
writes to /home/rollstamp: false
writes to /tmp: %t
home belongs to <nil> 999 999
there is a /bin: false
`
	if got := run(look...); got != fmt.Sprintf(want, false) {
		t.Errorf("read-only:\n%s", got)
	}
	if got := run(append(look, "-tmpfs", "/tmp")...); got != fmt.Sprintf(want, true) {
		t.Errorf("with a /tmp of its own:\n%s", got)
	}
}
