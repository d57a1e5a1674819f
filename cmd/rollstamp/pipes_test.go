package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
)

const pipeExamples = "../../examples/pipes"

func TestTheExampleOfKustomizeStampsWhatNoNameRolls(t *testing.T) {
	dir := filepath.Join(pipeExamples, "kustomize")
	out, stderr, err := hosted(t, dir, stock.Kustomize(t), "build", "--enable-alpha-plugins", "--enable-exec", ".")
	if err != nil || strings.Count(out, "checksum.rollstamp.dev/") != 1 ||
		!strings.Contains(out, "checksum.rollstamp.dev/configmap.shop-limits: v1-") {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
	if report, err := verified(t, out); err != nil {
		t.Errorf("%v: %s", err, report)
	}
}

func TestHelm3sPostRendererStampsAndFailsLoudly(t *testing.T) {
	helm, chart := stock.Helm(t), filepath.Join(pipeExamples, "helmfile", "web")
	t.Setenv("HELM_DATA_HOME", t.TempDir())
	render := func(args ...string) (string, string, error) {
		t.Helper()
		args = append([]string{"template", "web", chart, "--post-renderer", "rollstamp"}, args...)
		return hosted(t, ".", helm, args...)
	}
	out, stderr, err := render("--post-renderer-args", "stamp")
	if err != nil || strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
	file := filepath.Join(t.TempDir(), "found.txt")
	out, _, err = render("--post-renderer-args", "stamp", "--post-renderer-args", "--findings",
		"--post-renderer-args", "text="+file, "--post-renderer-args", "--hash-key-file", "--post-renderer-args", file+".absent")
	if text, failed := os.ReadFile(file); err == nil || failed != nil || out != "" || !strings.HasPrefix(string(text), "rollstamp: ") {
		t.Errorf("a key that is not there: %v, %v: %s\n%s", err, failed, text, out)
	}
	// A chart that renders nothing hands a post-renderer nothing, which is an error unless that is right.
	empty := writeTree(t, map[string]string{"Chart.yaml": "apiVersion: v2\nname: empty\nversion: 1.0.0\n"})
	args := []string{"template", "web", empty, "--post-renderer", "rollstamp", "--post-renderer-args", "stamp"}
	if _, stderr, err := hosted(t, ".", helm, args...); err == nil || !strings.Contains(stderr, "the input is empty") {
		t.Errorf("an empty chart: %v: %s", err, stderr)
	}
	args = append(args, "--post-renderer-args", "--allow-empty")
	if _, stderr, err := hosted(t, ".", helm, args...); err != nil {
		t.Errorf("an empty chart that may be: %v: %s", err, stderr)
	}
}

func TestTheExampleOfTankaIsStampedInAPipe(t *testing.T) {
	for _, program := range []string{"tk", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	out, stderr, err := hosted(t, filepath.Join(pipeExamples, "tanka"), "bash", "-o", "pipefail", "-c",
		"tk show --dangerous-allow-redirect environments/prod | rollstamp stamp | rollstamp verify --pass")
	if err != nil || strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
}

func TestKappReadsWhatIsHandedOn(t *testing.T) {
	for _, program := range []string{"kapp", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := writeTree(t, map[string]string{"in.yaml": functionTree["web.yaml"]})
	out, stderr, err := hosted(t, dir, "bash", "-o", "pipefail", "-c",
		"rollstamp stamp in.yaml | rollstamp verify --pass --against in.yaml | kapp tools inspect --raw -f -")
	if err != nil || strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
}

func TestTheExampleOfHelmfileRuns(t *testing.T) {
	helmfile, err := exec.LookPath("helmfile")
	if err != nil {
		t.Skip("no helmfile on this machine")
	}
	t.Setenv("HELM_DATA_HOME", t.TempDir())
	t.Setenv("HELM_CACHE_HOME", t.TempDir())
	out, stderr, err := hosted(t, filepath.Join(pipeExamples, "helmfile"), helmfile, "--helm-binary", stock.Helm(t),
		"--disable-force-update", "template")
	if err != nil || strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
		t.Errorf("%v: %s\n%s", err, stderr, out)
	}
}
