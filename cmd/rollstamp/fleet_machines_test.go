package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// cacheServer is a server of the protocol of Bazel's caches, which holds what it gets.
type cacheServer struct{ entries sync.Map }

func (s *cacheServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.entries.Store(r.URL.Path, body)
		return
	}
	text, ok := s.entries.Load(r.URL.Path)
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(text.([]byte))
}

// writeMany writes so many applications: charts, kustomizations and plain manifests.
func (h *history) writeMany(count int) {
	h.write("base/kustomization.yaml", "resources: [web.yaml, config.yaml]\n")
	h.write("base/web.yaml", cachedWorkload)
	h.write("base/config.yaml", cachedConfig("settings", "base"))
	for i := range count {
		dir := fmt.Sprintf("apps/a%05d/", i)
		switch i % 3 {
		case 0:
			h.write(dir+"Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
			h.write(dir+"values.yaml", fmt.Sprintf("key: value %d\n", i))
			h.write(dir+"templates/all.yaml", cachedWorkload+"---\n"+cachedConfig("settings", "{{ .Values.key }}"))
		case 1:
			h.write(dir+"kustomization.yaml", fmt.Sprintf("namespace: shop-%d\nresources: [../../base]\n", i))
		default:
			h.write(dir+"all.yaml", cachedWorkload+"---\n"+cachedConfig("settings", strconv.Itoa(i)))
		}
	}
}

// TestTwoMachinesReportWhatOneRunDoes compares in two processes side by side that share nothing but the repository, a
// cache server and a folder of results. ROLLSTAMP_APPLICATIONS says how many applications there are.
func TestTwoMachinesReportWhatOneRunDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("renders some thousand applications")
	}
	count := 1000
	if n, err := strconv.Atoi(os.Getenv("ROLLSTAMP_APPLICATIONS")); err == nil {
		count = n
	}
	h := newHistory(t)
	h.writeMany(count)
	h.write("../key", rand.Text()+rand.Text())
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "one")
	h.write("apps/a00000/values.yaml", "key: another\n")
	h.write("base/config.yaml", cachedConfig("settings", "another"))
	server := httptest.NewServer(&cacheServer{})
	defer server.Close()
	run := func(home string, args ...string) (out, said string) {
		cmd := exec.Command("rollstamp", args...)
		cmd.Dir = h.top
		cmd.Env = append(os.Environ(), "HOME="+home, "ROLLSTAMP_HASH_KEY_FILE=../key")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Errorf("%v: %v\n%s", args, err, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	want, _ := run(t.TempDir(), "diff", "apps/*", "--from", "HEAD", "-o", "json")
	for _, cache := range []string{"empty", "filled"} {
		results, rendered := filepath.Join(t.TempDir(), "results"), [2]string{}
		var machines sync.WaitGroup
		for i := range rendered {
			machines.Go(func() {
				_, rendered[i] = run(t.TempDir(), "fleet", "part", "--index", strconv.Itoa(i), "--shards", "2",
					"--results", results, "apps/*", "--", "--from", "HEAD", "--render-cache", server.URL, "-v")
			})
		}
		machines.Wait()
		got, err := os.ReadFile(filepath.Join(results, "report.json"))
		if err != nil || string(got) != want {
			t.Errorf("with an %s cache: %v, two machines report %d bytes, one %d", cache, err, len(got), len(want))
		}
		for i, said := range rendered {
			if isFound := strings.Contains(said, " 0 found, "); isFound == (cache == "filled") {
				t.Errorf("with an %s cache, machine %d says %s", cache, i, said)
			}
			if cache == "filled" && !strings.Contains(said, " found, 0 rendered") {
				t.Errorf("machine %d renders again: %s", i, said)
			}
		}
	}
}
