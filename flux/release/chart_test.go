package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/workspace"
)

// sources are the sources of a test: objects, the tree of those with files, and folders that the user named.
type sources struct {
	objects []*objects.Source
	tree    release.Tree
	folders map[string]string // by kind and name
}

func (s sources) Source(ref objects.Reference) (*objects.Source, error) {
	for _, o := range s.objects {
		if o.Kind == ref.Kind && o.Name == ref.Name && o.Namespace == ref.Namespace {
			return o, nil
		}
	}
	return nil, &diag.Error{Exit: diag.ExitInput, Err: fmt.Errorf("%s is not there", ref), Hint: "Add it."}
}

func (s sources) Tree(context.Context, *objects.Source) (release.Tree, error) {
	if s.tree.Root == "" {
		return s.tree, errors.New("its files are not known")
	}
	return s.tree, nil
}

func (s sources) Folder(o *objects.Source) string { return s.folders[o.Kind+"/"+o.Name] }

// parseSources reads sources, all in the namespace flux.
func parseSources(t *testing.T, specs ...string) []*objects.Source {
	t.Helper()
	var out []*objects.Source
	for _, spec := range specs {
		kind, fields, _ := strings.Cut(spec, " ")
		text := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: " + kind +
			"\nmetadata: {name: src, namespace: flux}\nspec: " + fields + "\n"
		found, err := objects.Parse([]byte(text), "sources.yaml")
		if err != nil || len(found.Sources) != 1 {
			t.Fatalf("%v in\n%s", err, text)
		}
		out = append(out, found.Sources[0])
	}
	return out
}

// versioned is a chart that prints its version and values.
func versioned(version string) map[string]string {
	return map[string]string{
		"Chart.yaml":       "apiVersion: v2 # kept\nname: web\nversion: " + version + "\nappVersion: x\n",
		"values.yaml":      "a: default\nb: default\n",
		"ci.yaml":          "b: ci\n",
		"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  is: {{ .Chart.Version }} {{ .Values.a }} {{ .Values.b }}\n",
	}
}

func below(dir string, contents map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range contents {
		out[dir+"/"+name] = text
	}
	return out
}

// pack returns the archive of a chart called web.
func pack(t *testing.T, contents map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range below("web", contents) {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// findAndRender returns what the chart of a release prints.
func findAndRender(t *testing.T, charts release.Charts, spec string) (string, release.Chart, error) {
	t.Helper()
	r := parseRelease(t, spec)
	chart, err := charts.Find(t.Context(), r)
	if err != nil {
		return "", chart, err
	}
	out, err := renderRelease(t, r, chart, nil, render.Request{})
	if err != nil {
		return "", chart, err
	}
	is := strings.Trim(at(t, objectsOf(t, out.Text)["ConfigMap a"], "data", "is"), `"`)
	return strings.Join(strings.Fields(is), " "), chart, nil
}

func chartOf(kind, chart, more string) string {
	return fmt.Sprintf("chart:\n  spec:\n    chart: %s\n    sourceRef: {kind: %s, name: src, namespace: flux}\n%s", chart, kind, more)
}

func TestAChartInARepositoryOfGitIsThatOfItsPath(t *testing.T) {
	t.Parallel()
	contents := below("charts/web", versioned("1.2.3"))
	contents["env.yaml"] = "a: env\n"
	contents["charts/web-2.0.0.tgz"] = string(pack(t, versioned("2.0.0")))
	root := write(t, contents)
	outside := write(t, below("web", versioned("6.6.6")))
	if err := os.Symlink(filepath.Join(outside, "web"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	charts := release.Charts{
		Sources: sources{
			objects: parseSources(t, "GitRepository {url: https://example.org/x}"),
			tree:    release.Tree{Root: root, Revision: "0123456789abcdef0123456789abcdef01234567"},
		},
		Repositories: &workspace.Repositories{},
	}
	for _, row := range []struct{ chart, more, want string }{
		{"./charts/web", "", "1.2.3 default default"},
		{"charts/web", "    valuesFiles: [env.yaml]\n", "1.2.3+1 env"},
		{"charts/web", "    valuesFiles: [charts/web/values.yaml, none.yaml, charts/web/ci.yaml]\n    ignoreMissingValuesFiles: true\n",
			"1.2.3+1 default ci"},
		{"charts/web", "    valuesFiles: [none.yaml]\n    ignoreMissingValuesFiles: true\n", "1.2.3+1"},
		{"charts/web", "    reconcileStrategy: Revision\n", "1.2.3+0123456789ab default default"},
		{"charts/web", "    reconcileStrategy: Revision\n    valuesFiles: [env.yaml]\n", "1.2.3+0123456789ab.1 env"},
		{"../../charts/web", "", "1.2.3 default default"},
		{"charts/web-2.0.0.tgz", "", "2.0.0 default default"},
		{"charts/web-2.0.0.tgz", "    valuesFiles: [env.yaml]\n", "2.0.0+1 env"},
	} {
		got, chart, err := findAndRender(t, charts, chartOf("GitRepository", row.chart, row.more))
		if err != nil || got != row.want {
			t.Errorf("%s\n%s: got %q, %v, want %q", row.chart, row.more, got, err, row.want)
		}
		if want, _, _ := strings.Cut(row.want, " "); chart.Version != want && !strings.HasSuffix(chart.Path, ".tgz") {
			t.Errorf("%s: the version is %s", row.chart, chart.Version)
		}
	}
	for chart, want := range map[string]string{
		"charts/none": "no such file", "link": "leads out of the source",
	} {
		_, _, err := findAndRender(t, charts, chartOf("GitRepository", chart, ""))
		if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "HelmRelease apps/web") {
			t.Errorf("%s: got %v", chart, err)
		}
	}
	_, _, err := findAndRender(t, charts, chartOf("GitRepository", "charts/web", "    valuesFiles: [none.yaml]\n"))
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "none.yaml") ||
		!strings.Contains(diag.HintOf(err), "ignoreMissingValuesFiles") {
		t.Errorf("a values file that is missing: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(root, "charts/web/Chart.yaml")); !strings.Contains(string(text), "version: 1.2.3\n") {
		t.Errorf("the source was written to: %s", text)
	}
}

func TestTheVersionOfAChartChangesHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{apiVersion: v2, name: web,\n # why\n version: 1.2.3}\n",
		"apiVersion: v2\nname: web\nversion: 1.2.2\nversion: 1.2.3\n",
		"apiVersion: v2\nname: web\nversion: &v 1.2.3\nappVersion: *v\n",
		"apiVersion: v2\nname: web\nappVersion: &v 1.2.3\nversion: *v\n",
		"x: &x {version: 1.2.3}\n<<: *x\napiVersion: v2\nname: web\n",
		"apiVersion: v2\nname: web\n? version\n: 1.2.3\n",
		"apiVersion: v2\nname: web\nversion: !!str 1.2.3\n",
		"apiVersion: v2\nname: web\nversion: |-\n  1.2.3\n",
		"\ufeffapiVersion: v2\r\nname: web\r\nversion: 1.2.3\r\n",
		"%YAML 1.1\n---\napiVersion: v2\nname: web\nversion: 1.2.3\n...\n",
		"apiVersion: v2\nname: web\nversion: 1.2.3\n---\nname: other\n",
	} {
		chart := versioned("1.2.3")
		chart["Chart.yaml"] = text
		charts := release.Charts{
			Sources: sources{
				objects: parseSources(t, "GitRepository {url: https://example.org/x}"),
				tree:    release.Tree{Root: write(t, below("web", chart)), Revision: "0123456789abcdef"},
			},
			Repositories: &workspace.Repositories{},
		}
		const want = "1.2.3+0123456789ab default default"
		got, _, err := findAndRender(t, charts, chartOf("GitRepository", "web", "    reconcileStrategy: Revision\n"))
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestAHelmChartObjectIsFoundAsATemplateIs(t *testing.T) {
	t.Parallel()
	root := write(t, below("web", versioned("1.2.3")))
	charts := release.Charts{
		Sources: sources{
			objects: parseSources(t, "GitRepository {url: https://example.org/x}",
				"HelmChart {chart: web, sourceRef: {kind: GitRepository, name: src}, valuesFiles: [web/ci.yaml]}",
				"ExternalArtifact {}"),
			tree: release.Tree{Root: root},
		},
		Repositories: &workspace.Repositories{},
	}
	got, _, err := findAndRender(t, charts, "chartRef: {kind: HelmChart, name: src, namespace: flux}\n")
	if err != nil || got != "1.2.3+1 ci" {
		t.Errorf("got %q, %v", got, err)
	}
	_, _, err = findAndRender(t, charts, "chartRef: {kind: HelmChart, name: src}\n")
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "HelmChart apps/src is not there") || diag.HintOf(err) != "Add it." {
		t.Errorf("a source in another namespace: %v", err)
	}
	charts.Sources = sources{objects: charts.Sources.(sources).objects, tree: release.Tree{Root: filepath.Join(root, "web")}}
	got, _, err = findAndRender(t, charts, "chartRef: {kind: ExternalArtifact, name: src, namespace: flux}\n")
	if err != nil || got != "1.2.3 default default" {
		t.Errorf("an ExternalArtifact: got %q, %v", got, err)
	}
}

func TestAFolderThatIsNamedForAHelmChartIsItsChart(t *testing.T) {
	t.Parallel()
	root := filepath.Join(write(t, below("web", versioned("1.2.3"))), "web")
	charts := release.Charts{
		Sources: sources{
			objects: parseSources(t, "HelmChart {}"), tree: release.Tree{Root: root},
			folders: map[string]string{"HelmChart/src": root},
		},
		Repositories: &workspace.Repositories{},
	}
	got, _, err := findAndRender(t, charts, "chartRef: {kind: HelmChart, name: src, namespace: flux}\n")
	if err != nil || got != "1.2.3 default default" {
		t.Errorf("got %q, %v", got, err)
	}
}

// publish serves charts called web as a repository.
func publish(t *testing.T, versions ...string) *httptest.Server {
	t.Helper()
	dir := t.TempDir()
	index := "apiVersion: v1\nentries:\n  web:\n"
	for _, v := range versions {
		name := "web-" + v + ".tgz"
		if err := os.WriteFile(filepath.Join(dir, name), pack(t, versioned(v)), 0o600); err != nil {
			t.Fatal(err)
		}
		index += fmt.Sprintf("  - {name: web, version: %s, urls: [%s]}\n", v, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.yaml"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server
}

func TestAChartOfAHelmRepositoryIsVendoredCachedOrFetchedWithPermission(t *testing.T) {
	t.Parallel()
	server := publish(t, "1.2.3", "1.3.0", "2.0.0")
	engine := helm.Engine{CacheDir: t.TempDir()}
	src := parseSources(t, "HelmRepository {url: "+server.URL+"/}")
	spec := func(version, more string) string {
		return chartOf("HelmRepository", "web", "    version: \""+version+"\"\n"+more)
	}
	offline := release.Charts{Sources: sources{objects: src}, Repositories: &workspace.Repositories{Cache: engine}}
	online := release.Charts{Sources: sources{objects: src},
		Repositories: &workspace.Repositories{Network: true, Charts: engine, Cache: engine}}
	for _, version := range []string{"1.2.3", "1.x"} {
		_, _, err := findAndRender(t, offline, spec(version, ""))
		if diag.ExitOf(err) != diag.ExitSource || !strings.HasPrefix(err.Error(), "HelmRelease apps/web: release.yaml:1: ") ||
			!strings.Contains(diag.HintOf(err), "--allow network") ||
			!strings.Contains(diag.HintOf(err), "--source HelmRepository/flux/src=FOLDER") {
			t.Errorf("%s without the network: %v (%s)", version, err, diag.HintOf(err))
		}
	}
	for version, want := range map[string]string{"1.2.3": "1.2.3", "1.x": "1.3.0", "": "2.0.0", "*": "2.0.0", ">=1.2 <1.3": "1.2.3"} {
		if got, _, err := findAndRender(t, online, spec(version, "")); err != nil || got != want+" default default" {
			t.Errorf("%q: got %q, %v", version, got, err)
		}
	}
	got, _, err := findAndRender(t, online, spec("1.2.3", "    valuesFiles: [values.yaml, ./ci.yaml]\n"))
	if err != nil || got != "1.2.3+1 default ci" {
		t.Errorf("values files of the chart: %q, %v", got, err)
	}
	if _, _, err := findAndRender(t, online, spec("9.x", "")); diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("a version that is not there: %v", err)
	}
	server.Close()
	if got, _, err := findAndRender(t, offline, spec("1.2.3", "")); err != nil || got != "1.2.3 default default" {
		t.Errorf("from the cache: %q, %v", got, err)
	}
	vendored := write(t, below("web", versioned("3.0.0")))
	local := release.Charts{Sources: sources{objects: src, folders: map[string]string{"HelmRepository/src": vendored}},
		Repositories: &workspace.Repositories{}}
	if got, _, err := findAndRender(t, local, spec(">=3", "")); err != nil || got != "3.0.0 default default" {
		t.Errorf("from a folder: %q, %v", got, err)
	}
	if _, _, err := findAndRender(t, local, spec("1.2.3", "")); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("a version that the folder lacks: %v", err)
	}
}

func TestAnAddressThatDoesNotFitTheTypeIsAnError(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"HelmRepository {url: 'oci://example.org/x'}", "HelmRepository {url: 'https://example.org/x', type: oci}"} {
		charts := release.Charts{Sources: sources{objects: parseSources(t, src)}, Repositories: &workspace.Repositories{}}
		_, _, err := findAndRender(t, charts, chartOf("HelmRepository", "web", ""))
		if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "spec.type") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// startRegistry returns a registry with the chart charts/web in some versions, and the digests of their manifests.
func startRegistry(t *testing.T, versions ...string) (host string, digests map[string]string, server *httptest.Server) {
	t.Helper()
	server = httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	digests = map[string]string{}
	for _, v := range versions {
		digests[v] = pushChart(t, server.URL, v, pack(t, versioned(v)))
	}
	return strings.TrimPrefix(server.URL, "http://"), digests, server
}

func TestAnOCIRepositorysDigestIsPartOfTheChartsVersion(t *testing.T) {
	t.Parallel()
	host, digests, server := startRegistry(t, "1.2.3", "1.3.0")
	engine := helm.Engine{CacheDir: t.TempDir()}
	find := func(ref, network string) (string, error) {
		charts := release.Charts{
			Sources:      sources{objects: parseSources(t, "OCIRepository {url: 'oci://"+host+"/charts/web', ref: "+ref+"}")},
			Repositories: &workspace.Repositories{Network: network != "", Charts: engine, Cache: engine},
		}
		got, _, err := findAndRender(t, charts, "chartRef: {kind: OCIRepository, name: src, namespace: flux}\n")
		return got, err
	}
	short := func(version string) string {
		return version + "+" + digests[version][len("sha256:"):][:12] + " default default"
	}
	for ref, want := range map[string]string{
		"{tag: 1.2.3}": short("1.2.3"), "{semver: '1.x'}": short("1.3.0"),
		"{tag: 1.3.0, digest: '" + digests["1.2.3"] + "'}": short("1.2.3"),
	} {
		if got, err := find(ref, "network"); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", ref, got, err, want)
		}
	}
	if _, err := find("{tag: 9.9.9}", "network"); diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("a tag that is not there: %v", err)
	}
	server.Close()
	if got, err := find("{tag: 1.2.3}", ""); err != nil || got != short("1.2.3") {
		t.Errorf("from the cache: %q, %v", got, err)
	}
	_, err := find("{tag: 1.3.0}", "")
	if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(diag.HintOf(err), "--source OCIRepository/flux/src=FOLDER") {
		t.Errorf("not in the cache: %v (%s)", err, diag.HintOf(err))
	}
}

func TestATagOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	host, _, server := startRegistry(t)
	pushChart(t, server.URL, "2.0.0", pack(t, versioned("1.2.3")))
	charts := release.Charts{
		Sources:      sources{objects: parseSources(t, "OCIRepository {url: 'oci://"+host+"/charts/web', ref: {tag: 2.0.0}}")},
		Repositories: &workspace.Repositories{Network: true, Charts: helm.Engine{}},
	}
	_, _, err := findAndRender(t, charts, "chartRef: {kind: OCIRepository, name: src, namespace: flux}\n")
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "tag 2.0.0 does not match the chart's version 1.2.3") {
		t.Errorf("got %v", err)
	}
}

func TestARepositoryOfTypeOCIIsARegistry(t *testing.T) {
	t.Parallel()
	host, _, _ := startRegistry(t, "1.2.3", "1.3.0")
	charts := release.Charts{
		Sources:      sources{objects: parseSources(t, "HelmRepository {type: oci, url: 'oci://"+host+"/charts'}")},
		Repositories: &workspace.Repositories{Network: true, Charts: helm.Engine{}},
	}
	got, _, err := findAndRender(t, charts, chartOf("HelmRepository", "web", "    version: ~1.2\n"))
	if err != nil || got != "1.2.3 default default" {
		t.Errorf("got %q, %v", got, err)
	}
}
