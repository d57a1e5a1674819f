package install

import (
	"net/http"
	"net/http/httptest"
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
