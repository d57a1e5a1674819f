package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"go.yaml.in/yaml/v3"
)

// fluxExample is the repository of the examples with a remote of Git, and what is run in it.
type fluxExample struct {
	t    *testing.T
	root string
	env  []string
}

func newFluxExample(t *testing.T) *fluxExample {
	t.Helper()
	e := &fluxExample{t: t, root: t.TempDir()}
	e.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.root, "GIT_CONFIG_NOSYSTEM=1",
		"DOCKER_CONFIG=" + e.root}
	work := filepath.Join(e.root, "work")
	if err := os.CopyFS(work, os.DirFS(filepath.Join("..", "..", "examples", "flux", "repository"))); err != nil {
		t.Fatal(err)
	}
	e.shell("git init -q -b main . && git config user.name t && git config user.email t@example.com && " +
		"git init -q --bare -b main ../remote.git && git remote add origin file://" + e.root + "/remote.git")
	e.commit("begin")
	return e
}

// shell runs a script in the repository, which must not fail.
func (e *fluxExample) shell(script string) string {
	e.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = filepath.Join(e.root, "work"), e.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func (e *fluxExample) commit(message string) {
	e.t.Helper()
	e.shell("git add --all . ':!rendered' && git commit -q --allow-empty -m '" + message + "' && git push -q origin main")
}

// run runs a script of an example.
func (e *fluxExample) run(name string) string {
	e.t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", "flux", name))
	if err != nil {
		e.t.Fatal(err)
	}
	return e.shell("sh " + path)
}

// stampsIn returns the stamps in manifests by the names of the workloads.
func stampsIn(text string) map[string]string {
	out, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "name: "); ok {
			name = rest
		}
		if stamp, ok := strings.CutPrefix(line, "checksum.rollstamp.dev/"); ok {
			out[name] = stamp
		}
	}
	return out
}

// moved returns the workloads whose stamps are others.
func moved(before, after map[string]string) (names string) {
	for _, name := range []string{"web", "worker", "cache"} {
		if before[name] == "" || after[name] == "" {
			return "a stamp is missing"
		}
		if before[name] != after[name] {
			names += name + " "
		}
	}
	return names
}

// restarts changes what the example reads, one thing after the other, and compares what restarts.
func (e *fluxExample) restarts(publish func() map[string]string) {
	e.t.Helper()
	before := publish()
	for _, change := range []struct{ script, want string }{
		{"sed -i.bak 's/GREETING: hello/GREETING: good morning/' apps/settings.yaml", "web "},
		{"sed -i.bak 's/level: info/level: debug/' clusters/production/apps.yaml", "worker "},
		{"sed -i.bak 's/memory: 64mb/memory: 65mb/' apps/cache.yaml", "cache "},
		{"echo nothing > README.md", ""},
	} {
		e.shell(change.script + "; rm -f */*.bak */*/*.bak")
		e.commit("change")
		after := publish()
		if got := moved(before, after); got != change.want {
			e.t.Errorf("after %s: %q restart, want %q", change.script, got, change.want)
		}
		before = after
	}
}

// TestExamplesOfFlux runs what examples/flux says, as it is.
func TestExamplesOfFlux(t *testing.T) {
	t.Run("patches in Git", func(t *testing.T) { fluxPatches(t, newFluxExample(t)) })
	t.Run("an artifact", func(t *testing.T) { fluxArtifact(t, newFluxExample(t)) })
	t.Run("a rendered branch", func(t *testing.T) { fluxBranch(t, newFluxExample(t)) })
}

// fluxPatches runs the entry of the hook; Flux reads the objects in the repository.
func fluxPatches(t *testing.T, e *fluxExample) {
	var file struct {
		Repos []struct{ Hooks []struct{ Entry string } }
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "flux", "patches", "pre-commit-config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	entry := file.Repos[0].Hooks[0].Entry
	e.restarts(func() map[string]string {
		e.shell(entry)
		e.commit("stamps")
		if out := e.shell(entry + " --check"); out != "" {
			t.Errorf("after a commit: %s", out)
		}
		return stampsIn(e.shell("cat clusters/production/apps.yaml apps/cache.yaml"))
	})
}

// fluxArtifact runs the script against a registry, and reads what source-controller would.
func fluxArtifact(t *testing.T, e *fluxExample) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer s.Close()
	address := s.Listener.Addr().String() + "/shop"
	e.env = append(e.env, "REPOSITORY=oci://"+address)
	var last string
	e.restarts(func() map[string]string {
		last = e.run("artifact/publish.sh")
		dir := t.TempDir()
		if err := unpackArtifact(address+":latest", dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "flux-system", "apps.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return stampsIn(string(text))
	})
	if !strings.Contains(last, "nothing is published") {
		t.Errorf("a change of nothing that is applied: %s", last)
	}
}

// fluxBranch runs the script against a remote of Git, and reads what Flux reads of the branch: the Kustomization of the
// example builds it.
func fluxBranch(t *testing.T, e *fluxExample) {
	reader, err := filepath.Abs(filepath.Join("..", "..", "examples", "flux", "branch", "flux.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var last string
	e.restarts(func() map[string]string {
		last = e.run("branch/publish.sh")
		e.shell("rm -rf ../read ../applied && git clone -q --branch rendered ../remote.git ../read && rollstamp flux build " + reader +
			" --source GitRepository/flux-system/rendered=../read --source GitRepository/flux-system/flux-system=. --no-stamp --output-dir ../applied")
		return stampsIn(e.shell("cat ../applied/flux-system/shop.yaml"))
	})
	if !strings.Contains(last, "the branch has this already") {
		t.Errorf("a change of nothing that is applied: %s", last)
	}
	if got := e.shell("git -C ../remote.git log --oneline rendered | wc -l"); strings.TrimSpace(got) != "5" {
		t.Errorf("the branch has %s commits, want 5: one without files, and one for each change", got)
	}
	if got := e.shell("grep -c '^kind: Deployment' ../applied/flux-system/shop.yaml || true"); strings.TrimSpace(got) != "2" {
		t.Errorf("Flux applies %s Deployments of the branch, want 2: the chart's is helm-controller's", got)
	}
}
