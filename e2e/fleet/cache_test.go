package fleet_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// nginx serves a folder by WebDAV, as docs/scale.md has it, and returns the address and the folder of its files.
func nginx(t *testing.T) (address, dir string, server *process.Process) {
	t.Helper()
	binary, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: apt-get install nginx")
	}
	dir, port := folder.Empty(t), process.FreePort(t)
	conf := fmt.Sprintf(`daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/body;
  server {
    listen 127.0.0.1:%[2]s;
    location /rollstamp/ {
      root %[1]s;
      client_max_body_size 64m;
      dav_methods PUT;
      create_full_put_path on;
    }
  }
}
`, dir, port)
	folder.WriteFile(t, filepath.Join(dir, "nginx.conf"), conf)
	server = process.Run(t, "nginx", exec.Command(binary, "-c", filepath.Join(dir, "nginx.conf"), "-p", dir))
	server.Until(t, "nginx answers", func() bool {
		response, err := http.Get("http://127.0.0.1:" + port)
		if err == nil {
			response.Body.Close()
		}
		return err == nil
	})
	return "http://127.0.0.1:" + port + "/rollstamp", filepath.Join(dir, "rollstamp"), server
}

// cached runs rollstamp with a render cache, and returns what it prints and what it says of the cache.
func (w work) cached(t *testing.T, address string, args ...string) (out, said string) {
	t.Helper()
	cmd := exec.Command(process.Rollstamp(t), append(args, "-v")...)
	cmd.Dir = w.repository()
	cmd.Env = append(os.Environ(), "ROLLSTAMP_HASH_KEY_FILE="+filepath.Join(w.dir, "key", "hash-key"), "ROLLSTAMP_RENDER_CACHE="+address)
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("rollstamp %v: %v\n%s", args, err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "render cache") {
			said += line
		}
	}
	return string(text), said
}

func TestMachinesShareACacheServer(t *testing.T) {
	w := newWork(t, applications)
	address, dir, server := nginx(t)
	want := string(w.run(t, 0, "render", "apps/*"))
	hold := func(name, counts string) {
		t.Helper()
		got, said := w.cached(t, address, "render", "apps/*")
		if got != want {
			t.Errorf("%s: other bytes than without a cache:\n%s", name, cmp.Diff(want, got))
		}
		if !strings.Contains(said, counts) {
			t.Errorf("%s: it says %q, want %q", name, said, counts)
		}
	}
	hold("the first run", fmt.Sprintf("0 found, %d rendered", applications))
	hold("another machine", fmt.Sprintf("%d found, 0 rendered", applications))
	for path, text := range tree(t, dir) {
		if strings.Contains(text, canary) {
			t.Errorf("%s holds the value of a Secret", path)
		}
	}
	w.write(t, 5, sized("large"))
	want = string(w.run(t, 0, "render", "apps/*"))
	hold("a changed file", fmt.Sprintf("%d found, 1 rendered", applications-1))
	poison(t, dir)
	hold("a server that was tampered with", fmt.Sprintf("0 found, %d rendered", applications))
	server.Kill()
	hold("a server that is gone", fmt.Sprintf("0 found, %d rendered", applications))
}

func TestPartsOnTwoMachinesReportWhatOneRunDoes(t *testing.T) {
	w := newWork(t, many)
	address, _, _ := nginx(t)
	for i := 0; i < many; i += 100 {
		w.write(t, i, sized("large"))
	}
	want := string(w.run(t, 1, "diff", "apps/*", "--from", "HEAD", "-o", "json"))
	for _, run := range []string{"first", "second"} {
		for _, index := range []string{"1", "0"} {
			w.cached(t, address, "fleet", "part", "--index", index, "--shards", "2", "--results", filepath.Join(w.dir, run), "apps/*",
				"--", "--from", "HEAD")
		}
		if d := cmp.Diff(want, string(read(t, filepath.Join(w.dir, run, "report.json")))); d != "" {
			t.Errorf("the %s run reports otherwise (-want +got):\n%s", run, d)
		}
	}
}
