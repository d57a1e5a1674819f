package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// cachedApps are servedApps and two more, and which of them may be stored.
func cachedApps() (files map[string]string, stored map[string]bool) {
	files, stored = repository(), map[string]bool{"repeated": true, "random": false}
	for name := range servedApps {
		stored[name] = slices.Contains([]string{"chart", "kustomization", "plain"}, name)
	}
	files["apps/repeated/a.yaml"] = configMapWith("a") + "---\n" + configMapWith("a")
	files["apps/random/Chart.yaml"] = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
	files["apps/random/templates/all.yaml"] = configMapWith("{{ randAlphaNum 9 }}")
	return files, stored
}

// answersOf asks a new server for each application, and returns what it answers, logs and counts, and how often the
// answer came from the cache of renders.
func answersOf(t *testing.T, all map[string]string, stored map[string]bool, args ...string) (
	said map[string]string, found []string,
) {
	t.Helper()
	address := freeAddress(t)
	s := serveFor(t, append([]string{"--listen", address}, args...)...)
	packed, said := servetest.Archive(t, all), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		env := callOf(name)
		env["ARGOCD_APP_NAME"] = strings.ReplaceAll(name, " ", "-")
		m, err := s.Manifests(t.Context(), servetest.Upload{Archive: packed, Dir: "apps/" + name, Env: env})
		said[name] = strings.Join(m, "\n") + status.Convert(err).Message()
	}
	page := pageAt(t, "http://"+address+"/metrics")
	said["metrics"] = strings.Join(regexp.MustCompile(`(?m)^rollstamp_(findings|manifests|workloads|sent|stamped)\w*_total.*$`).FindAllString(page, -1), "\n")
	s.stop()
	for line := range strings.Lines(s.log.String()) {
		var entry struct{ Msg, App, How string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		switch {
		case entry.Msg == "finding":
			_, rest, _ := strings.Cut(line, `"msg"`)
			said["findings of "+entry.App] += rest
		case entry.How == "render-cache":
			found = append(found, entry.App)
		}
	}
	delete(said, "random")
	return said, found
}

// TestServeTakesRendersOfAnotherProcess compares a server without a cache with two that have one, after each other.
func TestServeTakesRendersOfAnotherProcess(t *testing.T) {
	all, stored := cachedApps()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--hash-key-file", key}, {"--isolate=false", "--refuse-duplicates"}} {
		cache := filepath.Join(t.TempDir(), "renders")
		want, _ := answersOf(t, all, stored, args...)
		args = append(args, "--render-cache", cache)
		first, found := answersOf(t, all, stored, args...)
		if len(found) > 0 || !maps.Equal(first, want) {
			t.Errorf("%v: an empty cache has %v, and it answers\n%v\nwithout one\n%v", args, found, first, want)
		}
		second, found := answersOf(t, all, stored, args...)
		if !maps.Equal(second, want) {
			t.Errorf("%v: stored renders are\n%v\nothers\n%v", args, second, want)
		}
		var names []string
		for name, is := range stored {
			if is && !(name == "repeated" && slices.Contains(args, "--refuse-duplicates")) {
				names = append(names, name)
			}
		}
		if slices.Sort(names); !slices.Equal(slices.Sorted(slices.Values(found)), names) {
			t.Errorf("%v: %v come from the cache, want %v", args, found, names)
		}
	}
}

// TestAStoredRenderIsWatched has a render stored where objects may be repeated, and asks where they may not.
func TestAStoredRenderIsWatched(t *testing.T) {
	all, stored := cachedApps()
	cache, only := filepath.Join(t.TempDir(), "renders"), map[string]bool{"repeated": stored["repeated"]}
	if said, _ := answersOf(t, all, only, "--render-cache", cache); !strings.Contains(said["repeated"], "kind: ConfigMap") {
		t.Fatalf("it is %v", said)
	}
	want, _ := answersOf(t, all, only, "--refuse-duplicates")
	got, _ := answersOf(t, all, only, "--refuse-duplicates", "--render-cache", cache)
	if !maps.Equal(got, want) || !strings.Contains(got["repeated"], "twice") {
		t.Errorf("stored it is\n%v\nand rendered\n%v", got, want)
	}
}

// TestTenantsShareNoStoredRender asks for one name and path with the content of two tenants, in turn.
func TestTenantsShareNoStoredRender(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "renders")
	for range 3 {
		s := serveFor(t, "--render-cache", cache, "--cache-bytes", "0")
		for _, tenant := range []string{"one", "two"} {
			m, err := s.Manifests(t.Context(), servetest.Upload{
				Archive: servetest.Archive(t, map[string]string{"a/a.yaml": configMapWith("of tenant " + tenant)}), Dir: "a",
				Env: map[string]string{"ARGOCD_APP_NAME": "x", "ARGOCD_APP_PROJECT_NAME": tenant}})
			if text := strings.Join(m, "\n"); err != nil || strings.Count(text, "of tenant") != 1 || !strings.Contains(text, "of tenant "+tenant) {
				t.Errorf("%s gets %v, %s", tenant, err, text)
			}
		}
		s.stop()
	}
}

// TestServeGoesOnWithoutItsCache takes the folder away, damages what is in it, and gives it to somebody else.
func TestServeGoesOnWithoutItsCache(t *testing.T) {
	all, stored := cachedApps()
	want, _ := answersOf(t, all, stored)
	cache := filepath.Join(t.TempDir(), "renders")
	answersOf(t, all, stored, "--render-cache", cache)
	err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.WriteFile(path, bytes.Repeat([]byte("x"), 500), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	got, found := answersOf(t, all, stored, "--render-cache", cache)
	for name, text := range got {
		if text != want[name] && name != "metrics" && !strings.HasPrefix(name, "findings of ") {
			t.Errorf("%s is %s with a damaged cache, and without one %s", name, text, want[name])
		}
	}
	if len(found) > 0 || !strings.Contains(got["findings of chart"], string(diag.CacheDamaged)) {
		t.Errorf("%v come from it, and of a chart is said %s", found, got["findings of chart"])
	}
	s := serveFor(t, "--isolate=false", "--render-cache", cache)
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	packed := servetest.Archive(t, all)
	for _, name := range []string{"chart", "plain"} {
		m, err := s.Manifests(t.Context(), servetest.Upload{Archive: packed, Dir: "apps/" + name, Env: callOf(name)})
		if err != nil || len(m) == 0 {
			t.Errorf("%s is not answered: %v", name, err)
		}
	}
	s.stop()
	if !strings.Contains(s.log.String(), "is not used for now") {
		t.Errorf("nothing is said of the cache that is gone: %s", s.log)
	}
}

func TestServeDoesNotBeginWithACacheThatItMustNotUse(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{shared: "other users may use it", "https://cache.example.com/x": "for runs with a hash key"} {
		var out, errs bytes.Buffer
		exit := run(t.Context(), []string{"argocd", "serve", "--plugins-dir", t.TempDir(), "--render-cache", dir}, config.Environment(),
			streamsOf(&out, &errs))
		if exit != diag.ExitUsage || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: %d, %s", dir, exit, &errs)
		}
	}
}
