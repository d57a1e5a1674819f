// Package contract holds what we do as a plugin against what Argo CD's plugin server does with plugins: the real one,
// with our program behind it, and ours in its place. Each test runs on both, and expects the same.
package contract

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

func TestMain(m *testing.M) {
	parts.Main(m, map[string]parts.Command{parts.CMPServer: cmpserver.NewCommand})
}

// sidecar is how a test wants its plugin server.
type sidecar struct {
	args   []string            // of our command, behind `generate` or `serve`
	env    []string            // beyond what every sidecar has
	plugin func(*parts.Plugin) // what else its plugin.yaml says
}

// both runs a test on Argo CD's plugin server with our program as its plugin, and on ours.
func both(t *testing.T, with sidecar, test func(*testing.T, *parts.Server)) {
	t.Helper()
	t.Run("behind argocd-cmp-server", func(t *testing.T) { test(t, behind(t, with)) })
	t.Run("rollstamp argocd serve", func(t *testing.T) {
		test(t, parts.StartServe(t, "rollstamp", with.args, parts.Sidecar{Env: with.env}))
	})
}

// behind starts Argo CD's plugin server with our program as its plugin.
func behind(t *testing.T, with sidecar) *parts.Server {
	t.Helper()
	plugin := parts.Ours(with.args...)
	if with.plugin != nil {
		with.plugin(&plugin)
	}
	return parts.StartCMP(t, plugin, parts.Sidecar{Env: with.env})
}

// shop asks for the application that is the root of a tree.
func shop(repo string) parts.Call { return parts.Call{Application: parts.Shop(), Repo: repo} }

// at asks for the application in a folder of a tree.
func at(repo, path string) parts.Call {
	c := shop(repo)
	c.Path = path
	return c
}

// with adds a parameter to a call.
func with(c parts.Call, name string, value any) parts.Call {
	c.Application = c.With(name, value)
	return c
}

// render asks for manifests that there have to be, and returns them by "Kind name".
func render(t *testing.T, s *parts.Server, c parts.Call) map[string]*unstructured.Unstructured {
	t.Helper()
	manifests, err := s.Generate(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, manifests)
}

// objects reads manifests as the repo-server does, and returns the objects by "Kind name".
func objects(t *testing.T, manifests []string) map[string]*unstructured.Unstructured {
	t.Helper()
	out := map[string]*unstructured.Unstructured{}
	for _, object := range inOrder(t, manifests) {
		name := object.GetKind() + " " + object.GetName()
		if out[name] != nil {
			t.Fatalf("two objects %s", name)
		}
		out[name] = object
	}
	return out
}

// inOrder reads manifests as the repo-server does.
func inOrder(t *testing.T, manifests []string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for _, text := range manifests {
		found, err := kube.SplitYAML([]byte(text))
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		out = append(out, found...)
	}
	return out
}

// refused asks for manifests that there must not be, and returns what the application's condition in the UI will say.
func refused(t *testing.T, s *parts.Server, c parts.Call) string {
	t.Helper()
	manifests, err := s.Generate(t, c)
	if err == nil {
		t.Fatalf("an answer of %d manifests, want an error:\n%.2000s", len(manifests), strings.Join(manifests, "\n---\n"))
	}
	if len(err.Error()) > 3000 {
		t.Errorf("the error has %d bytes, too much for a condition", len(err.Error()))
	}
	for _, folder := range []string{s.Work, filepath.Dir(s.Home)} {
		if ours, _, _ := strings.Cut(err.Error(), "; hint"); strings.Contains(ours, folder) {
			t.Errorf("the error names a temporary folder, %s:\n%v", folder, err)
		}
	}
	return err.Error()
}

// says fails the test where a text lacks one of the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in:\n%s", word, text)
		}
	}
}

// hides fails the test where a text holds one of the words.
func hides(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("%q in:\n%s", word, text)
		}
	}
}

// stamps are the annotations of ours in a workload's pod template.
func stamps(workload *unstructured.Unstructured) map[string]string {
	if workload == nil {
		return nil
	}
	all, _, _ := unstructured.NestedStringMap(workload.Object, "spec", "template", "metadata", "annotations")
	out := map[string]string{}
	for key, value := range all {
		if strings.HasPrefix(key, "checksum.rollstamp.dev/") {
			out[key] = value
		}
	}
	return out
}

// field is a field of an object as text, or "<nil>".
func field(object *unstructured.Unstructured, path ...string) string {
	if object == nil {
		return "no such object"
	}
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	return fmt.Sprint(value)
}

func keys[V any](m map[string]V) []string {
	var out []string
	for key := range m {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// rollstamp runs our program by itself in a folder, with a call's environment, and nothing on its standard input.
func rollstamp(t *testing.T, c parts.Call, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(process.Rollstamp(t), args...)
	cmd.Dir = filepath.Join(c.Repo, c.Path)
	cmd.Env = append(c.Environ(t), "HOME="+folder.Empty(t), "PATH=/nowhere")
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	err = cmd.Run()
	return out.String(), diagnostics.String(), err
}

// web is a workload that reads one ConfigMap, and the ConfigMap.
const web = `
-- settings.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LOG_LEVEL: info}
-- web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1
          envFrom: [{configMapRef: {name: settings}}]
`

// chart is a chart that says what it was rendered with.
const chart = `
-- Chart.yaml --
apiVersion: v2
name: shop
version: 1.0.0
-- values.yaml --
greeting: hello
-- templates/facts.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: facts}
data:
  release: {{ .Release.Name | quote }}
  namespace: {{ .Release.Namespace | quote }}
  greeting: {{ .Values.greeting | quote }}
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
  widgets: {{ .Capabilities.APIVersions.Has "example.com/v1/Widget" | quote }}
`
