package stack

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// step is a numbered step of the page: its commands, block by block.
type step struct {
	title  string
	blocks []string
}

// steps reads the steps of "Ten minutes" from docs/argocd.md.
func steps(t *testing.T, checkout string) []step {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, "docs", "argocd.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "\n## Ten minutes\n")
	part, _, _ = strings.Cut(part, "\n## ")
	var out []step
	number := regexp.MustCompile(`(?m)^\*\*(\d)\. ([^*]*)\*\*`)
	places := number.FindAllStringSubmatchIndex(part, -1)
	for i, place := range places {
		end := len(part)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		s := step{title: part[place[4]:place[5]]}
		for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(part[place[0]:end], -1) {
			s.blocks = append(s.blocks, block[1])
		}
		out = append(out, s)
	}
	return out
}

// stranger is somebody who types what the page says into one shell, and knows of nothing else.
type stranger struct {
	dir   string // where the shell keeps its environment
	names *strings.Replacer
}

// follow types the blocks of a step in a folder, and returns what they print.
func (s stranger) follow(t *testing.T, one step, folder string) string {
	t.Helper()
	said := ""
	for _, block := range one.blocks {
		// What is exported stays for the next block, as in one shell.
		script := "[ ! -f " + s.dir + "/env ] || . " + s.dir + "/env\nset -euxo pipefail\n" + s.names.Replace(block) + "\nexport -p > " + s.dir + "/env\n"
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		said += string(out)
		if err != nil {
			t.Fatalf("%s cannot be followed: %v\n%s", one.title, err, said)
		}
	}
	if len(one.blocks) == 0 {
		t.Fatalf("%s has no commands", one.title)
	}
	return said
}

// registry starts Debian's docker-registry and returns its address on loopback.
func registry(t *testing.T) string {
	t.Helper()
	dir := folder.Empty(t)
	config := filepath.Join(dir, "config.yml")
	folder.WriteFile(t, config, fmt.Sprintf("version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: '127.0.0.1:0'}\n",
		filepath.Join(dir, "data")))
	process := process.Run(t, "docker-registry", exec.Command("docker-registry", "serve", config))
	at := regexp.MustCompile(`listening on ([0-9.]+:[0-9]+)`)
	process.Until(t, "it listens", func() bool { return at.MatchString(process.Log()) })
	return at.FindStringSubmatch(process.Log())[1]
}

// deployment is what the test needs to know of the repo-server's.
type deployment struct {
	Spec struct {
		Template struct {
			Spec struct {
				Containers []container
				Volumes    []volume
			}
		}
	}
}

type container struct {
	Name, Image   string
	Command, Args []string
	Env           []struct{ Name, Value string }
	VolumeMounts  []struct{ Name, MountPath, SubPath string }
}

type volume struct {
	Name      string
	EmptyDir  *struct{}
	Secret    *struct{ SecretName string }
	ConfigMap *struct{ Name string }
}

// runSidecar does what a kubelet does with the container rollstamp of the repo-server's pod, as the API server has it.
func (s *stack) runSidecar(t *testing.T, runner string) {
	t.Helper()
	var d deployment
	s.Get(t, "/apis/apps/v1/namespaces/argocd/deployments/argocd-repo-server", &d)
	spec := d.Spec.Template.Spec
	at := slices.IndexFunc(spec.Containers, func(c container) bool { return c.Name == "rollstamp" })
	if at < 0 {
		t.Fatalf("the repo-server has no sidecar: %+v", spec.Containers)
	}
	c := spec.Containers[at]
	if len(c.Command) != 1 || c.Command[0] != parts.CMPServerPath {
		t.Fatalf("the sidecar starts %v", c.Command)
	}
	var flags []string
	for _, e := range c.Env {
		flags = append(flags, "-env", e.Name+"="+e.Value)
	}
	for _, m := range c.VolumeMounts {
		v := spec.Volumes[slices.IndexFunc(spec.Volumes, func(v volume) bool { return v.Name == m.Name })]
		switch {
		case m.Name == "var-files": // the init container's copy of argocd-cmp-server, which the test binary is
		case m.Name == "plugins":
			flags = append(flags, "-mount", s.renderer.Plugins+":"+m.MountPath+":rw")
		case v.EmptyDir != nil:
			flags = append(flags, "-tmpfs", m.MountPath)
		case v.Secret != nil:
			flags = append(flags, "-mount", filepath.Join(s.mounted(t, "secrets", v.Secret.SecretName), m.SubPath)+":"+m.MountPath)
		case v.ConfigMap != nil:
			flags = append(flags, "-mount", filepath.Join(s.mounted(t, "configmaps", v.ConfigMap.Name), m.SubPath)+":"+m.MountPath)
		default:
			t.Fatalf("the volume %s is of a kind that this test does not know", m.Name)
		}
	}
	s.plugin = parts.RunCMPInImage(t, parts.Image{Reference: c.Image, Runner: runner}, "rollstamp", s.renderer.Plugins, append(flags, c.Args...)...)
}

// mounted writes what a Secret or ConfigMap holds into a folder, as a kubelet does.
func (s *stack) mounted(t *testing.T, kind, name string) string {
	t.Helper()
	var object struct{ Data map[string]string }
	s.Get(t, "/api/v1/namespaces/argocd/"+kind+"/"+name, &object)
	dir := folder.Empty(t)
	for key, value := range object.Data {
		if kind == "secrets" {
			text, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				t.Fatal(err)
			}
			value = string(text)
		}
		folder.WriteFile(t, filepath.Join(dir, key), value)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the image's user is another one
		t.Fatal(err)
	}
	return dir
}

// theirs is the stranger's application as it is before: rendered by Argo CD itself.
const theirs = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web
  namespace: argocd
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source:
    repoURL: %s
    path: examples/web
    targetRevision: main
    kustomize:
      namePrefix: prod-
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [CreateNamespace=true]
`

// TestThePageIsFollowedLineByLine takes the commands from docs/argocd.md as they stand there, but for the address of
// the registry, which is one on loopback, and the platform of the image, which is this one.
func TestThePageIsFollowedLineByLine(t *testing.T) {
	for _, name := range []string{"kubectl", "docker-registry", "make", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s on this machine", name)
		}
	}
	// The stranger clones what is committed: the version of changed files would end in -dirty.
	checkout := filepath.Join(folder.Empty(t), "rollstamp")
	output(t, ".", "git", "clone", "--quiet", folder.Root(t), checkout)
	page := steps(t, checkout)
	if len(page) != 6 {
		t.Fatalf("the page has %d steps", len(page))
	}
	s := start(t, nil)
	for name, value := range map[string]string{
		"KUBECONFIG": s.Kubeconfig, "IMAGEFLAGS": "-shell=false -platforms linux/" + goarch(t), "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "e2e", "GIT_AUTHOR_EMAIL": "e2e@example.com", "GIT_COMMITTER_NAME": "e2e", "GIT_COMMITTER_EMAIL": "e2e@example.com",
	} {
		t.Setenv(name, value)
	}
	me := stranger{dir: folder.Empty(t), names: strings.NewReplacer("registry.example", registry(t))}

	// What is there before: Argo CD's own kustomization, and a repository with an Application that it renders natively.
	operator, repo := s.operatorsFolder(t), shop(t)
	app := application{stack: s, name: "web", repo: repo}
	output(t, repo.Dir, "kubectl", "apply", "-f", "applications/web.yaml")
	app.settled(t, head(t, repo))
	shopOf := application{stack: s, name: "shop"}
	same(t, "natively", shopOf.rollouts(t), map[string]int{"Deployment prod-web": 1, "Deployment prod-worker": 1})

	me.follow(t, page[0], checkout)
	me.follow(t, page[1], checkout)
	me.follow(t, page[2], operator)
	runner := filepath.Join(folder.Empty(t), "release")
	build := exec.Command("go", "build", "-o", runner, ".")
	build.Dir = filepath.Join(checkout, "release")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build what runs images: %v\n%s", err, out)
	}
	s.runSidecar(t, runner)

	me.follow(t, page[3], repo.Dir)
	app.refresh(t, "normal", head(t, repo))
	same(t, "after the first sync with rollstamp", shopOf.rollouts(t), map[string]int{"Deployment prod-web": 2, "Deployment prod-worker": 2})
	me.follow(t, page[4], repo.Dir)
	said := me.follow(t, page[5], repo.Dir)
	if !strings.Contains(said, "JOBS_PER_MINUTE") {
		t.Errorf("explain does not say who reads the key:\n%s", said)
	}
	app.settled(t, head(t, repo))
	same(t, "after a key has changed", shopOf.rollouts(t), map[string]int{"Deployment prod-web": 2, "Deployment prod-worker": 3})
}

// operatorsFolder is a folder with a kustomization that installs Argo CD's repo-server, as Argo CD ships it.
func (s *stack) operatorsFolder(t *testing.T) string {
	t.Helper()
	dir := folder.Empty(t)
	argo := parts.Source(t)
	const name = "argocd-repo-server-deployment.yaml"
	folder.WriteFile(t, filepath.Join(dir, name), text(t, filepath.Join(argo, "manifests", "base", "repo-server", name)))
	folder.WriteFile(t, filepath.Join(dir, "kustomization.yaml"), "namespace: argocd\nresources:\n- "+name+"\n")
	return dir
}

// shop is a clone of a repository with the example of the README, and an Application for it.
func shop(t *testing.T) folder.Repository {
	t.Helper()
	origin, clone := filepath.Join(folder.Empty(t), "shop.git"), filepath.Join(folder.Empty(t), "shop")
	output(t, ".", "git", "init", "--quiet", "--bare", "--initial-branch=main", origin)
	output(t, ".", "git", "clone", "--quiet", "file://"+origin, clone)
	example := filepath.Join(folder.Root(t), "examples", "web")
	files, err := os.ReadDir(example)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		folder.WriteFile(t, filepath.Join(clone, "examples", "web", f.Name()), text(t, filepath.Join(example, f.Name())))
	}
	folder.WriteFile(t, filepath.Join(clone, "applications", "web.yaml"), fmt.Sprintf(theirs, "file://"+origin))
	output(t, clone, "git", "checkout", "--quiet", "-B", "main")
	output(t, clone, "git", "add", "--all")
	output(t, clone, "git", "commit", "--quiet", "--message", "all")
	output(t, clone, "git", "push", "--quiet", "--set-upstream", "origin", "main")
	return folder.Repository{Dir: clone}
}

func head(t *testing.T, r folder.Repository) string {
	t.Helper()
	return strings.TrimSpace(output(t, r.Dir, "git", "rev-parse", "HEAD"))
}

func goarch(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(output(t, ".", "go", "env", "GOARCH"))
}

// output returns what a command prints that succeeds.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return string(out)
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
