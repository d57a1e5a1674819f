package native

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// chart is a chart that says how its release is named.
const chart = `
-- app/Chart.yaml --
apiVersion: v2
name: shop
version: 1.2.3
-- app/templates/all.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: facts}
data: {release: {{ .Release.Name }}}
`

// in makes a scene of a tree, with its application in the folder app.
func in(t *testing.T, tree string) scene {
	t.Helper()
	s := scene{repo: folder.Repository{Dir: folder.New(t, tree)}, request: usual()}
	s.plugin = v1alpha1.ApplicationSource{Path: "app", Plugin: &v1alpha1.ApplicationSourcePlugin{Name: behind}}
	return s
}

// text renders a scene through the plugin, and returns all manifests as one text.
func (a *argo) text(t *testing.T, s scene) (string, error) {
	t.Helper()
	manifests, err := a.generate(s, s.repo.Commit(t, "all"), s.plugin)
	return strings.Join(manifests, "\n"), err
}

func TestARenderOfANamedPluginIsOneStream(t *testing.T) {
	a := start(t)
	if _, err := a.text(t, in(t, chart)); err != nil {
		t.Fatal(err)
	}
	log := a.servers[behind].LastWords()
	for method, want := range map[string]int{"GenerateManifest": 1, "MatchRepository": 0, "GetParametersAnnouncement": 0} {
		if got := strings.Count(log, `"grpc.method":"`+method+`","grpc.method_type":"client_stream","grpc.request.deadline"`) / 2; got != want {
			t.Errorf("%d calls of %s, want %d", got, method, want)
		}
	}
}

func TestOverridesInTheRepositoryNeverLeaveAnEmptyAnswer(t *testing.T) {
	a := start(t)
	for name, c := range map[string]struct{ file, want, refusal string }{
		"variables, as image updaters write them": {"plugin: {env: [{name: IMAGE_TAG, value: v2}]}\n", `"release":"shop"`, ""},
		"our variables":  {"plugin: {env: [{name: ROLLSTAMP_RELEASE_NAME, value: other}]}\n", `"release":"other"`, ""},
		"our parameters": {"plugin: {parameters: [{name: releaseName, string: third}]}\n", `"release":"third"`, ""},
		"native options": {"helm: {releaseName: fourth}\n", "", "multiple application sources"},
	} {
		t.Run(name, func(t *testing.T) {
			s := in(t, chart+"-- app/.argocd-source.yaml --\n"+c.file)
			s.plugin.Plugin.Env = v1alpha1.Env{{Name: "ROLLSTAMP_RELEASE_NAME", Value: "first"}}
			got, err := a.text(t, s)
			switch {
			case c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)):
				t.Errorf("got %v, want %q", err, c.refusal)
			case c.refusal == "" && (err != nil || !strings.Contains(got, c.want)):
				t.Errorf("got %q and %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestVariablesOfAnApplicationAreExpandedByArgoCD(t *testing.T) {
	s := in(t, chart)
	s.plugin.Plugin.Env = v1alpha1.Env{{Name: "ROLLSTAMP_RELEASE_NAME", Value: "$ARGOCD_APP_NAME-$ARGOCD_APP_NAMESPACE"}}
	got, err := start(t).text(t, s)
	if err != nil || !strings.Contains(got, `"release":"shop-retail"`) {
		t.Errorf("got %q and %v", got, err)
	}
}

func TestAnApplicationWithoutAPluginsNameIsRenderedByOneThatDiscovers(t *testing.T) {
	a := start(t)
	for _, name := range []string{"first", "second"} { // both say yes
		parts.StartServe(t, name, []string{"--discover", "any"}, parts.Sidecar{Plugins: a.renderer.Plugins})
	}
	s := in(t, chart)
	s.plugin.Plugin.Name = ""
	got, err := a.text(t, s)
	if err != nil || !strings.Contains(got, `"release":"shop"`) {
		t.Errorf("got %q and %v", got, err)
	}
}

const above = `
-- base/kustomization.yaml --
resources: [settings.yaml]
-- base/settings.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
-- app/kustomization.yaml --
resources: [../base]
`

func TestTheAnnotationThatWePrintSendsAllThatIsRead(t *testing.T) {
	a := start(t, "--plugin-use-manifest-generate-paths")
	s := in(t, above)
	s.repo.Commit(t, "all")
	printed, err := exec.Command(process.Rollstamp(t), "argocd", "paths", filepath.Join(s.repo.Dir, "app")).Output()
	if err != nil {
		t.Fatal(err)
	}
	s.request.AnnotationManifestGeneratePaths = strings.TrimSpace(string(printed))
	if got, err := a.text(t, s); err != nil || !strings.Contains(got, "settings") {
		t.Errorf("with the annotation %q: %q and %v", s.request.AnnotationManifestGeneratePaths, got, err)
	}
	s.request.AnnotationManifestGeneratePaths = "."
	if got, err := a.text(t, s); err == nil || !strings.Contains(err.Error(), "argocd.argoproj.io/manifest-generate-paths") {
		t.Errorf("with the annotation %q: %q and %v, want an error that names it", ".", got, err)
	}
}

func TestAChartOfARepositoryIsRendered(t *testing.T) {
	dir := folder.Empty(t)
	source := filepath.Join(folder.New(t, chart), "app")
	helm(t, dir, "package", source, "--destination", dir)
	helm(t, dir, "repo", "index", dir)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	a := start(t)
	for _, plugin := range []string{behind, serves} {
		request := usual()
		request.Repo = &v1alpha1.Repository{Repo: server.URL, Type: "helm", Name: "charts"}
		request.Revision = "1.2.3"
		request.ApplicationSource = &v1alpha1.ApplicationSource{
			RepoURL: server.URL, Chart: "shop", TargetRevision: "1.2.3", Plugin: &v1alpha1.ApplicationSourcePlugin{Name: plugin},
		}
		manifests, err := a.ask(&request)
		if err != nil || len(manifests) != 1 || !strings.Contains(manifests[0], `"release":"shop"`) {
			t.Errorf("%s: %q and %v", plugin, manifests, err)
		}
	}
}

func TestWhatArgoCDKeepsOfAnErrorHoldsNoSecret(t *testing.T) {
	const canary = "canary-6f1d0c"
	a := start(t)
	s := in(t, chart+"-- app/templates/secret.yaml --\napiVersion: v1\nmetadata: {name: database}\nstringData: {password: "+canary+"}\n")
	request := s.request
	revision := s.repo.Commit(t, "all")
	source := s.plugin
	source.RepoURL, source.TargetRevision = s.repo.URL(), "main"
	request.Repo, request.Revision, request.ApplicationSource = &v1alpha1.Repository{Repo: s.repo.URL(), Type: "git"}, revision, &source
	if _, err := a.ask(&request); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("got %v, want an error without the secret", err)
	}
	kept := dump(t, a.redis)
	if !strings.Contains(kept, "kind") || strings.Contains(kept, canary) {
		t.Errorf("Redis holds the secret, or no error at all:\n%.2000s", kept)
	}
}

// dump returns all that a Redis holds, unpacked.
func dump(t *testing.T, redis *miniredis.Miniredis) string {
	t.Helper()
	var out strings.Builder
	for _, key := range redis.Keys() {
		value, err := redis.Get(key)
		if err != nil {
			continue // not a text; Argo CD's renderer keeps only texts
		}
		out.WriteString(key + ": ")
		if unpacked, err := gzip.NewReader(bytes.NewReader([]byte(value))); err == nil {
			text, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatal(err)
			}
			value = string(text)
		}
		out.WriteString(value + "\n")
	}
	return out.String()
}

func TestDependenciesAreThoseThatTheLockPins(t *testing.T) {
	dir := folder.Empty(t)
	pack := func(version string) {
		source := filepath.Join(folder.New(t, "-- child/Chart.yaml --\napiVersion: v2\nname: child\nversion: "+version+
			"\n-- child/templates/all.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: child}\ndata: {version: \"{{ .Chart.Version }}\"}\n"), "child")
		helm(t, dir, "package", source, "--destination", dir)
		helm(t, dir, "repo", "index", dir)
	}
	server := httptest.NewTLSServer(http.FileServer(http.Dir(dir))) // Argo CD itself asks no others
	defer server.Close()
	s := in(t, chart)
	folder.WriteFile(t, filepath.Join(s.repo.Dir, "app", "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.2.3\ndependencies: [{name: child, version: ^1.0.0, repository: "+server.URL+"}]\n")
	pack("1.0.0")
	helm(t, filepath.Join(s.repo.Dir, "app"), "dependency", "update", ".")
	if err := os.RemoveAll(filepath.Join(s.repo.Dir, "app", "charts")); err != nil {
		t.Fatal(err)
	}
	pack("1.1.0") // newer than the lock, and within the range
	s.native = v1alpha1.ApplicationSource{Path: "app"}
	start(t).compare(t, s)
}

// helm runs the real helm in a folder.
func helm(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(parts.Tool(t, "helm"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+folder.Empty(t), "SSL_CERT_FILE="+authorities(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, out)
	}
}
