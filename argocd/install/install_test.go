package install_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/argocd/install"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/stock"
)

const image = "registry.example/rollstamp:1.2.3"

func text(t *testing.T, f install.Format) []byte {
	t.Helper()
	out, err := install.Options{Format: f, Image: image, Name: "rollstamp"}.Text()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// server is the part of Argo CD's own installation that the component changes.
const server = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: argocd-repo-server
spec:
  selector: {matchLabels: {app.kubernetes.io/name: argocd-repo-server}}
  template:
    metadata: {labels: {app.kubernetes.io/name: argocd-repo-server}}
    spec:
      containers:
      - name: argocd-repo-server
        image: quay.io/argoproj/argocd:v3.2.11
        volumeMounts:
        - {name: tmp, mountPath: /tmp}
        - {name: plugins, mountPath: /home/argocd/cmp-server/plugins}
      volumes:
      - {name: tmp, emptyDir: {}}
      - {name: plugins, emptyDir: {}}
      - {name: var-files, emptyDir: {}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: argocd-repo-server-network-policy}
spec:
  podSelector: {matchLabels: {app.kubernetes.io/name: argocd-repo-server}}
  policyTypes: [Ingress]
  ingress:
  - from: [{namespaceSelector: {}}]
    ports: [{port: 8084}]
`

type container struct {
	Name, Image  string
	Command      []string
	Env          []struct{ Name, Value string }
	VolumeMounts []struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPath"`
	} `yaml:"volumeMounts"`
}

type volume struct {
	Name      string
	ConfigMap struct{ Name string } `yaml:"configMap"`
	Secret    struct {
		SecretName string `yaml:"secretName"`
	}
}

type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Template struct {
			Spec struct {
				Containers []container
				Volumes    []volume
			}
		}
	}
}

func objects(t *testing.T, stream []byte) map[string]object {
	t.Helper()
	out := map[string]object{}
	for dec := yaml.NewDecoder(bytes.NewReader(stream)); ; {
		var o object
		if dec.Decode(&o) != nil {
			return out
		}
		out[o.Kind+"/"+o.Metadata.Name] = o
	}
}

// buildWith returns what the real kustomize makes of Argo CD's repo-server with a component.
func buildWith(t *testing.T, component []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("server.yaml", []byte(server))
	write("kustomization.yaml", []byte("namespace: argocd\nresources: [server.yaml]\ncomponents: [rollstamp]\n"))
	write("rollstamp/kustomization.yaml", component)
	var errs bytes.Buffer
	cmd := exec.Command(stock.Kustomize(t), "build", dir)
	cmd.Stderr = &errs
	built, err := cmd.Output()
	if err != nil {
		t.Fatalf("kustomize build: %v\n%s", err, errs.Bytes())
	}
	return built
}

func TestMetricsOfAServerThatStaysAreLetThrough(t *testing.T) {
	component, err := install.Options{Format: install.Kustomize, Image: "r/x:1", Name: "stamps",
		Server: install.Resident}.Text()
	if err != nil {
		t.Fatal(err)
	}
	built := string(buildWith(t, component))
	for _, want := range []string{
		"  - from:\n    - namespaceSelector: {}\n    ports:\n    - port: 8084\n  - from:\n    - namespaceSelector: {}\n" +
			"    ports:\n    - port: 8090\n      protocol: TCP\n",
		"prometheus.io/port: \"8090\"\n", "startupProbe:\n", "memory: 3Gi\n",
	} {
		if !strings.Contains(built, want) {
			t.Errorf("without %q:\n%s", want, built)
		}
	}
}

func TestTheComponentIsBuiltByTheRealKustomize(t *testing.T) {
	built := buildWith(t, text(t, install.Kustomize))
	all := objects(t, built)
	pod := all["Deployment/argocd-repo-server"].Spec.Template.Spec
	if len(pod.Containers) != 2 || len(pod.Volumes) != 8 || pod.Containers[0].Name != "argocd-repo-server" {
		t.Fatalf("the pod has %d containers and %d volumes:\n%s", len(pod.Containers), len(pod.Volumes), built)
	}
	files := map[string]string{}
	for _, v := range pod.Volumes {
		if name := v.ConfigMap.Name; name != "" {
			o, ok := all["ConfigMap/"+name]
			if !ok {
				t.Errorf("volume %s names the ConfigMap %s, which was not built", v.Name, name)
			}
			for k, v := range o.Data {
				files[k] = v
			}
		}
	}
	checkPlugin(t, files["plugin.yaml"])
	checkPolicy(t, files["policy.yaml"])
}

func checkPlugin(t *testing.T, text string) {
	t.Helper()
	var p struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Generate   struct{ Command []string }
			Parameters struct{ Dynamic struct{ Command []string } }
			Discover   any
		}
	}
	if err := yaml.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if p.Kind != "ConfigManagementPlugin" || p.Metadata.Name != "rollstamp" || p.Spec.Discover != nil ||
		strings.Join(p.Spec.Generate.Command, " ") != "/usr/local/bin/rollstamp argocd generate" ||
		strings.Join(p.Spec.Parameters.Dynamic.Command, " ") != "/usr/local/bin/rollstamp argocd parameters" {
		t.Errorf("the plugin's file is\n%s", text)
	}
}

func checkPolicy(t *testing.T, text string) {
	t.Helper()
	var p map[string][]string
	if err := yaml.Unmarshal([]byte(text), &p); err != nil || len(p) != 1 || p["allow"] == nil || len(p["allow"]) != 0 {
		t.Errorf("the policy is %v (%v):\n%s", p, err, text)
	}
}

func TestTheCommandIsWhereTheImageHasIt(t *testing.T) {
	// The image itself is tested there; this is what the sidecar relies on.
	var source []byte
	for _, name := range []string{"image.go", "layer.go"} {
		text, err := os.ReadFile("../../release/image/" + name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	for _, want := range []string{`"usr/local/bin/" + p.Name`, "empty.Image", "const userID = 999"} {
		if !bytes.Contains(source, []byte(want)) {
			t.Errorf("release/image lacks %q, which the sidecar relies on", want)
		}
	}
}

func TestThePatchIsTheFirstDocumentAndTheOnlyOneWithoutTheLabel(t *testing.T) {
	docs := strings.Split(string(text(t, install.Patch)), "\n---\n")
	for i, doc := range docs {
		if labelled := strings.Contains(doc,
			"\n  labels:\n    app.kubernetes.io/name: rollstamp\n"); labelled != (i > 0) {
			t.Errorf("document %d: labelled %t\n%s", i, labelled, doc)
		}
	}
	if len(docs) != 3 || !strings.Contains(docs[0], "\nkind: Deployment\n") {
		t.Errorf("%d documents, the first is\n%s", len(docs), docs[0])
	}
}

func TestTheManifestsEqualTheComponent(t *testing.T) {
	all := objects(t, text(t, install.Patch))
	checkPlugin(t, all["ConfigMap/rollstamp-plugin"].Data["plugin.yaml"])
	checkPolicy(t, all["ConfigMap/rollstamp-policy"].Data["policy.yaml"])
	pod := all["Deployment/argocd-repo-server"].Spec.Template.Spec
	if len(pod.Containers) != 2 || len(pod.Volumes) != 5 || pod.Containers[1].Image != image {
		t.Errorf("the pod is %+v", pod)
	}
}

func TestTheValuesEqualTheComponent(t *testing.T) {
	var v struct {
		Configs struct {
			CMP struct {
				Create  bool
				Plugins map[string]any
			} `yaml:"cmp"`
		}
		RepoServer struct {
			ExtraContainers []container `yaml:"extraContainers"`
			Volumes         []volume
		} `yaml:"repoServer"`
		ExtraObjects []object `yaml:"extraObjects"`
	}
	if err := yaml.Unmarshal(text(t, install.Helm), &v); err != nil {
		t.Fatal(err)
	}
	if !v.Configs.CMP.Create || v.Configs.CMP.Plugins["rollstamp"] == nil {
		t.Errorf("the plugin is %+v", v.Configs.CMP)
	}
	checkPolicy(t, v.ExtraObjects[0].Data["policy.yaml"])
	pod := objects(t, text(t, install.Patch))["Deployment/argocd-repo-server"].Spec.Template.Spec
	if len(v.RepoServer.ExtraContainers) != 1 || len(v.RepoServer.Volumes) != len(pod.Volumes) {
		t.Fatalf("the sidecar is %+v", v.RepoServer)
	}
	got, want := v.RepoServer.ExtraContainers[0], pod.Containers[1]
	for i, m := range got.VolumeMounts {
		if m.SubPath != "" {
			m.SubPath = "plugin.yaml" // the chart names the file after the plugin
		}
		if m != want.VolumeMounts[i] {
			t.Errorf("mount %+v, want %+v", m, want.VolumeMounts[i])
		}
	}
}

func TestServeNeedsNoPluginFileAndNoPluginServer(t *testing.T) {
	for _, format := range install.Formats() {
		out, err := install.Options{Format: install.Format(format), Image: image, Name: "stamps",
			Server: install.Resident}.Text()
		if err != nil {
			t.Fatal(err)
		}
		for dec := yaml.NewDecoder(bytes.NewReader(out)); ; {
			var doc any
			if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, out)
			}
		}
		for word, want := range map[string]bool{
			"args: [argocd, serve, --name, stamps, ": true, "command: [/usr/local/bin/rollstamp]\n": true, "path: /healthz": true,
			"rollstamp-hash-key": true, "rollstamp-policy": true, "plugin.yaml": false, "var-files": false, "argocd-cmp-server": false, "cmp:": false,
		} {
			if strings.Contains(string(out), word) != want {
				t.Errorf("%s: %q is there: %t\n%s", format, word, !want, out)
			}
		}
	}
}

// The operator need not have made a policy for the repo-server: the one that is printed may be the only one.
func TestTheOperatorsPolicyKeepsNoCallerOut(t *testing.T) {
	out, err := install.Options{Format: install.Operator, Image: image, Name: "rollstamp", Server: install.Resident}.Text()
	if err != nil {
		t.Fatal(err)
	}
	for d := range strings.SplitSeq(string(out), "\n---\n") {
		var policy networkingv1.NetworkPolicy
		if err := k8syaml.Unmarshal([]byte(d), &policy); err != nil || policy.Kind != "NetworkPolicy" {
			continue
		}
		open := map[int][]string{}
		for _, rule := range policy.Spec.Ingress {
			for _, port := range rule.Ports {
				for _, from := range rule.From {
					who := []string{"anybody"}
					if from.PodSelector != nil {
						who = from.PodSelector.MatchExpressions[0].Values
					}
					open[port.Port.IntValue()] = append(open[port.Port.IntValue()], who...)
				}
			}
		}
		want := map[int][]string{8084: {"anybody"}, 8090: {"anybody"}, 8081: {"argocd-server", "argocd-application-controller",
			"argocd-applicationset-controller", "argocd-notifications-controller"}}
		if !reflect.DeepEqual(open, want) {
			t.Errorf("it lets in %v", open)
		}
		return
	}
	t.Error("there is no policy")
}

func TestMalformedImagesAndNamesAreRefused(t *testing.T) {
	for _, o := range []install.Options{
		{Format: install.Patch, Name: "rollstamp"},
		{Format: install.Patch, Name: "rollstamp", Image: "a b"},
		{Format: install.Patch, Name: "rollstamp", Image: "a\nb"},
		{Format: install.Patch, Name: "rollstamp", Image: "a"},
		{Format: install.Patch, Name: "rollstamp", Image: "a:5000/b"},
		{Format: install.Patch, Name: "rollstamp", Image: "a@sha256:1234"},
		{Format: install.Patch, Name: "rollstamp", Image: "a:"},
		{Format: install.Patch, Name: "Roll Stamp", Image: image},
		{Format: "yaml", Name: "rollstamp", Image: image},
	} {
		if out, err := o.Text(); diag.ExitOf(err) != diag.ExitUsage || out != nil {
			t.Errorf("%+v: %v, %q", o, err, out)
		}
	}
}

func TestImagesWithAVersionOrDigestAreTaken(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0f", 32)
	for _, image := range []string{"a:1", "a" + digest, "localhost:5000/a/b_c:v1.0-rc.1" + digest, "Registry.example/a:1"} {
		o := install.Options{Format: install.Patch, Name: "rollstamp", Image: image}
		if out, err := o.Text(); err != nil || !bytes.Contains(out, []byte("image: "+image+"\n")) {
			t.Errorf("%s: %v\n%s", image, err, out)
		}
	}
}

func TestTheVersionOfHelmIsWritten(t *testing.T) {
	for _, format := range install.Formats() {
		o := install.Options{Format: install.Format(format), Image: "r.example/rollstamp:1", Name: "rollstamp", HelmVersion: config.Helm4}
		text, err := o.Text()
		if want := "- name: ROLLSTAMP_HELM_VERSION\n"; err != nil || strings.Count(string(text), want) != 1 {
			t.Errorf("%s: %v\n%s", format, err, text)
		}
	}
}

// What the operator is patched with holds the same container, for which no user is fixed: OpenShift chooses one.
func TestTheOperatorsResourceEqualsTheComponent(t *testing.T) {
	out := text(t, install.Operator)
	var v struct {
		Kind string
		Spec struct {
			Repo struct {
				SidecarContainers []container `yaml:"sidecarContainers"`
				Volumes           []volume
			}
		}
	}
	if err := yaml.Unmarshal(out, &v); err != nil || v.Kind != "ArgoCD" || len(v.Spec.Repo.SidecarContainers) != 1 {
		t.Fatalf("the first document is %+v, %v", v, err)
	}
	pod := objects(t, text(t, install.Patch))["Deployment/argocd-repo-server"].Spec.Template.Spec
	if got, want := v.Spec.Repo.SidecarContainers[0], pod.Containers[1]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(v.Spec.Repo.Volumes, pod.Volumes) {
		t.Errorf("volumes %+v, want %+v", v.Spec.Repo.Volumes, pod.Volumes)
	}
	all := objects(t, out)
	checkPlugin(t, all["ConfigMap/rollstamp-plugin"].Data["plugin.yaml"])
	checkPolicy(t, all["ConfigMap/rollstamp-policy"].Data["policy.yaml"])
	if bytes.Contains(out, []byte("runAsUser")) {
		t.Error("a user is fixed")
	}
	for _, format := range install.Formats() {
		o := install.Options{Format: install.Format(format), Image: image, Name: "rollstamp", User: install.Any}
		if out, err := o.Text(); err != nil || bytes.Contains(out, []byte("runAsUser")) || !bytes.Contains(out, []byte("runAsNonRoot: true")) {
			t.Errorf("%s: %v\n%s", format, err, out)
		}
	}
}

// The first container is the one that kubectl logs and exec take; kubectl patch merges as this library does.
func TestThePatchAddsTheSidecarBehindTheRepoServer(t *testing.T) {
	first, _, _ := strings.Cut(server, "\n---\n")
	doc, _, _ := strings.Cut(string(text(t, install.Patch)), "\n---\n")
	original, err := k8syaml.YAMLToJSON([]byte(first))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := k8syaml.YAMLToJSON([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := strategicpatch.StrategicMergePatch(original, patch, appsv1.Deployment{})
	if err != nil {
		t.Fatal(err)
	}
	pod := objects(t, merged)["Deployment/argocd-repo-server"].Spec.Template.Spec
	if len(pod.Containers) != 2 || pod.Containers[0].Name != "argocd-repo-server" || pod.Containers[0].Image == "" {
		t.Errorf("the containers are %+v", pod.Containers)
	}
}
