package release_test

import (
	"cmp"
	"maps"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/render"
)

// with returns a chart with further files.
func with(chart map[string]string, more map[string]string) map[string]string {
	out := maps.Clone(chart)
	maps.Copy(out, more)
	return out
}

func TestCommonMetadataIsAddedAndTheOriginCountsMore(t *testing.T) {
	t.Parallel()
	const spec = "commonMetadata:\n  labels: {team: other, a: \"1\", helm.toolkit.fluxcd.io/name: mine}\n" +
		"  annotations: {note: \"two\\nlines\"}\n"
	const patch = "postRenderers:\n- kustomize:\n    images: [{name: example.org/shop, newTag: \"2\"}]\n"
	for _, text := range []string{spec, spec + patch} {
		found := objectsOf(t, mustRender(t, text, shop).Text)
		for _, name := range []string{"ConfigMap web-config", "Deployment web", "Job migrate"} {
			want := `{"a":"1",` + originLabels + `,"team":"other"}`
			if got := at(t, found[name], "metadata", "labels"); got != want {
				t.Errorf("%s has the labels %s", name, got)
			}
			if got := at(t, found[name], "metadata", "annotations", "note"); got != `"two\nlines"` {
				t.Errorf("%s has the annotation %s", name, got)
			}
		}
		crd := found["CustomResourceDefinition things.example.org"]
		if got := at(t, crd, "metadata"); got != `{"labels":{`+originLabels+`},"name":"things.example.org"}` {
			t.Errorf("a definition of the chart has %s", got)
		}
	}
}

func TestWhatAPostRendererReadsAndWritesAgainIsAsItLeavesIt(t *testing.T) {
	t.Parallel()
	chart := with(shop, map[string]string{
		"templates/empty.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations: {}\n  name: empty\n---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: none\n  annotations:\ndata:\n  a: |\n    b\n\n{{- \"\" }}",
	})
	const patch = "postRenderers: [{kustomize: {images: [{name: example.org/shop, newTag: \"2\"}]}}]\n"
	const common = "commonMetadata: {annotations: {a: b}}\n"
	for spec, want := range map[string]string{"": "", patch: "", common: `{"a":"b"}`, common + patch: `{"a":"b"}`} {
		found := objectsOf(t, mustRender(t, spec, chart).Text)
		for _, name := range []string{"ConfigMap empty", "ConfigMap none"} {
			if got := at(t, found[name], "metadata", "annotations"); got != cmp.Or(want, "null") {
				t.Errorf("%s: %s has the annotations %s", spec, name, got)
			}
			meta, _ := found[name]["metadata"].(map[string]any)
			if _, has := meta["annotations"]; has != (want != "") {
				t.Errorf("%s: %s has the field: %t", spec, name, has)
			}
		}
		if got := at(t, found["ConfigMap none"], "data", "a"); got != `"b"` {
			t.Errorf("%s: the value at the end of the template is %s", spec, got)
		}
	}
}

func TestPatchesAndImagesAreAppliedInTheirOrder(t *testing.T) {
	t.Parallel()
	out := mustRender(t, `postRenderers:
- kustomize:
    patches:
    - patch: |
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: apps}
        spec: {replicas: 3}
    - target: {kind: Job, name: migrate}
      patch: |
        - {op: add, path: /metadata/annotations/patched, value: "yes"}
    - target: {kind: Service}
      patch: |
        $patch: delete
        apiVersion: v1
        kind: Service
        metadata: {name: one}
- {}
- kustomize:
    images: [{name: example.org/shop, newName: mirror.example.org/shop, digest: "sha256:abc"}]
    patches:
    - target: {kind: Deployment, labelSelector: "!team"}
      patch: |
        - {op: replace, path: /spec/replicas, value: 4}
`, shop)
	found := objectsOf(t, out.Text)
	if got := at(t, found["Deployment web"], "spec"); got != `{"replicas":4,"template":{"spec":{"containers":[`+
		`{"image":"mirror.example.org/shop@sha256:abc","name":"main"}]}}}` {
		t.Errorf("the Deployment is %s", got)
	}
	if got := at(t, found["Job migrate"], "metadata", "annotations"); got != `{"helm.sh/hook":"pre-install","patched":"yes"}` {
		t.Errorf("the hook has %s", got)
	}
	if found["Service one"] != nil {
		t.Error("a deleted object is there")
	}
	if strings.Contains(string(out.Text), "postrender-filename") {
		t.Errorf("Helm's own annotation is left:\n%s", out.Text)
	}
}

func TestAPatchSeesTheAnnotationThatHelmAdds(t *testing.T) {
	t.Parallel()
	out := mustRender(t, `postRenderers:
- kustomize:
    patches:
    - target: {kind: Deployment}
      patch: |
        - {op: add, path: /metadata/annotations/a, value: "1"}
    - target: {kind: ConfigMap}
      patch: |
        - {op: add, path: /metadata/annotations, value: {only: this}}
`, shop)
	found := objectsOf(t, out.Text)
	if got := at(t, found["Deployment web"], "metadata", "annotations"); got != `{"a":"1"}` {
		t.Errorf("the Deployment has %s", got)
	}
	if got := at(t, found["ConfigMap web-config"], "metadata", "annotations"); got != `{"only":"this"}` {
		t.Errorf("the ConfigMap has %s", got)
	}
}

func TestTheStrategySaysWhatIsPostRenderedTogether(t *testing.T) {
	t.Parallel()
	const patch = `postRenderers:
- kustomize:
    patches:
    - target: {name: migrate}
      patch: |
        - {op: add, path: /metadata/annotations/patched, value: "yes"}
`
	account := "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: migrate\n"
	chart := with(shop, map[string]string{
		"templates/account.yaml":      account,
		"templates/hook-account.yaml": account + "  annotations: {helm.sh/hook: pre-install}\n",
	})
	for _, row := range []struct {
		strategy, job string // the hook's annotations; "" for an error
	}{
		{"", ""},
		{"combined", ""},
		{"separate", `{"helm.sh/hook":"pre-install","patched":"yes"}`},
		{"nohooks", `{"helm.sh/hook":"pre-install"}`},
	} {
		for _, step := range []string{"", patch} {
			spec := step
			if row.strategy != "" {
				spec += "postRenderStrategy: " + row.strategy + "\n"
			}
			r := parseRelease(t, spec)
			out, err := renderRelease(t, r, release.Chart{Path: write(t, chart)}, nil, render.Request{})
			if row.job == "" {
				if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "ServiceAccount migrate is rendered twice") ||
					!strings.Contains(err.Error(), "shop/templates/hook-account.yaml") ||
					!strings.Contains(diag.HintOf(err), "postRenderStrategy") {
					t.Errorf("%q: got %v (%s)", spec, err, diag.HintOf(err))
				}
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", spec, err)
				continue
			}
			_, job, _ := strings.Cut(string(out.Text), "# Source: shop/templates/hook.yaml\n")
			job, _, _ = strings.Cut(job, "---\n")
			if patched := strings.Contains(job, "patched:"); patched != (step != "" && row.strategy == separate) {
				t.Errorf("%q: the hook is\n%s", spec, job)
			}
			if labelled := strings.Contains(job, "fluxcd.io"); labelled != (row.strategy == separate) {
				t.Errorf("%q: the hook is\n%s", spec, job)
			}
		}
	}
}

const separate = "separate"

func TestASecondRenderIsChangedLikewise(t *testing.T) {
	t.Parallel()
	chart := with(shop, map[string]string{"templates/random.yaml": "apiVersion: v1\nkind: Secret\n" +
		"metadata: {name: random}\nstringData: {key: {{ randAlphaNum 20 }}}\n"})
	for _, spec := range []string{"", "postRenderers:\n- kustomize:\n    images: [{name: x, newTag: v2}]\n"} {
		out := mustRender(t, spec, chart)
		if out.SecondRender == nil {
			t.Fatal("there is no second render")
		}
		first, second := objectsOf(t, out.Text), objectsOf(t, out.SecondRender)
		if len(first) != len(second) || at(t, first["Secret random"], "stringData") == at(t, second["Secret random"], "stringData") {
			t.Errorf("%q: the second render is\n%s", spec, out.SecondRender)
		}
		if got := at(t, second["Secret random"], "metadata", "labels"); got != "{"+originLabels+"}" {
			t.Errorf("%q: the second render has the labels %s", spec, got)
		}
	}
}

func TestADocumentWithAnchorsIsEncodedAgain(t *testing.T) {
	t.Parallel()
	out := mustRender(t, "", with(shop, map[string]string{"templates/anchor.yaml": "apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: &m\n  name: anchored\n  labels: &l {a: b}\n  annotations: *l\n"}))
	got := at(t, objectsOf(t, out.Text)["ConfigMap anchored"], "metadata")
	if got != `{"annotations":{"a":"b"},"labels":{"a":"b",`+originLabels+`},"name":"anchored"}` {
		t.Errorf("it has %s", got)
	}
}

// A character beyond the first 65,536 keeps its document from being changed in place, as printed by kustomize, too.
func TestADocumentWithAnEmojiIsPatched(t *testing.T) {
	t.Parallel()
	for annotations, want := range map[string]string{
		"":                               `{"labels":{` + originLabels + `},"name":"lock"}`,
		"  annotations: {note: \"🔑\"}\n": `{"annotations":{"note":"🔑"},"labels":{` + originLabels + `},"name":"lock"}`,
	} {
		out := mustRender(t, "postRenderers:\n- kustomize:\n    images: [{name: example.org/shop, newTag: \"2\"}]\n",
			with(shop, map[string]string{"templates/lock.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: lock\n" +
				annotations + "data:\n  a.json: |-\n    {\"title\": \"🔐 closed\"}\n"}))
		found := objectsOf(t, out.Text)["ConfigMap lock"]
		if got := at(t, found, "metadata"); got != want {
			t.Errorf("it has %s", got)
		}
		if got := at(t, found, "data", "a.json"); got != `"{\"title\": \"🔐 closed\"}"` {
			t.Errorf("it holds %s", got)
		}
	}
}

func TestWhatKustomizeRefusesIsAnErrorOfTheRelease(t *testing.T) {
	t.Parallel()
	nameless := with(shop, map[string]string{"templates/x.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}\n"})
	kindless := with(shop, map[string]string{"templates/x.yaml": "apiVersion:\nkind:\nmetadata: {name: x}\n"})
	for _, row := range []struct {
		spec  string
		chart map[string]string
		want  string
	}{
		{"", nameless, "Pod of shop/templates/x.yaml has no metadata.name"},
		{"", kindless, "what shop/templates/x.yaml renders has no kind"},
		{"postRenderers:\n- kustomize:\n    patches:\n    - patch: '[{\"op\": \"remove\", \"path\": \"/a\"}]'\n", shop,
			"must specify a target for JSON patch"},
		{"postRenderers:\n- kustomize: {images: []}\n- kustomize:\n    patches:\n" +
			"    - {target: {kind: Job}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"x\": \"1\"}}]'}\n" +
			"    - {target: {kind: Job}, patch: '[{\"op\": \"test\", \"path\": \"/metadata/labels/x\", \"value\": \"2\"}]'}\n", shop,
			"spec.postRenderers[1].kustomize.patches[1]: testing value /metadata/labels/x failed"},
		{"postRenderers:\n- kustomize:\n    patches:\n    - patch: 'hunter2: ['\n", shop, "post-render: "},
	} {
		r := parseRelease(t, row.spec)
		_, err := renderRelease(t, r, release.Chart{Path: write(t, row.chart)}, nil, render.Request{})
		if err == nil || diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), row.want) ||
			!strings.HasPrefix(err.Error(), "HelmRelease apps/web: release.yaml:1: post-render: ") ||
			diag.HintOf(err) == "" || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "helm-output") {
			t.Errorf("%q: got %v", row.spec, err)
		}
	}
}
