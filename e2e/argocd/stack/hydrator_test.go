package stack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"gopkg.in/yaml.v3"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const commitServer = "argocd-commit-server"

// dryPlugin is how a dry source names our plugin, where this Argo CD has a field for that: v3.2 has none.
func dryPlugin() string {
	if _, has := reflect.TypeFor[v1alpha1.DrySource]().FieldByName("Plugin"); has {
		return namesPlugin
	}
	return ""
}

const namesPlugin = ", plugin: {name: rollstamp}"

// hydrating is our plugin for dry sources: by its name, or found by its discovery.
func hydrating(t *testing.T, beside parts.Sidecar) *parts.Server {
	if dryPlugin() != "" {
		return plugins["behind argocd-cmp-server"](t, beside)
	}
	return discovered(t, beside)
}

// discovered is our plugin for charts of sources that name no plugin.
func discovered(t *testing.T, beside parts.Sidecar) *parts.Server {
	plugin := parts.Ours()
	plugin.FileName = "Chart.yaml"
	return parts.StartCMP(t, plugin, beside)
}

// startCommitServer starts what writes hydrated manifests to Git, and returns its address.
func startCommitServer(t *testing.T) string {
	t.Helper()
	port := process.FreePort(t)
	server := parts.Start(t, commitServer, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "TMPDIR=" + folder.Empty(t),
	}, "--address", "127.0.0.1", "--port", port, "--metrics-address", "127.0.0.1", "--metrics-port", process.FreePort(t),
		"--loglevel", "debug")
	server.Until(t, "it listens", func() bool { return strings.Contains(server.Log(), "starting grpc server") })
	return "127.0.0.1:" + port
}

// hydrated is a branch to which manifests are written, and where in it.
const hydrated, hydratedPath = "environments/test", "retail"

func TestTheHydratorWritesWhatWeRenderAndRollsNothingWithoutAChange(t *testing.T) {
	s := start(t, hydrating, "--hydrator-enabled", "--commit-server", startCommitServer(t))
	repo := folder.Repository{Dir: folder.New(t, retail)}
	first := repo.Commit(t, "all")
	app := s.createHydrated(t, "retail", repo)
	branch := app.hydrated(t, first)
	app.settled(t, branch)
	app.isWhatWeRender(t)
	want := map[string]int{"Deployment web": 1, "Deployment greeter": 1, "Deployment idle": 1, "StatefulSet store": 1}
	same(t, "at first", app.rollouts(t), want)

	folder.WriteFile(t, filepath.Join(repo.Dir, "values.yaml"), "level: debug\ngreeting: hello\n")
	level := repo.Commit(t, "another level")
	app.hydrate(t)
	branch = app.hydrated(t, level)
	app.settled(t, branch)
	app.isWhatWeRender(t)
	want["Deployment web"], want["StatefulSet store"] = 2, 2
	same(t, "after a key has changed", app.rollouts(t), want)

	before, manifests, head := app.generations(t), app.manifests(t), app.git(t, "rev-parse", hydrated)
	folder.WriteFile(t, filepath.Join(repo.Dir, "README.md"), "Still nothing.\n")
	unrelated := repo.Commit(t, "unrelated")
	app.hydrate(t)
	app.settled(t, app.hydrated(t, unrelated))
	same(t, "after an unrelated commit", app.rollouts(t), want)
	same(t, "writes after an unrelated commit", app.generations(t), before)
	if after := app.manifests(t); !bytes.Equal(after, manifests) {
		t.Errorf("an unrelated commit has changed the manifests:\n%s", after)
	}
	if n := app.git(t, "rev-list", "--count", hydrated, "--", hydratedPath+"/manifest.yaml"); n != "2" {
		t.Errorf("%s commits have changed the manifests, want 2", n)
	}
	// v3.2 commits the name of the dry commit beside the manifests; later ones keep it in a note of Git.
	if after := app.git(t, "rev-parse", hydrated); dryPlugin() != "" && after != head {
		t.Errorf("an unrelated commit has moved the branch:\n%s", app.git(t, "log", "--stat", head+".."+after))
	}
}

// createHydrated makes an Application of the chart in a repository, by way of a branch.
func (s *stack) createHydrated(t *testing.T, name string, repo folder.Repository) application {
	t.Helper()
	s.Apply(t, applications, fmt.Sprintf(hydratedApplication, name, repo.URL(), hydrated, hydratedPath, dryPlugin()))
	return application{stack: s, name: name, repo: repo}
}

// hydratedApplication takes a name, a repository, where to write, and more fields of the dry source.
const hydratedApplication = `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: %[1]q, namespace: argocd},
spec: {project: default, destination: {server: "https://kubernetes.default.svc", namespace: %[1]q},
sourceHydrator: {drySource: {repoURL: %[2]q, path: ., targetRevision: main%[5]s}, syncSource: {targetBranch: %[3]q, path: %[4]q}},
syncPolicy: {automated: {prune: true, selfHeal: true}, syncOptions: [CreateNamespace=true]}}}
`

// hydrate asks Argo CD to look at the dry source again.
func (a application) hydrate(t *testing.T) {
	t.Helper()
	a.stack.Do(t, http.MethodPatch, applications+"/"+a.name, "application/merge-patch+json",
		[]byte(`{"metadata": {"annotations": {"argocd.argoproj.io/hydrate": "normal", "argocd.argoproj.io/refresh": "normal"}}}`))
}

// hydrated waits until a commit of the dry source is hydrated, and returns the commit that it has become.
func (a application) hydrated(t *testing.T, dry string) string {
	t.Helper()
	deadline := time.Now().Add(4 * time.Minute)
	for {
		var object struct {
			Status struct {
				SourceHydrator struct {
					CurrentOperation struct{ Phase, Message, DrySHA, HydratedSHA string }
				}
			}
		}
		a.stack.Get(t, applications+"/"+a.name, &object)
		now := object.Status.SourceHydrator.CurrentOperation
		if now.Phase == "Hydrated" && now.DrySHA == dry {
			return now.HydratedSHA
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not hydrated from %s after four minutes: %+v", a.name, dry, now)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// manifests returns what was written to the branch.
func (a application) manifests(t *testing.T) []byte {
	t.Helper()
	return []byte(a.git(t, "show", hydrated+":"+hydratedPath+"/manifest.yaml") + "\n")
}

func (a application) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", a.repo.Dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// isWhatWeRender compares the branch with our own render of the Application to a folder, in the spelling that Argo CD
// gives to YAML.
func (a application) isWhatWeRender(t *testing.T) {
	t.Helper()
	dir := folder.Empty(t)
	file := filepath.Join(dir, "application.yaml")
	folder.WriteFile(t, file, fmt.Sprintf(hydratedApplication, a.name, a.repo.URL(), hydrated, hydratedPath, namesPlugin))
	cmd := exec.Command(process.Rollstamp(t), "argocd", "render", "--output-dir", filepath.Join(dir, "out"),
		"--repo", a.repo.URL()+"="+a.repo.Dir, file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "argocd", a.name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.manifests(t), respelled(t, text); !bytes.Equal(got, want) {
		t.Errorf("the branch has:\n%s\nwe render:\n%s", got, want)
	}
}

// respelled writes YAML as the commit-server does.
func respelled(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	in, e := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewEncoder(&out)
	e.SetIndent(2)
	for {
		var object map[string]any
		switch err := in.Decode(&object); {
		case errors.Is(err, io.EOF):
			return out.Bytes()
		case err != nil:
			t.Fatal(err)
		}
		if err := e.Encode(object); err != nil {
			t.Fatal(err)
		}
	}
}
