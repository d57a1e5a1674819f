package contract

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// endless is a chart that takes some minutes to render.
const endless = `
-- Chart.yaml --
apiVersion: v2
name: endless
version: 1.0.0
-- templates/all.yaml --
{{- range until 10000 }}{{- range until 10000 }}{{- range until 100 }}{{ end }}{{ end }}{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: {name: late}
`

func TestOurDeadlineComesBeforeThatOfArgoCD(t *testing.T) {
	both(t, sidecar{args: []string{"--timeout", "500ms"}}, func(t *testing.T, s *parts.Server) {
		text := refused(t, s, shop(folder.New(t, endless)))
		says(t, text, "500ms")
		hides(t, text, "signal: killed")
	})
}

func TestARenderThatArgoCDGivesUpLeavesNothingBehind(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := shop(folder.New(t, endless))
		call.Deadline = time.Second
		if _, err := s.Generate(t, call); err == nil {
			t.Fatal("an answer, want an error")
		}
		quiet, last := 0, s.CPU(t)
		s.Until(t, "all has gone that the request made, and nothing works on it", func() bool {
			now := s.CPU(t)
			if quiet++; now != last {
				quiet, last = 0, now
			}
			return quiet > 20 && len(s.LeftFiles(t)) == 0 && len(s.Strays(t)) == 0
		})
	})
}

func TestStandardInputIsNotRead(t *testing.T) {
	call := shop(folder.New(t, web))
	cmd := exec.Command(process.Rollstamp(t), "argocd", "generate")
	cmd.Dir, cmd.Env = call.Repo, append(call.Environ(t), "HOME="+folder.Empty(t))
	input, err := cmd.StdinPipe() // stays open: who reads it waits for ever
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	if _, err := input.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-stdin}\n")); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	says(t, string(out), "name: web")
	hides(t, string(out), "from-stdin")
}

func TestAHundredRendersLeaveNoProcessAndNoFile(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, web)
		broken := folder.New(t, refusals["a renderer that fails"].tree)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range 25 {
					call := shop(repo)
					if i%5 == 0 {
						call.Repo = broken
					}
					if _, err := s.Generate(t, call); (err != nil) != (call.Repo == broken) {
						t.Errorf("render %d: %v", i, err)
					}
				}
			})
		}
		all.Wait()
		// Argo CD's server signals the group of each command 5 s after its end; what matters is that no process of it
		// is left.
		if strays := s.Strays(t); len(strays) > 0 {
			t.Errorf("processes left: %v", strays)
		}
		if left := s.LeftFiles(t); len(left) > 0 {
			t.Errorf("files left: %v", left)
		}
	})
}

func TestAServerThatIsToldToStopDuringARenderLeavesNothingBehind(t *testing.T) {
	t.Run("behind argocd-cmp-server", func(t *testing.T) {
		// It takes its socket away and stays until it is killed; the render goes on and is answered.
		s := behind(t, sidecar{args: []string{"--timeout", "2s"}})
		done := make(chan error, 1)
		repo := folder.New(t, endless)
		go func() {
			_, err := s.Generate(t, shop(repo))
			done <- err
		}()
		s.Until(t, "a render runs", func() bool { return len(s.Children(t)) > 0 })
		s.Signal(t, syscall.SIGTERM)
		if err := <-done; err == nil || !strings.Contains(err.Error(), "2s") {
			t.Errorf("got %v, want our own deadline", err)
		}
		if left := s.LeftFiles(t); len(left) > 0 {
			t.Errorf("files left: %v", left)
		}
	})
	t.Run("rollstamp argocd serve", func(t *testing.T) {
		s := parts.StartServe(t, "rollstamp", []string{"--grace", "500ms"}, parts.Sidecar{})
		render(t, s, shop(folder.New(t, web)))
		done := make(chan error, 1)
		repo := folder.New(t, endless)
		before := s.CPU(t)
		go func() {
			_, err := s.Generate(t, shop(repo))
			done <- err
		}()
		s.Until(t, "a render runs", func() bool { return s.CPU(t) > before+50*time.Millisecond })
		s.Signal(t, syscall.SIGTERM)
		if err := <-done; err == nil {
			t.Error("an answer, want an error")
		}
		s.AwaitEnd(t)
		if left := s.LeftFiles(t); len(left) > 0 {
			t.Errorf("files left: %v", left)
		}
		if _, err := os.Stat(filepath.Join(s.Plugins, "rollstamp.sock")); err == nil {
			t.Error("the socket is still there")
		}
	})
}

func TestAFullDiskIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	call := shop(folder.New(t, web))
	cmd := exec.Command(process.Rollstamp(t), "argocd", "generate")
	cmd.Dir, cmd.Env, cmd.Stdout = call.Repo, append(call.Environ(t), "HOME="+folder.Empty(t)), full
	if err := cmd.Run(); err == nil {
		t.Error("the manifests went nowhere, and that was no error")
	}
}

func TestSettingsOfThePluginFileDoNotMatter(t *testing.T) {
	for name, change := range map[string]func(*parts.Plugin){
		"preserveFileMode": func(p *parts.Plugin) { p.PreserveFileMode = true },
		"provideGitCreds":  func(p *parts.Plugin) { p.ProvideGitCreds = true },
		"init":             func(p *parts.Plugin) { p.Init = []string{"rollstamp", "argocd", "init"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := behind(t, sidecar{plugin: change})
			if got := render(t, s, shop(folder.New(t, web))); len(got) != 2 {
				t.Errorf("got %v", keys(got))
			}
		})
	}
}

func TestNothingButTheTemporaryFolderHasToBeWritable(t *testing.T) {
	call := shop(folder.New(t, chart))
	tmp := folder.Empty(t)
	cmd := exec.Command(process.Rollstamp(t), "argocd", "generate")
	cmd.Dir = call.Repo
	cmd.Env = append(call.Environ(t), "HOME=/proc/no-home", "TMPDIR="+tmp) // nobody can make a folder in /proc, root neither
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 999, Gid: 999}}
		for _, dir := range []string{call.Repo, tmp} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(tmp, 999, 999); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Log("not root: this runs as the user of the tests instead of user 999")
	}
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, diagnostics.String())
	}
	says(t, string(out), "name: facts")
	if entries, _ := os.ReadDir(tmp); len(entries) > 0 {
		t.Errorf("%d files left in the temporary folder", len(entries))
	}
}

func TestADependencyThatComesAtTheSecondTryIsNoErrorToArgoCD(t *testing.T) {
	// An error is kept for an hour after a few tries, so what passes by itself must not become one.
	both(t, sidecar{env: []string{"ROLLSTAMP_ALLOW=network"}}, func(t *testing.T, s *parts.Server) {
		var asked atomic.Int32
		repository := chartRepository(t, func() bool { return asked.Add(1) == 1 })
		got := render(t, s, shop(folder.New(t, strings.ReplaceAll(umbrella, "REPOSITORY", repository))))
		if got["ConfigMap child"] == nil || asked.Load() < 2 {
			t.Errorf("got %v after %d requests", keys(got), asked.Load())
		}
	})
}

const umbrella = `
-- Chart.yaml --
apiVersion: v2
name: umbrella
version: 1.0.0
dependencies: [{name: child, version: 0.1.0, repository: "REPOSITORY"}]
`

// chartRepository serves a repository with one chart, and nothing but errors while fails says so.
func chartRepository(t *testing.T, fails func() bool) string {
	t.Helper()
	archive := packed(t, map[string]string{
		"child/Chart.yaml":       "apiVersion: v2\nname: child\nversion: 0.1.0\n",
		"child/templates/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: child}\n",
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case fails():
			http.Error(w, "overloaded", http.StatusServiceUnavailable)
		case r.URL.Path == "/index.yaml":
			fmt.Fprint(w, "apiVersion: v1\nentries:\n  child:\n  - {apiVersion: v2, name: child, version: 0.1.0, urls: [child-0.1.0.tgz]}\n")
		case r.URL.Path == "/child-0.1.0.tgz":
			_, _ = w.Write(archive)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// packed makes the archive of a chart.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, name := range keys(files) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
