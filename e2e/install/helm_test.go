package install

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// helms are the real ones. A build from the module knows its version only by what the linker sets.
func helms(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"3": tool(t, "helm", "helm.sh/helm/v3/cmd/helm", "-X helm.sh/helm/v3/internal/version.version=v3.22.0"),
		"4": tool(t, "helm4", "helm.sh/helm/v4/cmd/helm", "-X helm.sh/helm/v4/internal/version.version=v4.3.1"),
	}
}

// site serves the files of the release as GitHub does.
func site(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(made.dir)))
	t.Cleanup(server.Close)
	return server.URL
}

// home is the environment in which a Helm has nothing but what a test installs.
func home(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	return []string{
		"HELM_DATA_HOME=" + filepath.Join(dir, "data"), "HELM_CACHE_HOME=" + filepath.Join(dir, "cache"),
		"HELM_CONFIG_HOME=" + filepath.Join(dir, "config"), "HELM_PLUGINS=" + filepath.Join(dir, "data", "plugins"),
		"PATH=" + made.programs + ":/usr/local/bin:/usr/bin:/bin", "KUBECONFIG=" + filepath.Join(dir, "none"),
	}
}

// chart is one whose Deployment reads a ConfigMap with the namespace in it.
func chart(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "web")
	write(t, filepath.Join(dir, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	write(t, filepath.Join(dir, "templates/web.yaml"), `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  NAMESPACE: {{ .Release.Namespace }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: c, image: i, envFrom: [{configMapRef: {name: settings}}]}]
`)
	return dir
}

// unverified is the flag that Helm 4 wants for an archive without a signature of its own kind.
func unverified(major string) []string {
	if major == "4" {
		return []string{"--verify=false"}
	}
	return nil
}

func TestHelmTakesTheArchiveForAPlugin(t *testing.T) {
	url := site(t)
	for major, helm := range helms(t) {
		t.Run(major, func(t *testing.T) {
			env, web := home(t), chart(t)
			run(t, web, env, helm, append([]string{"plugin", "install", url + "/" + archiveName()}, unverified(major)...)...)
			if out := run(t, web, env, helm, "rollstamp", "version"); !strings.HasPrefix(out, "rollstamp v"+version+"\n") {
				t.Errorf("helm rollstamp version prints\n%s", out)
			}
			for _, args := range [][]string{{"rollstamp", "render", web, "-n", "team"}, {"-n", "team", "rollstamp", "render", web}} {
				out := run(t, web, env, helm, args...)
				if !strings.Contains(out, "NAMESPACE: team\n") || strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
					t.Errorf("helm %v prints\n%s", args, out)
				}
			}
		})
	}
}

func TestHelmsPostRendererStampsWhatItRenders(t *testing.T) {
	url := site(t)
	for major, helm := range helms(t) {
		t.Run(major, func(t *testing.T) {
			env, web := home(t), chart(t)
			args := []string{"template", "web", web, "--post-renderer", "rollstamp", "--post-renderer-args", "stamp"}
			if major == "4" {
				run(t, web, env, helm, "plugin", "install", "--verify=false", url+"/rollstamp-stamp-"+version+".tgz")
				args = []string{"template", "web", web, "--post-renderer", "rollstamp-stamp"}
			}
			if out := run(t, web, env, helm, args...); strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
				t.Errorf("helm %v prints\n%s", args, out)
			}
		})
	}
}

// Helm 4 hands hooks to post-renderers, marks each document with its file, and drops what they write on standard error.
func TestHelm4TakesTheFolderOfThePluginAndItsFindings(t *testing.T) {
	helm, env, web := helms(t)["4"], home(t), chart(t)
	folder, err := filepath.Abs(filepath.Join(top, "examples", "pipes", "helm-4", "rollstamp-stamp"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, web, env, helm, "plugin", "install", folder)
	hook := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: hook, annotations: {helm.sh/hook: pre-install}}\n" +
		"spec: {template: {spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: settings}}]}]}}}\n"
	write(t, filepath.Join(web, "templates/hook.yaml"), hook)
	found := filepath.Join(t.TempDir(), "found.txt")
	args := []string{"template", "web", web, "-n", "shop", "--post-renderer", "rollstamp-stamp",
		"--post-renderer-args", "--findings", "--post-renderer-args", "text=" + found}
	out := run(t, web, env, helm, args...)
	hooks, stamps := strings.Count(out, "name: hook"), strings.Count(out, "checksum.rollstamp.dev/configmap.settings: v1-")
	if hooks != 1 || stamps != 1 || !strings.Contains(out, "# Source: web/templates/hook.yaml\n") || strings.Contains(out, "postrender-filename") {
		t.Errorf("helm prints %d hooks and %d stamps\n%s", hooks, stamps, out)
	}
	if text, err := os.ReadFile(found); err != nil || !strings.Contains(string(text), "Deployment hook: ") {
		t.Errorf("the findings are %q, %v", text, err)
	}
	cmd := exec.Command(helm, append(args, "--post-renderer-args", "--hash-key-file", "--post-renderer-args", found+".absent")...)
	cmd.Dir, cmd.Env = web, append(os.Environ(), env...)
	printed, err := cmd.CombinedOutput()
	if text, failed := os.ReadFile(found); err == nil || failed != nil || !strings.HasPrefix(string(text), "rollstamp: ") {
		t.Errorf("%v, %v: the findings are %q\n%s", err, failed, text, printed)
	}
	// A file name that moves is no reason to restart.
	if err := os.Rename(filepath.Join(web, "templates/web.yaml"), filepath.Join(web, "templates/other.yaml")); err != nil {
		t.Fatal(err)
	}
	again := run(t, web, env, helm, args...)
	stamp := func(text string) string {
		_, rest, _ := strings.Cut(text, "checksum.rollstamp.dev/configmap.settings: ")
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	if stamp(again) != stamp(out) || stamp(out) == "" {
		t.Errorf("the stamp was %q and is %q", stamp(out), stamp(again))
	}
}
