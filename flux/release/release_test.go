package release_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// parseRelease reads a HelmRelease apps/web with this spec.
func parseRelease(t *testing.T, spec string) *objects.HelmRelease {
	t.Helper()
	if !strings.Contains(spec, "chartRef:") && !strings.Contains(spec, "chart:") {
		spec += "chartRef: {kind: HelmChart, name: web}\n"
	}
	text := "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: apps}\nspec:\n"
	for line := range strings.Lines(spec) {
		text += "  " + line
	}
	found, err := objects.Parse([]byte(text), "release.yaml")
	if err != nil || len(found.Releases) != 1 {
		t.Fatalf("%v in\n%s", err, text)
	}
	return found.Releases[0]
}

// write puts files into a new folder.
func write(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range contents {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// renderRelease renders a release of a chart, with everything that helm-controller does.
func renderRelease(
	t *testing.T, r *objects.HelmRelease, chart release.Chart, values []release.Values, base render.Request,
) (*render.Output, error) {
	t.Helper()
	made, err := release.Request(r, chart, values, base, render.Engines{render.KindKustomize: kustomize.Engine{}})
	if err != nil {
		return nil, err
	}
	out, err := helm.Engine{}.Render(t.Context(), made.Request)
	for _, transform := range made.Transforms {
		if err == nil {
			out, err = transform(context.Background(), out)
		}
	}
	return out, err
}

func mustRender(t *testing.T, spec string, chart map[string]string, values ...release.Values) *render.Output {
	t.Helper()
	out, err := renderRelease(t, parseRelease(t, spec), release.Chart{Path: write(t, chart)}, values, render.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// objectsOf returns the objects of a text, as JSON, by kind and name.
func objectsOf(t *testing.T, text []byte) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for d, err := range manifest.Documents(text, "render") {
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for o := range d.Objects() {
			var fields map[string]any
			if err := yaml.Unmarshal(d.Body(), &fields); err != nil {
				t.Fatal(err)
			}
			name := o.Kind + " " + o.Name
			if all[name] != nil {
				t.Fatalf("%s is there twice", name)
			}
			all[name] = fields
		}
	}
	return all
}

// at returns the value of a field as JSON.
func at(t *testing.T, object map[string]any, path ...string) string {
	t.Helper()
	var v any = object
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAReleaseIsNamedAsHelmControllerNamesIt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 53)
	for _, row := range []struct{ spec, name, namespace, storage string }{
		{"", "web", "apps", "apps"},
		{"targetNamespace: shop\n", "shop-web", "shop", "apps"},
		{"targetNamespace: shop\nreleaseName: x\nstorageNamespace: store\n", "x", "shop", "store"},
		{"releaseName: " + long + "\n", long, "apps", "apps"},
		// printf some-front-appended-namespace-release-with-a-long-name-appended-to-it | sha256sum
		{"releaseName: some-front-appended-namespace-release-with-a-long-name-appended-to-it\n",
			"some-front-appended-namespace-release-wi-70805fb26893", "apps", "apps"},
	} {
		r := parseRelease(t, row.spec)
		if name := release.Name(r); name != row.name || len(name) > 53 {
			t.Errorf("%q: the name is %s", row.spec, name)
		}
		if ns := release.Namespace(r); ns != row.namespace {
			t.Errorf("%q: the namespace is %s", row.spec, ns)
		}
		if ns := release.StorageNamespace(r); ns != row.storage {
			t.Errorf("%q: the storage is in %s", row.spec, ns)
		}
	}
}

// shop is a chart with a definition, hooks and a test.
var shop = map[string]string{
	"Chart.yaml":  "apiVersion: v2\nname: shop\nversion: 1.2.3\n",
	"values.yaml": "size: 1\n",
	"crds/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n" +
		"  name: things.example.org\nspec:\n  group: example.org\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stray}\n",
	"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-config\n" +
		"  labels: {team: shop}\ndata:\n  size: \"{{ .Values.size }}\"\n",
	"templates/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n" +
		"  namespace: {{ .Release.Namespace }}\nspec:\n  template:\n    spec:\n      containers:\n" +
		"      - name: main\n        image: example.org/shop:1\n",
	"templates/list.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n" +
		"  metadata: {name: one}\n",
	"templates/hook.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations:\n" +
		"    helm.sh/hook: {{ if .Release.IsUpgrade }}pre-upgrade{{ else }}pre-install{{ end }}\n",
	"templates/tests/test.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: try\n  annotations:\n    helm.sh/hook: test\n",
}

const originLabels = `"helm.toolkit.fluxcd.io/name":"web","helm.toolkit.fluxcd.io/namespace":"apps"`

func TestEveryObjectGetsTheLabelsOfItsReleaseInPlace(t *testing.T) {
	t.Parallel()
	out := mustRender(t, "", shop)
	found := objectsOf(t, out.Text)
	for name, want := range map[string]string{
		"CustomResourceDefinition things.example.org": "{" + originLabels + "}",
		"ConfigMap web-config":                        "{" + originLabels + `,"team":"shop"}`,
		"Deployment web":                              "{" + originLabels + "}",
		"Job migrate":                                 "{" + originLabels + "}",
	} {
		if got := at(t, found[name], "metadata", "labels"); got != want {
			t.Errorf("%s has the labels %s", name, got)
		}
	}
	if items := at(t, found["Service one"], "items"); !strings.Contains(items, `"labels":{`+originLabels+"}") {
		t.Errorf("the List holds %s", items)
	}
	for _, name := range []string{"ConfigMap stray", "Pod try"} {
		if found[name] != nil {
			t.Errorf("%s is there", name)
		}
	}
	if !strings.Contains(string(out.Text), "# Source: shop/templates/deployment.yaml\n") {
		t.Errorf("the templates are not named:\n%s", out.Text)
	}
}

func TestPositionsLeadToTheChartsFilesAfterAllChanges(t *testing.T) {
	t.Parallel()
	const patch = "postRenderers:\n- kustomize:\n    patches:\n    - target: {kind: Deployment}\n" +
		"      patch: '[{\"op\": \"add\", \"path\": \"/spec/replicas\", \"value\": 3}]'\n"
	for _, spec := range []string{"", patch} {
		out := mustRender(t, spec, shop)
		places := render.NewPlaces(out.Text, out.Origins)
		for mark, file := range map[string]string{
			"kind: Deployment": "templates/deployment.yaml", "size: \"1\"": "templates/config.yaml",
			"name: migrate": "templates/hook.yaml", "group: example.org": "crds/crd.yaml",
		} {
			offset := strings.Index(string(out.Text), mark)
			if offset < 0 {
				t.Fatalf("%s is not in\n%s", mark, out.Text)
			}
			if pos := places.At(offset); !strings.HasSuffix(pos.File, "/"+file) {
				t.Errorf("%q: %s comes from %s", spec, mark, pos)
			}
		}
		offset := strings.Index(string(out.Text), "group: example.org")
		if pos := places.At(offset); pos.Line != 6 {
			t.Errorf("%q: the line of a definition behind its labels is %s", spec, pos)
		}
	}
}

func TestSpecSelectsDefinitionsHooksAndTests(t *testing.T) {
	t.Parallel()
	upgrade := render.Request{Helm: render.HelmOptions{IsUpgrade: true}}
	for _, row := range []struct {
		spec string
		base render.Request
		want string // of crd, hook, upgrade's hook, test
	}{
		{"", render.Request{}, "crd hook"},
		{"install: {crds: Skip}\nupgrade: {crds: CreateReplace}\n", render.Request{}, "hook"},
		{"install: {crds: Skip}\nupgrade: {crds: CreateReplace}\n", upgrade, "crd upgrade"},
		{"", upgrade, "crd upgrade"},
		{"", render.Request{Helm: render.HelmOptions{SkipCRDs: true}}, "hook"},
		{"install: {disableHooks: true}\n", render.Request{}, "crd"},
		{"upgrade: {disableHooks: true}\n", render.Request{}, "crd hook"},
		{"test: {enable: true}\n", render.Request{}, "crd hook test"},
		{"test: {enable: true}\n", render.Request{Helm: render.HelmOptions{SkipTests: true}}, "crd hook"},
	} {
		out, err := renderRelease(t, parseRelease(t, row.spec), release.Chart{Path: write(t, shop)}, nil, row.base)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, mark := range [][2]string{{"things.example.org", "crd"}, {"helm.sh/hook: pre-install", "hook"},
			{"helm.sh/hook: pre-upgrade", "upgrade"}, {"name: try", "test"}} {
			if strings.Contains(string(out.Text), mark[0]) {
				got = append(got, mark[1])
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%q, %+v: it holds %v, want %s", row.spec, row.base.Helm, got, row.want)
		}
	}
}

func TestASchemaIsCheckedUnlessTheReleaseDisablesThat(t *testing.T) {
	t.Parallel()
	chart := write(t, map[string]string{
		"Chart.yaml":         "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"values.schema.json": `{"properties":{"size":{"type":"integer"}}}`,
		"templates/a.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	})
	r := parseRelease(t, "values: {size: hunter2}\n")
	_, err := renderRelease(t, r, release.Chart{Path: chart}, nil, render.Request{})
	if err == nil || !strings.Contains(err.Error(), "/size") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	r = parseRelease(t, "values: {size: hunter2}\ninstall: {disableSchemaValidation: true}\n")
	if _, err := renderRelease(t, r, release.Chart{Path: chart}, nil, render.Request{}); err != nil {
		t.Error(err)
	}
}
