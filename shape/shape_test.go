package shape_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/shape"
)

// settingsOf returns the settings of a configuration file.
func settingsOf(t testing.TB, text string) *config.Settings {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	place, err := config.Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := config.Resolve(config.Inputs{Place: place, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const everything = `
bindings:
- {match: {name: "*"}, kind: Secret, name: all, as: envFrom}
- {match: {name: "*"}, kind: ConfigMap, name: some, as: env, keys: [A, B], prefix: X_, containers: ["*"]}
- {match: {name: "*"}, kind: ConfigMap, name: ca, as: volume, mountPath: /etc/ca, keys: [ca.crt]}
replicate:
- {kind: ConfigMap, name: shared, to: {names: [a, b]}}
order: [{name: nothing-else}]
waves: argocd
`

// add returns a render with what settings add.
func add(s *config.Settings, out *render.Output) (*render.Output, error) {
	for _, transform := range shape.Transforms(s, nil) {
		var err error
		if out, err = transform(context.Background(), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func remove(t testing.TB, s *config.Settings, out *render.Output) string {
	t.Helper()
	edits, err := shape.Remove(context.Background(), out.Text, s)
	if err != nil {
		t.Fatalf("%v in\n%s", err, out.Text)
	}
	return string(out.Edit(edits, nil).Text)
}

// workloads are pods in many styles of YAML.
var workloads = map[string]string{
	"block":          "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: x\n",
	"indented items": "spec:\n  template:\n    spec:\n      containers:\n        - image: x # one\n          name: c\n",
	"lists that are there": "spec:\n  template:\n    spec:\n      volumes:\n      - name: v\n        emptyDir: {}\n      containers:\n" +
		"      - name: c\n        env:\n        - {name: E, value: f}\n        envFrom:\n          - configMapRef:\n              name: z\n" +
		"        volumeMounts: [{name: v, mountPath: /v}]\n",
	"empty lists":      "spec:\n  template:\n    spec:\n      volumes: []\n      containers:\n      - name: c\n        env: []\n        envFrom: [ ]\n",
	"braces":           "spec: {template: {spec: {containers: [{name: c, image: x}]}}}\n",
	"an annotation":    "spec: {template: {spec: {containers: [{name: c}]}}}\nmetadata: {name: w, annotations: {a: b}}\n",
	"no line break":    "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: x",
	"init containers":  "spec:\n  template:\n    spec:\n      initContainers:\n      - name: i\n      containers:\n      - name: c\n      - name: d\n",
	"quoted":           "spec:\n  template:\n    spec:\n      containers:\n      - \"name\": 'c'\n        command: [sh, -c, \"a\"]\n",
	"a literal at end": "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        args:\n        - |\n          a\n          b\n",
}

const head = "apiVersion: apps/v1\nkind: Deployment\n"

func named(text string) string {
	if strings.Contains(text, "metadata:") {
		return head + text
	}
	return head + "metadata:\n  name: w\n" + text
}

const shared = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared, namespace: p, labels: {l: \"1\"}}\ndata:\n  k: |\n    a\n    b\n"

func TestWhatWasAddedIsTakenOutByteForByte(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	for name, text := range workloads {
		for where, all := range map[string]string{
			"alone": named(text), "behind": shared + "---\n" + named(text),
			"before": strings.TrimSuffix(named(text), "\n") + "\n---\n" + shared,
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				out, err := add(s, &render.Output{Text: []byte(all)})
				if err != nil {
					t.Fatal(err)
				}
				got := string(out.Text)
				for _, want := range []string{"name: all", "X_A", "/etc/ca", "key: ca.crt"} {
					if !strings.Contains(got, want) {
						t.Errorf("%s is not in\n%s", want, got)
					}
				}
				if copies := strings.Count(got, shape.CopyMark); where != "alone" && copies != 2 {
					t.Errorf("there are %d copies in\n%s", copies, got)
				}
				if bare := remove(t, s, out); bare != all {
					t.Errorf("after all there is\n%s\nof\n%s", bare, got)
				}
			})
		}
	}
}

func TestANullListIsNullAgain(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	text := named("spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        env:\n        envFrom: null\n")
	out, err := add(s, &render.Output{Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if bare := remove(t, s, out); !reflect.DeepEqual(objectsOf(t, bare), objectsOf(t, text)) {
		t.Errorf("after all there is\n%s", bare)
	}
}

func TestADocumentThatCannotBeChangedInPlaceIsEncodedAgain(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	text := named("spec:\n  template:\n    spec:\n      containers:\n      - &c\n        name: c\n        image: x\n")
	s.Replicate.Value = nil
	out, err := add(s, &render.Output{Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Findings) != 1 || out.Findings[0].Code != "document-reencoded" {
		t.Errorf("found %v", out.Findings)
	}
	if bare := remove(t, s, out); !reflect.DeepEqual(objectsOf(t, bare), objectsOf(t, text)) {
		t.Errorf("after all there is\n%s", bare)
	}
}

// objectsOf decodes the documents of a text.
func objectsOf(t testing.TB, text string) (out []any) {
	t.Helper()
	for d, err := range manifest.Documents([]byte(text), "") {
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := yaml.Unmarshal(d.Body(), &v); err != nil {
			t.Skip(err)
		}
		out = append(out, v)
	}
	return out
}

func TestAListGetsItsCopiesAsItems(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	text := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: shared, namespace: p}\n" +
		"  data: {a: b}\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: w}\n" +
		"  spec: {template: {spec: {containers: [{name: c}]}}}\n"
	out, err := add(s, &render.Output{Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := manifest.Parse(out.Text)
	if err != nil || d.Root().Get("items").Len() != 4 {
		t.Fatalf("%v in\n%s", err, out.Text)
	}
	if bare := remove(t, s, out); bare != text {
		t.Errorf("after all there is\n%s", bare)
	}
}

func TestTheSecondRenderGetsTheSame(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	second := strings.Replace(shared, "    a\n", "    c\n", 1)
	out, err := add(s, &render.Output{Text: []byte(shared), SecondRender: []byte(second)})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(out.Text), "    a\n", "    c\n"); string(out.SecondRender) != want {
		t.Errorf("the second render is\n%s", out.SecondRender)
	}
}

// What a variable of Flux put into an object is hidden in its copies, too.
func TestWhatIsHiddenIsHiddenInCopies(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	values := redact.NewValues("b")
	out, err := add(s, &render.Output{Text: []byte(named(workloads["block"]) + "---\n" + shared),
		Hidden: []render.Hidden{{Offset: len(named(workloads["block"])) + len("---\n"), Values: values,
			Places: []render.HiddenPlace{{Path: []any{"data", "k"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	hidden := 0
	for d, err := range manifest.Documents(out.Text, "") {
		if err != nil {
			t.Fatal(err)
		}
		if in := out.Embedded(d.Start, d.End); (in != nil) != d.Root().At("data", "k").Valid() {
			t.Errorf("in\n%s\nthere is %v hidden", d.Bytes(), in)
		} else if in != nil {
			hidden++
		}
	}
	if hidden != 3 {
		t.Errorf("%d documents have something hidden", hidden)
	}
}

func TestWhatCannotBeReplicatedIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, text, want string }{
		"an object in the way": {"replicate: [{kind: ConfigMap, name: shared, namespace: p, to: {names: [a]}}]",
			shared + "---\n" + strings.Replace(shared, "namespace: p", "namespace: a", 1), "ConfigMap/a/shared is in the render already"},
		"two of one name": {"replicate: [{kind: ConfigMap, name: shared, to: {names: [a]}}]",
			shared + "---\n" + strings.Replace(shared, "namespace: p", "namespace: q", 1), "both ConfigMap/p/shared and ConfigMap/q/shared"},
		"SOPS": {"replicate: [{kind: Secret, name: s, to: {names: [a]}}]",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: p}\nsops: {mac: x}\n", "cannot be decrypted in another"},
		"a strict SealedSecret": {"replicate: [{kind: SealedSecret, name: s, to: {names: [a]}}]",
			"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s, namespace: p}\n", "cluster-wide scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := add(settingsOf(t, c.settings), &render.Output{Text: []byte(c.text)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func FuzzWhatWasAddedIsTakenOut(f *testing.F) {
	for _, text := range workloads {
		f.Add([]byte(shared + "---\n" + named(text)))
		f.Add([]byte(named(text)))
	}
	s := settingsOf(f, everything)
	f.Fuzz(func(t *testing.T, text []byte) { comesAndGoes(t, s, text) })
}

// comesAndGoes fails where what is added to a text does not go again, or is another one when it is added once more.
func comesAndGoes(t *testing.T, s *config.Settings, text []byte) {
	t.Helper()
	if shape.IsMarked(text) {
		return
	}
	out, err := add(s, &render.Output{Text: text})
	if err != nil {
		return
	}
	edits, err := shape.Remove(t.Context(), out.Text, s)
	if err != nil {
		t.Fatalf("%v in\n%s", err, out.Text)
	}
	bare := out.Edit(edits, nil)
	if !reflect.DeepEqual(objectsOf(t, string(bare.Text)), objectsOf(t, string(text))) {
		t.Errorf("after all there is\n%s\nfor\n%s", bare.Text, out.Text)
	}
	again, err := add(s, bare)
	if err != nil || string(again.Text) != string(out.Text) {
		t.Errorf("%v, and after adding again there is\n%s\nnot\n%s", err, again.Text, out.Text)
	}
}
