// Package native holds our renders, as they come out of the real repo-server, against those that the same repo-server
// makes itself of the same tree. Each case under testdata is a repository with two ways to say the same: the
// Application's native source, and the plugin's parameters.
package native

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

func TestMain(m *testing.M) {
	parts.Main(m, map[string]parts.Command{parts.CMPServer: cmpserver.NewCommand, parts.RepoServer: reposerver.NewCommand})
}

// argo is a repo-server with us beside it in both forms, and a client.
type argo struct {
	renderer *parts.Renderer
	servers  map[string]*parts.Server // by the name of the plugin
	client   apiclient.RepoServerServiceClient
	redis    *miniredis.Miniredis
}

// The names of the plugin: as a command behind argocd-cmp-server, and as a server in its place.
const (
	behind = "rollstamp"
	serves = "rollstamp-serve"
)

func start(t *testing.T, flags ...string) *argo {
	t.Helper()
	redis, err := miniredis.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Close)
	trusted := "SSL_CERT_FILE=" + authorities(t)
	a := &argo{renderer: parts.StartRepoServer(t, redis.Addr(), []string{trusted}, flags...), redis: redis}
	beside := parts.Sidecar{Plugins: a.renderer.Plugins, Env: []string{trusted, "ROLLSTAMP_ALLOW=network"}} // for servers of the tests
	a.servers = map[string]*parts.Server{
		behind: parts.StartCMP(t, parts.Ours(), beside),
		serves: parts.StartServe(t, serves, nil, beside),
	}
	clients := apiclient.NewRepoServerClientset(a.renderer.Address, 60, apiclient.TLSConfiguration{DisableTLS: true})
	closer, client, err := clients.NewRepoServerClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closer.Close() })
	a.client = client
	return a
}

// authorities is a file with the certificate that servers of package httptest have, which is always the same.
func authorities(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	path := filepath.Join(folder.Empty(t), "ca.pem")
	folder.WriteFile(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return path
}

// scene is one case: a repository, and what Argo CD knows of the application in it.
type scene struct {
	repo    folder.Repository
	native  v1alpha1.ApplicationSource
	plugin  v1alpha1.ApplicationSource
	request apiclient.ManifestRequest // beside the source
	refusal []string                  // words of the refusal, where both have to refuse
	differs string                    // why the renders differ, where newer versions of Argo CD do as we do
}

// read reads a case. Of its files, these say what is asked, and all others are the repository: NATIVE and PLUGIN are
// spec.source of the two Applications, REQUEST what else differs from the usual, ERROR a word for each line, and
// DIFFERS why this version of Argo CD does something else than newer ones and we.
func read(t *testing.T, path string) scene {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := scene{repo: folder.Repository{Dir: folder.Empty(t)}, request: usual()}
	for _, file := range archive.Files {
		switch file.Name {
		case "NATIVE":
			decode(t, file, &s.native)
		case "PLUGIN":
			decode(t, file, &s.plugin)
		case "REQUEST":
			decode(t, file, &s.request)
		case "ERROR":
			s.refusal = strings.Split(strings.TrimSpace(string(file.Data)), "\n")
		case "DIFFERS":
			s.differs = string(file.Data)
		default:
			folder.WriteFile(t, filepath.Join(s.repo.Dir, file.Name), string(file.Data))
		}
	}
	if s.plugin.Plugin == nil {
		s.plugin.Plugin = &v1alpha1.ApplicationSourcePlugin{}
	}
	s.plugin.Path = s.native.Path
	return s
}

// usual is what Argo CD asks beside the source, where a case says nothing else.
func usual() apiclient.ManifestRequest {
	return apiclient.ManifestRequest{
		AppName: "shop", Namespace: "retail", ProjectName: "default", ProjectSourceRepos: []string{"*"},
		KubeVersion: "1.34.0", ApiVersions: []string{"v1", "apps/v1", "example.com/v1/Widget"},
		HelmOptions: &v1alpha1.HelmOptions{ValuesFileSchemes: []string{"https", "http"}}, KustomizeOptions: &v1alpha1.KustomizeOptions{},
	}
}

func decode(t *testing.T, file txtar.File, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(file.Data, into); err != nil {
		t.Fatalf("%s: %v", file.Name, err)
	}
}

// generate asks the repo-server for the manifests of a source.
func (a *argo) generate(s scene, revision string, source v1alpha1.ApplicationSource) ([]string, error) {
	request := s.request
	request.Repo = &v1alpha1.Repository{Repo: s.repo.URL(), Type: "git"}
	source.RepoURL, source.TargetRevision = s.repo.URL(), "main"
	request.Revision, request.ApplicationSource, request.NoCache = revision, &source, true
	return a.ask(&request)
}

// ask sends a request for manifests.
func (a *argo) ask(request *apiclient.ManifestRequest) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	answer, err := a.client.GenerateManifest(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Manifests, nil
}

func TestEachOptionRendersAsArgoCDItselfRendersIt(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	a := start(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { a.compare(t, read(t, file)) })
	}
}

// compare renders a case both ways.
func (a *argo) compare(t *testing.T, s scene) {
	t.Helper()
	revision := s.repo.Commit(t, "all")
	theirs, refusal := a.generate(s, revision, s.native)
	for _, plugin := range []string{behind, serves} {
		source := s.plugin
		source.Plugin = source.Plugin.DeepCopy()
		source.Plugin.Name = plugin
		ours, err := a.generate(s, revision, source)
		switch {
		case s.refusal != nil:
			refusedBoth(t, s.refusal, refusal, err)
		case refusal != nil:
			t.Fatalf("Argo CD itself cannot render it: %v", refusal)
		case err != nil:
			t.Errorf("%s: %v", plugin, err)
		case len(theirs) == 0:
			t.Fatal("Argo CD itself renders nothing, so there is nothing to compare")
		default:
			diff := cmp.Diff(plain(t, theirs), plain(t, ours))
			if diff != "" && s.differs == "" {
				t.Errorf("theirs (-) and ours (+) of %s differ:\n%s", plugin, diff)
			}
			if diff == "" && s.differs != "" {
				t.Errorf("%s renders the same, which says that it does not: %s", plugin, s.differs)
			}
		}
	}
}

func refusedBoth(t *testing.T, words []string, theirs, ours error) {
	t.Helper()
	if theirs == nil || ours == nil {
		t.Fatalf("want an error of both, got of Argo CD: %v; of us: %v", theirs, ours)
	}
	for _, word := range words {
		if !strings.Contains(theirs.Error(), word) || !strings.Contains(ours.Error(), word) {
			t.Errorf("want %q in both errors:\n%v\n%v", word, theirs, ours)
		}
	}
}

// plain returns objects without our stamps, in order of their names: each text of them as JSON that can be compared.
func plain(t *testing.T, manifests []string) []map[string]any {
	t.Helper()
	objects := make([]map[string]any, len(manifests))
	for i, text := range manifests {
		if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
			t.Fatal(err)
		}
		unstamp(objects[i], "spec", "template")
		unstamp(objects[i], "spec", "jobTemplate", "spec", "template")
	}
	slices.SortStableFunc(objects, func(a, b map[string]any) int { return strings.Compare(identity(a), identity(b)) })
	return objects
}

func identity(object map[string]any) string {
	u := unstructured.Unstructured{Object: object}
	return u.GetAPIVersion() + " " + u.GetKind() + " " + u.GetNamespace() + " " + u.GetName()
}

// unstamp takes our annotations out of a pod template, and the mapping too where they were all of it.
func unstamp(object map[string]any, template ...string) {
	path := append(template, "metadata", "annotations")
	annotations, found, err := unstructured.NestedMap(object, path...)
	if err != nil || !found {
		return
	}
	before := len(annotations)
	for key := range annotations {
		if strings.HasPrefix(key, "checksum.rollstamp.dev/") {
			delete(annotations, key)
		}
	}
	switch {
	case len(annotations) == before:
		return
	case len(annotations) > 0:
		_ = unstructured.SetNestedMap(object, annotations, path...)
		return
	}
	unstructured.RemoveNestedField(object, path...)
	if metadata, _, _ := unstructured.NestedMap(object, append(template, "metadata")...); len(metadata) == 0 {
		unstructured.RemoveNestedField(object, append(template, "metadata")...)
	}
}
