package helm

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// server is a Helm repository on loopback, over a folder of packages.
type server struct {
	*httptest.Server
	dir  string
	hits atomic.Int64
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{dir: t.TempDir()}
	files := http.FileServer(http.Dir(s.dir))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// helm runs the real helm and fails the test where it fails.
func helm(t *testing.T, args ...string) {
	t.Helper()
	if out, stderr, err := realHelm(t, "", args...); err != nil {
		t.Fatalf("helm %v: %v\n%s%s", args, err, out, stderr)
	}
}

// publish packages the cache chart in some versions, and writes the index again, with relative URLs or below base.
func (s *server) publish(t *testing.T, base string, versions ...string) {
	t.Helper()
	for _, v := range versions {
		helm(t, "package", filepath.Join(charts, "shop/charts/cache"), "--version", v, "--destination", s.dir)
	}
	args := []string{"repo", "index", s.dir}
	if base != "" {
		args = append(args, "--url", base)
	}
	helm(t, args...)
}

// user makes a chart that depends on the cache chart.
func user(t *testing.T, repository, version string) string {
	t.Helper()
	return writeChart(t, map[string]string{
		"Chart.yaml":  fmt.Sprintf("apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: cache, version: %q, repository: %q, alias: pages}\n", version, repository),
		"values.yaml": "global: {domain: x}\npages: {size: 9}\n", "templates/a.yaml": "a: {{ (index .Subcharts \"pages\").Chart.Version }}\n",
	})
}

func online(t *testing.T, path string) render.Request {
	return render.Request{Path: path, CacheDir: t.TempDir(), Allow: config.Permissions{Network: true}}
}

func TestDependenciesOfARepositoryRenderAsUpdatedByHelm(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/absolute"} {
		s := newServer(t)
		if base != "" {
			link(t, s.dir, filepath.Join(s.dir, "absolute"))
			base = s.URL + base
		}
		s.publish(t, base, "0.3.7", "0.3.10", "0.4.0", "0.5.0-rc.1")
		for constraint, want := range map[string]string{"^0.3.0": "0.3.10", "0.3.7": "0.3.7", "*": "0.4.0", ">=0.5.0-0": "0.5.0-rc.1"} {
			req := online(t, user(t, s.URL, constraint))
			before := listing(t, req.Path)
			got := must(t, req)
			if listing(t, req.Path) != before {
				t.Error("rendering changed the source tree")
			}
			if !strings.Contains(string(got.Text), "a: "+want+"\n") {
				t.Errorf("%s: not version %s:\n%s", constraint, want, got.Text)
			}
			helm(t, "dependency", "update", req.Path)
			theirs, stderr, err := realHelm(t, "", "template", req.Path)
			if err != nil {
				t.Fatalf("helm template: %v\n%s", err, stderr)
			}
			if !bytes.Equal(got.Text, theirs) {
				t.Errorf("%s: %s", constraint, firstDifference(got.Text, theirs))
			}
		}
	}
}

func TestLockedDependencyStaysAndNeedsTheNetworkOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.publish(t, "", "0.3.7")
	req := online(t, user(t, s.URL, "^0.3.0"))
	helm(t, "dependency", "update", req.Path) // writes Chart.lock
	if err := os.RemoveAll(filepath.Join(req.Path, "charts")); err != nil {
		t.Fatal(err)
	}
	s.publish(t, "", "0.3.9")
	first := must(t, req)
	if !strings.Contains(string(first.Text), "a: 0.3.7\n") {
		t.Errorf("the lock does not hold:\n%s", first.Text)
	}
	hits := s.hits.Load()
	if again := must(t, req); !bytes.Equal(again.Text, first.Text) || s.hits.Load() != hits {
		t.Errorf("the second render asked the server %d times", s.hits.Load()-hits)
	}
	req.Helm.DependencyUpdate = true
	if updated := must(t, req); !strings.Contains(string(updated.Text), "a: 0.3.9\n") {
		t.Errorf("--dependency-update keeps the lock:\n%s", updated.Text)
	}
}

func TestArchiveInTheCacheIsFetchedOnceAndAgainWhenDamaged(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.publish(t, "", "0.3.7")
	req := online(t, user(t, s.URL, "^0.3.0"))
	fetched := func() int64 {
		before := s.hits.Load()
		must(t, req)
		return s.hits.Load() - before
	}
	if n := fetched(); n != 2 {
		t.Errorf("the first render asked the server %d times, want index and archive", n)
	}
	if n := fetched(); n != 1 {
		t.Errorf("the second render asked the server %d times, want the index", n)
	}
	kept, err := filepath.Glob(filepath.Join(req.CacheDir, "helm/archives/*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %v (%v)", kept, err)
	}
	writeFile(t, kept[0], "damaged")
	if n := fetched(); n != 2 {
		t.Errorf("with a damaged archive the render asked the server %d times", n)
	}
}

func TestSimultaneousRendersShareACache(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.publish(t, "", "0.3.7")
	req := online(t, user(t, s.URL, "0.3.7"))
	want := must(t, online(t, req.Path)).Text
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			out, err := Engine{}.Render(t.Context(), req)
			if err != nil || !bytes.Equal(out.Text, want) {
				t.Errorf("error %v, or other text", err)
			}
		})
	}
	all.Wait()
	left, err := filepath.Glob(filepath.Join(req.CacheDir, "helm/*/.part-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestDependencyThatCannotBeFetchedIsAnErrorOfTheSource(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.publish(t, "", "0.3.7")
	index, err := os.ReadFile(filepath.Join(s.dir, "index.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, old, new string) {
		writeFile(t, filepath.Join(s.dir, name, "index.yaml"), strings.ReplaceAll(string(index), old, new))
	}
	write("digest", "digest: ", "digest: 00")
	link(t, filepath.Join(s.dir, "cache-0.3.7.tgz"), filepath.Join(s.dir, "digest/cache-0.3.7.tgz"))
	write("gone", "cache-0.3.7.tgz", "gone.tgz")
	write("empty", "entries:", "other:")
	write("broken", "entries:", "entries: [")
	for repository, want := range map[string]string{
		s.URL + "/nowhere": "404", s.URL + "/digest": "the index has", s.URL + "/gone": "404", s.URL + "/empty": "no such chart", s.URL + "/broken": "read index",
		"http://user:hunter2@127.0.0.1:1/x?token=hunter2": "refused", "@stable": "helm repo add", "oci://127.0.0.1:1/x": "refused",
	} {
		_, err := Engine{}.Render(t.Context(), online(t, user(t, repository, "^0.3.0")))
		if err == nil || diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want %q", repository, err, want)
		}
	}
	if _, err := (Engine{}).Render(t.Context(), online(t, user(t, s.URL, "^7"))); diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), "no version") {
		t.Errorf("error %v", err)
	}
}

func TestDependenciesOfARegistryAreFetched(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	repository := "oci://" + strings.TrimPrefix(server.URL, "http://") + "/charts"
	dir := t.TempDir()
	for _, v := range []string{"0.3.7", "0.3.9+build.1", "0.4.0"} {
		helm(t, "package", filepath.Join(charts, "shop/charts/cache"), "--version", v, "--destination", dir)
		helm(t, "push", filepath.Join(dir, "cache-"+v+".tgz"), repository, "--plain-http")
	}
	for constraint, want := range map[string]string{"^0.3.0": "0.3.9+build.1", "0.3.7": "0.3.7", "*": "0.4.0", "0.3.9+build.1": "0.3.9+build.1"} {
		req := online(t, user(t, repository, constraint))
		got := must(t, req)
		if !strings.Contains(string(got.Text), "a: "+want+"\n") {
			t.Errorf("%s: not version %s:\n%s", constraint, want, got.Text)
		}
		before := hits.Load()
		if again := must(t, req); !bytes.Equal(again.Text, got.Text) {
			t.Error(firstDifference(again.Text, got.Text))
		}
		if exact := want == constraint; exact && hits.Load() != before {
			t.Errorf("%s: the second render asked the registry", constraint)
		}
		helm(t, "dependency", "update", req.Path, "--plain-http")
		theirs, stderr, err := realHelm(t, "", "template", req.Path)
		if err != nil || !bytes.Equal(got.Text, theirs) {
			t.Errorf("%s: %v %s %s", constraint, err, stderr, firstDifference(got.Text, theirs))
		}
	}
	for version, want := range map[string]string{"9.9.9": "read manifest", "^9": "no version"} {
		if _, err := (Engine{}).Render(t.Context(), online(t, user(t, repository, version))); diag.ExitOf(
			err,
		) != diag.ExitSource ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", version, err)
		}
	}
}

func TestValuesAreFetchedWithPermissionOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	writeFile(t, filepath.Join(s.dir, "v.yaml"), "banner: fetched\n")
	req := request("shop")
	values(s.URL + "/v.yaml")(&req)
	_, err := Engine{}.Render(t.Context(), req)
	if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), "not allowed") || s.hits.Load() != 0 {
		t.Errorf("error %v, %d requests", err, s.hits.Load())
	}
	req.Allow.Network = true
	if out := sameAsHelm(t, req); !strings.Contains(string(out.Text), "banner: \"fetched\"") {
		t.Errorf("values were not taken:\n%s", out.Text)
	}
	req.Helm.ValuesFiles = []string{s.URL + "/none.yaml?token=hunter2"}
	if _, err := (Engine{}).Render(t.Context(), req); diag.ExitOf(err) != diag.ExitSource || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

func TestTheNetworkIsAskedAtTheHostsThatItIsAllowedForOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.publish(t, "", "0.3.7")
	writeFile(t, filepath.Join(s.dir, "v.yaml"), "banner: fetched\n")
	withValues := request("shop")
	values(s.URL + "/v.yaml")(&withValues)
	requests := map[string]render.Request{
		"a repository": {Path: user(t, s.URL, "^0.3.0")}, "a registry": {Path: user(t, "oci://"+strings.TrimPrefix(s.URL, "http://"), "^0.3.0")},
		"values": withValues, "a schema": {Path: writeChart(t, map[string]string{"values.schema.json": fmt.Sprintf(`{"$ref": %q}`, s.URL+"/port.json")})},
	}
	for name, req := range requests {
		req.CacheDir, req.Allow = t.TempDir(), config.Permissions{Network: true, Hosts: "charts.example.com,*.corp"}
		_, err := Engine{}.Render(t.Context(), req)
		if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(err.Error(), "the network is not allowed for 127.0.0.1, but for charts.example.com, *.corp") || s.hits.Load() != 0 {
			t.Errorf("%s: error %v, %d requests", name, err, s.hits.Load())
		}
		if hint := diag.HintOf(err); !strings.Contains(hint, "--allow network=127.0.0.1.") {
			t.Errorf("%s: hint %q", name, hint)
		}
	}
	pulled := Engine{Allow: config.Permissions{Network: true, Hosts: "*.corp"}, CacheDir: t.TempDir()}
	if _, err := pulled.Pull(t.Context(), s.URL, "cache", "0.3.7"); diag.ExitOf(err) != diag.ExitSource || s.hits.Load() != 0 {
		t.Errorf("error %v, %d requests", err, s.hits.Load())
	}
	for _, name := range []string{"a repository", "values"} {
		req := requests[name]
		req.CacheDir, req.Allow = t.TempDir(), config.Permissions{Network: true, Hosts: "*.corp,127.0.0.1"}
		must(t, req)
	}
}

func TestSchemaReferencesAreFollowedWithPermissionOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	writeFile(t, filepath.Join(s.dir, "port.json"), `{"type": "integer"}`)
	local := filepath.Join(t.TempDir(), "port.json")
	writeFile(t, local, `{"type": "integer"}`)
	for ref, allow := range map[string]config.Permissions{
		s.URL + "/port.json": {Network: true}, "file://" + local: {OutsideRoot: true}, "urn:example:unknown": {}, "#/$defs/port": {},
	} {
		dir := writeChart(t, map[string]string{
			"values.yaml":        "port: 8080\n",
			"values.schema.json": fmt.Sprintf(`{"properties": {"port": {"$ref": %q}}, "$defs": {"port": {"type": "integer"}}}`, ref),
			"templates/a.yaml":   "a: {{ .Values.port }}\n",
		})
		req := render.Request{Path: dir}
		if allow != (config.Permissions{}) {
			_, err := Engine{}.Render(t.Context(), req)
			if err == nil || !strings.Contains(err.Error(), "schema refers to") || diag.HintOf(err) == "" {
				t.Errorf("%s without permission: error %v", ref, err)
			}
		}
		req.Allow = allow
		sameAsHelm(t, req)
		set("port=none")(&req)
		if _, err := (Engine{}).Render(t.Context(), req); (err == nil) != strings.HasPrefix(ref, "urn:") {
			t.Errorf("%s with a value that does not fit: error %v", ref, err)
		}
	}
}
