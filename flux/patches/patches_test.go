package patches_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

const (
	kustomization = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
	release       = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
)

var template = []string{"spec", "template", "metadata", "annotations"}

// deployment returns the stamps of a Deployment with one digest.
func deployment(name, digest string) patches.Stamps {
	return patches.Stamps{APIVersion: "apps/v1", Kind: "Deployment", Name: name, Places: []patches.Place{{
		Path: template, Set: []patches.Annotation{{Key: "checksum.rollstamp.dev/configmap." + name, Value: digest}},
	}}}
}

// write returns a text in which every object has these stamps.
func write(t *testing.T, text string, stamps ...patches.Stamps) string {
	t.Helper()
	out, err := patches.File([]byte(text), "ks.yaml", hashing.Prefix{},
		func(manifest.Object) ([]patches.Stamps, bool) { return stamps, true })
	if err != nil {
		t.Fatal(err)
	}
	return string(splice.Bytes([]byte(text), out))
}

func remove(t *testing.T, text string) string {
	t.Helper()
	out, err := patches.Remove([]byte(text), "ks.yaml", hashing.Prefix{})
	if err != nil {
		t.Fatal(err)
	}
	return string(splice.Bytes([]byte(text), out))
}

func TestAKustomizationGetsAPatchForEachWorkload(t *testing.T) {
	const before = `# The shop.
` + kustomization + `metadata:
  name: shop   # ours
spec:
  # How often.
  interval: 10m
  path: ./apps/shop
`
	const after = `# The shop.
` + kustomization + `metadata:
  name: shop   # ours
spec:
  # How often.
  patches:
    - patch: |
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
        spec:
          template:
            metadata:
              annotations:
                checksum.rollstamp.dev/configmap.web: v1-1
      target:
        group: apps
        kind: Deployment
        name: web
    - patch: |
        apiVersion: batch/v1
        kind: CronJob
        metadata:
          name: ${app}-clean
          namespace: jobs
        spec:
          jobTemplate:
            spec:
              template:
                metadata:
                  annotations:
                    checksum.rollstamp.dev/secret.db: v1k-2
                    checksum/config: null
      target:
        group: batch
        kind: CronJob
        name: "[$][{]app[}]-clean"
        namespace: jobs
  interval: 10m
  path: ./apps/shop
`
	job := patches.Stamps{APIVersion: "batch/v1", Kind: "CronJob", Name: "${app}-clean", Namespace: "jobs",
		Places: []patches.Place{{Path: append([]string{"spec", "jobTemplate"}, template...),
			Set:    []patches.Annotation{{Key: "checksum.rollstamp.dev/secret.db", Value: "v1k-2"}},
			Remove: []string{"checksum/config"}}}}
	want := strings.Replace(after, "name: ${app}-clean", "name: app-clean", 1)
	got := write(t, before, deployment("web", "v1-1"), job)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := write(t, got, deployment("web", "v1-1"), job); again != got {
		t.Errorf("a second time it becomes\n%s", again)
	}
	loose := strings.Replace(got, `"[$][{]app[}]-clean"`, "..app.-clean", 1)
	if again := write(t, loose, deployment("web", "v1-1"), job); again != got {
		t.Errorf("from a target that fits others, too, it becomes\n%s", again)
	}
	if back := remove(t, got); back != before {
		t.Errorf("without the patches it is\n%s", back)
	}
	changed := write(t, got, deployment("web", "v1-9"), job)
	if changed != strings.Replace(got, "configmap.web: v1-1", "configmap.web: v1-9", 1) {
		t.Errorf("another digest moves more than its line:\n%s", changed)
	}
	if fewer := write(t, got, deployment("web", "v1-1")); fewer != write(t, before, deployment("web", "v1-1")) {
		t.Errorf("without the job it is\n%s", fewer)
	}
}

func TestPatchesOfOthersStay(t *testing.T) {
	const before = kustomization + `metadata: {name: shop}
spec:
  patches:
    # Ours are not these.
    - patch: |
        - op: add
          path: /spec/template/metadata/annotations/checksum.rollstamp.dev~1mine
          value: x
      target: {kind: Deployment}
    - patch: |-
        kind: Deployment
        apiVersion: apps/v1
        metadata: {name: web}
        spec: {replicas: 3, template: {metadata: {annotations: {checksum.rollstamp.dev/configmap.web: v1-0}}}}
  prune: true
`
	got := write(t, before, deployment("web", "v1-1"))
	if !strings.Contains(got, "v1-0") || !strings.Contains(got, "      target:\n        group: apps") {
		t.Errorf("got\n%s", got)
	}
	if back := remove(t, got); back != before {
		t.Errorf("without the patches it is\n%s", back)
	}
}

func TestAHelmReleaseGetsARendererOfItsOwn(t *testing.T) {
	for _, before := range []string{
		release + "metadata: {name: web}\nspec:\n  chart: {spec: {chart: web}}\n",
		release + "metadata: {name: web}\nspec:\n  postRenderers:\n  - kustomize:\n      images: [{name: a, newTag: b}]\n  # end\n  interval: 1m\n",
		release + "metadata: {name: web}\nspec:\n  postRenderers: []\n",
		release + "metadata: {name: web}\nspec: {interval: 1m}\n",
		`{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"name":"web"},"spec":{"interval":"1m"}}`,
	} {
		got := write(t, before, deployment("web", "v1-1"), deployment("worker", "v1-2"))
		var o struct{ Spec struct{ PostRenderers []any } }
		if err := yaml.Unmarshal([]byte(got), &o); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		last, _ := o.Spec.PostRenderers[len(o.Spec.PostRenderers)-1].(map[string]any)
		renderer, _ := last["kustomize"].(map[string]any)
		if list, _ := renderer["patches"].([]any); len(list) != 2 || len(renderer) != 1 {
			t.Errorf("got\n%s", got)
		}
		if again := write(t, got, deployment("web", "v1-1"), deployment("worker", "v1-2")); again != got {
			t.Errorf("a second time it becomes\n%s", again)
		}
		more := write(t, got, deployment("web", "v1-1"), deployment("worker", "v1-2"), deployment("third", "v1-3"))
		if back := remove(t, more); back != before {
			t.Errorf("without the patches it is\n%s\nand was\n%s", back, before)
		}
		if fewer := write(t, more, deployment("worker", "v1-2")); fewer != write(t, before, deployment("worker", "v1-2")) {
			t.Errorf("with one of three it is\n%s", fewer)
		}
	}
}

func TestAnchorsElsewhereInTheObjectStay(t *testing.T) {
	const before = kustomization + `metadata:
  name: &app shop
  labels: &l {a: b}
spec:
  commonMetadata:
    labels:
      <<: *l
      app.kubernetes.io/name: *app   # ä
  postBuild: {substitute: {APP: *app}}
`
	got := write(t, before, deployment("web", "v1-1"))
	if !strings.HasPrefix(got, before[:strings.Index(before, "  commonMetadata")]+"  patches:\n") {
		t.Errorf("got\n%s", got)
	}
	if next := write(t, got, deployment("web", "v1-2")); next != strings.Replace(got, "v1-1", "v1-2", 1) {
		t.Errorf("another digest makes\n%s", next)
	}
	if back := remove(t, got); back != before {
		t.Errorf("without the patches it is\n%s", back)
	}
}

func TestTagsElsewhereInTheObjectStay(t *testing.T) {
	const before = kustomization + `metadata:
  !!str name: &app shop
  labels: &l !!map {a: b, !!str c: !!str 1}
spec:
  commonMetadata:
    labels:
      !!merge <<: *l
      &key app.kubernetes.io/name: !!str &port 8080   # ä
  postBuild: {substitute: {APP: !!str x, PORT: *port}}
`
	got := write(t, before, deployment("web", "v1-1"))
	if !strings.HasPrefix(got, before[:strings.Index(before, "  commonMetadata")]+"  patches:\n") {
		t.Errorf("got\n%s", got)
	}
	if next := write(t, got, deployment("web", "v1-2")); next != strings.Replace(got, "v1-1", "v1-2", 1) {
		t.Errorf("another digest makes\n%s", next)
	}
	if back := remove(t, got); back != before {
		t.Errorf("without the patches it is\n%s", back)
	}
}

func TestTabsBetweenWordsStay(t *testing.T) {
	for _, spec := range []string{
		"spec:\t# the team's\n  path: ./apps\t\n",
		"spec:\n  path:\t./apps\t# here\n  wait: true\n",
		"spec:\n  patches:\t# of others\n  - patch: |\n      a:\tb\t\n    target:\t{kind: Job\t}\n",
		"spec:\n  patches: [\t]\t# none\n",
		"spec: {path: ./apps,\twait: true\t}\t# one line\n",
	} {
		before := kustomization + "metadata:\t{name: shop}\n" + spec
		got := write(t, before, deployment("web", "v1-1"))
		var read struct {
			Spec struct{ Patches []struct{ Patch string } }
		}
		if err := yaml.Unmarshal([]byte(got), &read); err != nil || len(read.Spec.Patches) == 0 ||
			!strings.Contains(read.Spec.Patches[len(read.Spec.Patches)-1].Patch, "configmap.web: v1-1") {
			t.Errorf("%v of\n%s", err, got)
		}
		if next := write(t, got, deployment("web", "v1-2")); next != strings.Replace(got, "v1-1", "v1-2", 1) {
			t.Errorf("another digest makes\n%s", next)
		}
		if back := remove(t, got); back != before {
			t.Errorf("without the patches it is\n%q, want\n%q", back, before)
		}
	}
	const null = kustomization + "metadata: {name: shop}\nspec:\n  wait: true\n  patches:\t# none yet\n"
	if got := write(t, null, deployment("web", "v1-1")); !strings.HasPrefix(got, null) {
		t.Errorf("got\n%s", got)
	}
}

func TestWhatCannotBeEditedIsAnErrorWithItsPlace(t *testing.T) {
	for _, text := range []string{
		kustomization + "metadata: {name: a}\nspec:\n  x: &p []\n  patches: *p\n",
		kustomization + "metadata: {name: a}\nspec: &s\n  x: 1\nother: *s\n",
		kustomization + "metadata: {name: a}\nspec:\n  <<: &m {patches: []}\n",
		kustomization + "metadata: {name: a}\nspec:\n  patches: 1\n",
		kustomization + "metadata: {name: a}\n",
	} {
		edits, err := patches.File([]byte("---\n"+text), "ks.yaml", hashing.Prefix{},
			func(manifest.Object) ([]patches.Stamps, bool) {
				return []patches.Stamps{deployment("web", "v1-1")}, true
			})
		var known *diag.Error
		if !errors.As(err, &known) || known.Pos != (diag.Position{File: "ks.yaml", Line: 2}) ||
			known.Object != "Kustomization a" || known.Exit != diag.ExitInput {
			t.Errorf("%q: %v, %v", text, err, edits)
		}
	}
}

func TestObjectsOfOthersStay(t *testing.T) {
	const text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nspec: {}\n---\nkind: Kustomization\napiVersion: v1\n"
	if got := write(t, text, deployment("web", "v1-1")); got != text {
		t.Errorf("got\n%s", got)
	}
}

// styles are objects in the styles that people write them in.
var styles = []string{
	kustomization + "metadata: {name: a}\nspec:\n  path: x\n",
	kustomization + "spec:\n  patches:\n  - patch: |\n      kind: X\n    target: {kind: X}\n  - patch: 'y'\n  # end\n  path: x",
	kustomization + "spec:\n  patches: []\n  path: x\n",
	kustomization + "spec: {path: x, patches: [{patch: y}]}\n",
	kustomization + "spec:\r\n  path: x\r\n  patches:\r\n    - patch: y\r\n",
	kustomization + "metadata: {name: &a b}\nspec:\n  a: *a\n  patches:\n    - patch: *a\n",
	release + "spec:\n  interval: 1m\n",
	release + "spec:\n  postRenderers:\n    - kustomize:\n        patches:\n          - patch: |\n              x\n            target: {}\n    - other: {}\n",
	release + "spec:\n  postRenderers:\n    - kustomize: {images: []}\n    - kustomize: {patches: []}\n",
	`{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","spec":{"postRenderers":[{"kustomize":{"patches":[{"patch":"x"}]}}]}}`,
	`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","spec":{"x":1}}`,
}

func FuzzPatchesComeAndGo(f *testing.F) {
	for i, text := range styles {
		f.Add([]byte(text), uint8(i), "web", "a b", "v1-0", "v1-1")
		f.Add([]byte(text), uint8(3*i), "${x}", "x", "\n", "true")
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8, one, two, first, second string) {
		if !isObject(text) || one == "" || two == "" || !utf8.ValidString(one+two+first+second) || strings.Contains(string(text), "rollstamp") {
			return
		}
		var wanted []patches.Stamps
		for i, name := range []string{one, two, one + "-" + two} {
			if which&(1<<i) != 0 {
				wanted = append(wanted, deployment(name, first))
			}
		}
		once, ok := put(t, text, wanted)
		if !ok {
			return
		}
		if again, ok := put(t, once, wanted); !ok || string(again) != string(once) {
			t.Fatalf("a second time\n%q\nbecomes\n%q", once, again)
		}
		other, ok := put(t, once, []patches.Stamps{deployment(two, second)})
		if !ok {
			t.Fatalf("it does not take others:\n%q", once)
		}
		for _, with := range [][]byte{once, other} {
			edits, err := patches.Remove(with, "x", hashing.Prefix{})
			if err != nil {
				t.Fatalf("%v\n%q", err, with)
			}
			bare := splice.Bytes(with, edits)
			if string(bare) != string(text) {
				t.Fatalf("%q\nbecomes\n%q\nand without patches\n%q", text, with, bare)
			}
		}
	})
}

// put returns a text whose objects have these stamps, and whether they take them.
func put(t *testing.T, text []byte, wanted []patches.Stamps) ([]byte, bool) {
	edits, err := patches.File(text, "x", hashing.Prefix{}, func(manifest.Object) ([]patches.Stamps, bool) { return wanted, true })
	if err != nil {
		return nil, false
	}
	out := splice.Bytes(text, edits)
	if !isObject(out) {
		t.Fatalf("%q\nis no YAML any more:\n%q", text, out)
	}
	return out, true
}

// isObject reports whether a text is a document that Kubernetes reads.
func isObject(text []byte) bool {
	var o struct{ Spec map[string]any }
	d, err := manifest.Parse(text)
	if err != nil || d.End != len(text) || len(d.Duplicates()) > 0 ||
		yaml.UnmarshalStrict(d.Body(), &map[string]any{}) != nil || yaml.Unmarshal(d.Body(), &o) != nil || o.Spec == nil {
		return false
	}
	return true
}
