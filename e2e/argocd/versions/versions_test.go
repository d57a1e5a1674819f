// Package versions holds a list of what we rely on in each minor version of Argo CD against its published source, where
// that cannot be built, too.
package versions

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the list instead of comparing it")

// The list lies beside the packages that are held to it, whose tests need nothing of Argo CD.
const list = "../../../argocd/versionstest/versions.txt"

const head = `# What is relied on in Argo CD, by version: all of the first, and of each other one what it has beside the one before
# (+) and has no more (-), or that it is the same (=). Fields are those of spec; a test in e2e/argocd/versions writes this from the sources.
`

// versions are the newest patch releases of each minor version that we support.
var versions = []string{"v3.2.11", "v3.3.19", "v3.4.13", "v3.5.7", "v3.6.1"}

func TestTheListOfVersionsIsThatOfTheirSources(t *testing.T) {
	out := strings.Builder{}
	out.WriteString(head)
	before := facts{}
	for i, version := range versions {
		now := factsOf(t, version)
		if maps.Equal(now, before) {
			fmt.Fprintln(&out, version, "=", versions[i-1])
		}
		for _, fact := range slices.Sorted(maps.Keys(now)) {
			if !before[fact] && (i > 0 || !strings.HasPrefix(fact, "field ")) {
				fmt.Fprintln(&out, version, "+", fact)
			}
		}
		for _, fact := range slices.Sorted(maps.Keys(before)) {
			if !now[fact] {
				fmt.Fprintln(&out, version, "-", fact)
			}
		}
		before = now
	}
	if *update {
		if err := os.WriteFile(list, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the sources say otherwise than %s (-update writes it):\n%s", list, out.String())
	}
}

// facts are statements about one version, each of a topic and words.
type facts map[string]bool

func (f facts) add(words ...string) { f[strings.Join(words, " ")] = true }

func factsOf(t *testing.T, version string) facts {
	t.Helper()
	s := source{download(t, version)}
	f := facts{}
	f.add("protocol", fmt.Sprintf("%x", sha256.Sum256([]byte(s.read(t, "cmpserver/plugin/plugin.proto"))))[:25])
	for _, name := range s.find(t, "cmpserver/plugin/config.go", `(?:json|yaml):"([a-zA-Z]+)`) {
		f.add("plugin.yaml", name)
	}
	for _, name := range s.find(t, "reposerver/repository/repository.go", `"((?:ARGOCD_(?:APP|ENV)|KUBE)_[A-Z0-9_]*)`) {
		f.add("variable", name)
	}
	for _, path := range s.find(t, "common/common.go", `DefaultPlugin\w+FilePath\s*=\s*"([^"]+)"`) {
		f.add("folder", path)
	}
	for _, tool := range []string{"helm", "kustomize"} {
		for _, v := range s.find(t, "hack/tool-versions.sh", `(?mi)^`+tool+`\d?_version=(\S+)`) {
			f.add(tool, v)
		}
	}
	for _, id := range s.find(t, "Dockerfile", `ARGOCD_USER_ID=(\d+)`) {
		f.add("user", id)
	}
	s.repoServer(t, f)
	s.fields(t, f)
	return f
}

// source is the folder with the source of a version.
type source struct{ dir string }

// download returns the source of a version.
func download(t *testing.T, version string) string {
	t.Helper()
	return module(t, "github.com/argoproj/argo-cd/v3@"+version)
}

// module returns the source of a module at a version. The go tool unpacks also what it says it is too old to build.
func module(t *testing.T, at string) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(cache)), filepath.FromSlash(at))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	cmd := exec.Command("go", "mod", "download", at)
	cmd.Dir = t.TempDir() // what is downloaded is no part of any module
	out, err := cmd.CombinedOutput()
	if _, missing := os.Stat(dir); missing != nil {
		t.Fatalf("download %s: %v\n%s", at, err, out)
	}
	return dir
}

func (s source) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns what the group of a pattern matches in a file. That it matches nothing is a failure.
func (s source) find(t *testing.T, name, pattern string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(s.read(t, name), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("%s/%s: nothing matches %s", s.dir, name, pattern)
	}
	return out
}

// repoServer adds what the manifests say of the pod that the plugin's sidecar is put into.
func (s source) repoServer(t *testing.T, f facts) {
	t.Helper()
	const folder = "manifests/base/repo-server/"
	var deployment struct {
		Metadata struct{ Name string }
		Spec     struct {
			Template struct {
				Spec struct {
					InitContainers, Containers []struct {
						Name            string
						Command, Args   []string
						SecurityContext struct{ RunAsUser int }
						VolumeMounts    []struct{ Name, MountPath string }
					}
					SecurityContext struct{ RunAsUser int }
					Volumes         []struct{ Name string }
				}
			}
		}
	}
	decode(t, s.read(t, folder+"argocd-repo-server-deployment.yaml"), &deployment)
	spec := deployment.Spec.Template.Spec
	f.add("repo-server deployment", deployment.Metadata.Name)
	for _, c := range append(spec.InitContainers, spec.Containers...) {
		f.add("repo-server container", c.Name)
		for _, m := range c.VolumeMounts {
			f.add("repo-server mount", c.Name, m.Name, m.MountPath)
		}
		if c.SecurityContext.RunAsUser+spec.SecurityContext.RunAsUser != 0 {
			f.add("repo-server user", fmt.Sprint(c.SecurityContext.RunAsUser, spec.SecurityContext.RunAsUser))
		}
	}
	for _, c := range spec.InitContainers {
		f.add("repo-server runs", c.Name, strings.Join(append(c.Command, c.Args...), " "))
	}
	for _, v := range spec.Volumes {
		f.add("repo-server volume", v.Name)
	}
	var policy struct{ Metadata struct{ Name string } }
	decode(t, s.read(t, folder+"argocd-repo-server-network-policy.yaml"), &policy)
	f.add("repo-server policy", policy.Metadata.Name)
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// schema is a part of a schema in a CustomResourceDefinition.
type schema struct {
	Type                 string
	Properties           map[string]schema
	Items                *schema
	AdditionalProperties *schema
	IntOrString          bool `json:"x-kubernetes-int-or-string"`
	Unknown              bool `json:"x-kubernetes-preserve-unknown-fields"`
}

// schema returns that of a kind.
func (s source) schema(t *testing.T, kind string) schema {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema schema }
			}
		}
	}
	decode(t, s.read(t, "manifests/crds/"+strings.ToLower(kind)+"-crd.yaml"), &crd)
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// fields adds the fields of Applications and ApplicationSets.
func (s source) fields(t *testing.T, f facts) {
	t.Helper()
	for _, kind := range []string{"Application", "ApplicationSet"} {
		spec := s.schema(t, kind).Properties["spec"]
		spec.walk("", func(path string) { f.add("field", kind, path) })
	}
}

// walk names the fields that hold no further ones. A list shows as []. Templates of Applications, and generators in
// generators, have the fields that are listed already.
func (s schema) walk(path string, leaf func(path string)) {
	if s.Items != nil {
		s.Items.walk(path+"[]", leaf)
		return
	}
	if len(s.Properties) == 0 {
		leaf(path)
	}
	for name, below := range s.Properties {
		nested := strings.HasPrefix(path, "generators[].") && (name == "generators" || name == "template")
		if nested || path == "template" && name == "spec" {
			continue
		}
		below.walk(strings.TrimPrefix(path+"."+name, "."), leaf)
	}
}
