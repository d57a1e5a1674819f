// Package sets holds the Applications that rollstamp makes of ApplicationSets against those that Argo CD's own
// controller makes.
package sets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	log "github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"

	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// The sets name their repository so; a checkout of it stands in for it.
const repoURL = "https://git.example.org/team/deploy.git"

func TestApplicationSetsMakeWhatTheControllerMakes(t *testing.T) {
	log.SetLevel(log.PanicLevel)
	repo := checkout(t, "testdata/repo")
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		hold(t, repo, repoURL, name)
	}
}

// TestPublicApplicationSetsMakeWhatTheControllerMakes takes clones that ROLLSTAMP_TREES lists.
func TestPublicApplicationSetsMakeWhatTheControllerMakes(t *testing.T) {
	log.SetLevel(log.PanicLevel)
	trees := filepath.SplitList(os.Getenv("ROLLSTAMP_TREES"))
	if len(trees) == 0 {
		t.Skip("ROLLSTAMP_TREES lists no clones")
	}
	for _, tree := range trees {
		err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
				return err
			}
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("kind: ApplicationSet")) {
				hold(t, tree, "", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// hold compares for each set of a file. Where the controller finds an error, so must we; which words it has does not
// matter.
func hold(t *testing.T, repo, url, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, document := range strings.Split("\n"+string(text), "\n---") {
		var set v1alpha1.ApplicationSet
		err := yaml.Unmarshal([]byte(document), &set)
		if err != nil && url != "" {
			t.Errorf("%s, document %d: %v", file, i, err)
		}
		if err != nil || set.Kind != "ApplicationSet" {
			continue // what is public may be a template of a chart
		}
		t.Run(fmt.Sprintf("%s %d", filepath.Base(file), i), func(t *testing.T) {
			want, theirs := controllers(&set, repo)
			got, ours := rollstamps(t, document, repo, url, &set)
			switch {
			case theirs != nil && ours != nil:
				t.Logf("an error both ways: %v, and %s", theirs, strings.TrimSpace(ours.Error()))
			case theirs != nil || ours != nil:
				t.Errorf("the controller says %v, rollstamp says %v", theirs, ours)
			default:
				t.Logf("%d applications", len(want))
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("the applications differ (- controller, + rollstamp):\n%s", d)
				}
			}
		})
	}
}

// controllers returns what the controller's code makes, by name, without what it adds for itself.
func controllers(set *v1alpha1.ApplicationSet, repo string) (map[string]string, error) {
	all := map[string]generators.Generator{
		"List":     generators.NewListGenerator(),
		"Git":      generators.NewGitGenerator(tree{repo}, set.Namespace),
		"Clusters": generators.NewClusterGenerator(context.Background(), cluster{}, fake.NewClientset(registered()...), home),
	}
	for _, outside := range []string{"SCMProvider", "PullRequest", "ClusterDecisionResource", "Plugin"} {
		all[outside] = refused{}
	}
	with := func(inner map[string]generators.Generator) map[string]generators.Generator {
		out := maps.Clone(all)
		out["Matrix"], out["Merge"] = generators.NewMatrixGenerator(inner), generators.NewMergeGenerator(inner)
		return out
	}
	made, _, err := template.GenerateApplications(
		log.NewEntry(log.StandardLogger()),
		*set,
		with(with(all)),
		&utils.Render{},
		cluster{},
	)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, a := range made {
		if _, twice := out[a.Name]; twice {
			return nil, errors.New("duplicate name")
		}
		out[a.Name] = plain(a)
	}
	return out, nil
}

// rollstamps returns what our program makes.
func rollstamps(t *testing.T, document, repo, url string, set *v1alpha1.ApplicationSet) (map[string]string, error) {
	t.Helper()
	clusters, err := filepath.Abs(clustersFile)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"argocd", "render", "--applications", "--clusters", clusters, "-"}
	if url == "" {
		for _, g := range addresses(set) {
			args = append(args, "--repo", g+"="+repo)
		}
	} else {
		args = append(args, "--repo", url+"="+repo)
	}
	cmd := exec.Command(process.Rollstamp(t), args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = t.TempDir(), strings.NewReader(document), &stderr
	text, err := cmd.Output()
	if err != nil {
		if none := regexp.MustCompile("holds no Application|generated no Application"); none.Match(stderr.Bytes()) {
			return map[string]string{}, nil
		}
		return nil, errors.New(stderr.String())
	}
	out := map[string]string{}
	for _, one := range strings.Split("\n"+string(text), "\n---\n") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		var a v1alpha1.Application
		if err := yaml.Unmarshal([]byte(one), &a); err != nil {
			t.Fatal(err)
		}
		out[a.Name] = plain(a)
	}
	return out, nil
}

// addresses lists the repositories that a set's generators look into.
func addresses(set *v1alpha1.ApplicationSet) []string {
	text, _ := json.Marshal(set.Spec.Generators)
	var out []string
	for _, part := range strings.Split(string(text), `"repoURL":"`)[1:] {
		url, _, _ := strings.Cut(part, `"`)
		out = append(out, url)
	}
	return out
}

// plain writes what matters of an Application.
func plain(a v1alpha1.Application) string {
	if len(a.Labels) == 0 {
		a.Labels = nil
	}
	if len(a.Annotations) == 0 {
		a.Annotations = nil
	}
	text, err := yaml.Marshal(map[string]any{"name": a.Name, "namespace": a.Namespace, "labels": a.Labels, "annotations": a.Annotations, "spec": a.Spec})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tree answers for the repo-server, with what its code does: git ls-files, and a walk that leaves hidden folders out.
type tree struct{ dir string }

func (r tree) GetFiles(_ context.Context, _, _, _, pattern string, _, _ bool) (map[string][]byte, error) {
	cmd := exec.Command("git", "ls-files", "--full-name", "-z", "--", pattern)
	cmd.Dir = r.dir
	names, err := cmd.Output()
	out := map[string][]byte{}
	for _, name := range strings.FieldsFunc(string(names), func(c rune) bool { return c == 0 }) {
		if out[name], err = os.ReadFile(filepath.Join(r.dir, name)); err != nil {
			return nil, err
		}
	}
	return out, err
}

func (r tree) GetDirectories(context.Context, string, string, string, bool, bool) ([]string, error) {
	var out []string
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() || path == r.dir:
			return err
		case strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(r.dir, path)
		out = append(out, rel)
		return err
	})
	return out, err
}

// home is the namespace that Argo CD lives in, and clustersFile holds the Secrets there that register clusters.
const (
	home         = "argocd"
	clustersFile = "testdata/clusters/secrets.yaml"
)

// secrets reads them.
func secrets() []corev1.Secret {
	text, err := os.ReadFile(clustersFile)
	if err != nil {
		panic(err)
	}
	var out []corev1.Secret
	for _, one := range strings.Split(string(text), "---\n") {
		var s corev1.Secret
		if err := yaml.Unmarshal([]byte(one), &s); err != nil {
			panic(err)
		}
		s.Data = map[string][]byte{}
		for key, value := range s.StringData { // as the API server does
			s.Data[key] = []byte(value)
		}
		s.StringData, s.Namespace = nil, home
		out = append(out, s)
	}
	return out
}

func registered() []runtime.Object {
	var out []runtime.Object
	for _, s := range secrets() {
		out = append(out, &s)
	}
	return out
}

// cluster is one that holds every project, and those Secrets.
type cluster struct{ client.Client }

func (cluster) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

func (cluster) List(_ context.Context, to client.ObjectList, options ...client.ListOption) error {
	var want client.ListOptions
	want.ApplyOptions(options)
	for _, s := range secrets() {
		if want.LabelSelector.Matches(labels.Set(s.Labels)) {
			to.(*corev1.SecretList).Items = append(to.(*corev1.SecretList).Items, s)
		}
	}
	return nil
}

// refused is a generator that asks somebody who is not here.
type refused struct{ generators.Generator }

func (refused) GetTemplate(*v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	return &v1alpha1.ApplicationSetTemplate{}
}

func (refused) GenerateParams(
	*v1alpha1.ApplicationSetGenerator,
	*v1alpha1.ApplicationSet,
	client.Client,
) ([]map[string]any, error) {
	return nil, errors.New("nobody is here to be asked")
}

// checkout makes a repository of a folder.
func checkout(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}
