//go:build unix

package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// hanging is an application whose store takes a question and never answers.
type hanging struct {
	dir   string
	asked chan bool // a question came in
	count atomic.Int64
	env   []string
}

func newHanging(t *testing.T) *hanging {
	t.Helper()
	h := &hanging{dir: t.TempDir(), asked: make(chan bool, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		h.count.Add(1)
		h.asked <- true
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	h.write(t, "app/app.yaml", 0o600, `apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {vault: {path: secret, version: v2}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data: [{secretKey: password, remoteRef: {key: shop/db}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]}}}
`)
	h.env = []string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "VAULT_ADDR=" + server.URL, "VAULT_TOKEN=hvs.test", "ROLLSTAMP_STORES=" + filepath.Join(h.dir, "stores")}
	return h
}

func (h *hanging) write(t *testing.T, path string, mode os.FileMode, text string) {
	t.Helper()
	path = filepath.Join(h.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// start runs the program and waits until it has asked.
func (h *hanging) start(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	cmd.Stdout, cmd.Stderr = new(strings.Builder), new(strings.Builder)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	select {
	case <-h.asked:
	case <-time.After(2 * time.Minute): // not a wait without end where the program failed before
		t.Fatal("it asked nobody")
	}
	return cmd
}

// noneLeft checks that the other program has ended, and was waited for: a zombie has an id still.
func (h *hanging) noneLeft(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the other program runs on, or is a zombie: %v", err)
	}
}

func TestWhatAsksStoresEndsWithTheProgramThatStartedIt(t *testing.T) {
	t.Parallel()
	program, stores := filepath.Join(programs(t), "rollstamp"), storesProgram(t)
	for _, args := range [][]string{{"render", "app", "--secrets", "live", "--allow", "stores"}, {"lock", "app", "--allow", "stores"}} {
		for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
			t.Run(fmt.Sprint("asked to end, ", args[0], ", ", signal), func(t *testing.T) {
				t.Parallel()
				h := newHanging(t)
				h.write(t, "stores", 0o700, "#!/bin/sh\necho $$ > '"+h.dir+"/pid'\nexec '"+stores+"'\n")
				cmd := h.start(t, program, args...)
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				var ended *exec.ExitError
				if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 3 || fmt.Sprint(cmd.Stdout) != "" || !strings.Contains(fmt.Sprint(cmd.Stderr), "interrupted\n") {
					t.Errorf("got %v\n%s%s", err, cmd.Stdout, cmd.Stderr)
				}
				h.noneLeft(t)
			})
		}
	}
	t.Run("through", func(t *testing.T) {
		t.Parallel()
		h := newHanging(t)
		h.write(t, "stores", 0o700, "#!/bin/sh\necho $$ > '"+h.dir+"/pid'\nexec '"+stores+"' \"$@\"\n")
		h.write(t, "app/app.yaml", 0o600, `apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: "ENC[AES256_GCM,data:AA==,iv:AA==,tag:AA==,type:str]"}
sops: {mac: x}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]}}}
`)
		cmd := exec.Command(program, "render", "app", "--open-sops")
		cmd.Dir, cmd.Env = h.dir, h.env
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("the document cannot be opened: %s", out)
		}
		h.noneLeft(t)
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		h := newHanging(t)
		ended := filepath.Join(h.dir, "ended")
		if err := syscall.Mkfifo(ended, 0o600); err != nil {
			t.Fatal(err)
		}
		h.write(t, "stores", 0o700, "#!/bin/sh\n'"+stores+"'\necho > '"+ended+"'\n")
		cmd := h.start(t, program, "render", "app", "--secrets", "live", "--allow", "stores")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if _, err := os.ReadFile(ended); err != nil {
			t.Fatal(err)
		}
		if n := h.count.Load(); n != 1 {
			t.Errorf("nobody was left to answer to, and the store was asked %d times", n)
		}
	})
}
