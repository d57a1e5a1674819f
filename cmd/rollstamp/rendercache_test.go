package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// cachedWorkload consumes an object of each sort.
const cachedWorkload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: db, optional: true}}]
`

func cachedConfig(name, value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {key: \"" + value + "\"}\n"
}

const cachedExternal = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data: [{secretKey: password, remoteRef: {key: db}}]
`

// cachedTree is what the files of the tree may hold, the first being what they begin with; "" is no file, and "-> "
// begins a link.
var cachedTree = map[string][]string{
	".rollstamp.yaml": {"secrets: {policy: lock}\n", "", "liveVolumes: true\n", "strategy: env\n",
		"secrets: {policy: lock, notLocked: spec}\n", "ignore: [{kind: ConfigMap, name: settings}]\n", "namespace: [\n"},
	"rollstamp.lock": {"schema 3\nClusterSecretStore/vault db version 1\n", "", "schema 3\nClusterSecretStore/vault db version 2\n",
		"schema 3\nClusterSecretStore/vault db version 1\nClusterSecretStore/vault other version 9\n",
		"schema 3\nClusterSecretStore/vault db version 1\npath/apps/plain Deployment//web restart 2026-05-01T10:00:00Z a x\n"},
	"common/values.yaml": {"key: common\n", "key: other\n"},

	"apps/chart/Chart.yaml":            {"apiVersion: v2\nname: web\nversion: 1.0.0\n", "apiVersion: v2\nname: web\nversion: 1.0.1\n"},
	"apps/chart/values.yaml":           {"key: one\n", "key: two\n", "", "key: [\n"},
	"apps/chart/.helmignore":           {"", "extra.yaml\n"},
	"apps/chart/templates/web.yaml":    {cachedWorkload + "---\n" + cachedConfig("settings", "{{ .Values.key }}")},
	"apps/chart/templates/extra.yaml":  {"", cachedConfig("extra", "{{ .Chart.Version }}"), "{{ fail \"no\" }}\n"},
	"apps/chart/templates/random.yaml": {"", "", "", cachedConfig("random", "{{ randAlphaNum 5 }}")},
	"apps/chart/files/text":            {"", "text"},
	"apps/chart/templates/files.yaml":  {"", cachedConfig("files", "{{ .Files.Get \"files/text\" }}")},

	"apps/over/kustomization.yaml": {"namespace: shop\nresources: [../../base]\n", "resources: [../../base, more.yaml]\n",
		"resources: [../../base]\nnamePrefix: a-\npatches: [{path: patch.yaml}]\n"},
	"apps/over/more.yaml":        {"", cachedConfig("more", "1")},
	"apps/over/patch.yaml":       {cachedConfig("settings", "patched"), cachedConfig("absent", "x")},
	"base/kustomization.yaml":    {"resources: [web.yaml]\nconfigMapGenerator: [{name: settings, envs: [settings.env]}]\n", "resources: [web.yaml, config.yaml]\n"},
	"base/kustomization.yml":     {"", "", "", "resources: []\n"},
	"base/settings.env":          {"key=one\n", "key=two\nmore=x\n"},
	"base/web.yaml":              {cachedWorkload},
	"base/config.yaml":           {cachedConfig("settings", "base"), cachedConfig("settings", "changed")},
	"apps/plain/web.yaml":        {cachedWorkload, cachedWorkload + "---\n" + cachedExternal},
	"apps/plain/external.yaml":   {cachedExternal, ""},
	"apps/plain/config.yml":      {cachedConfig("settings", "1"), cachedConfig("settings", "2"), "", "a: [\n"},
	"apps/plain/link.yaml":       {"", "-> ../../base/config.yaml", "-> config.yml"},
	"apps/plain/notes.txt":       {"", "a note"},
	"apps/plain/Kustomization":   {"", "", "", "resources: [web.yaml]\n"},
	"apps/plain/.rollstamp.yaml": {"", "namespace: own\n", "render: {recursive: true}\nsecrets: {policy: spec}\n"},
	"apps/plain/below/more.yaml": {"", cachedConfig("more", "below")},

	"apps/.rollstamp.yaml":      {"", "", "namespace: above\n", "strategy: env\n"},
	"apps/chart/rollstamp.lock": {"", "", "schema 3\nlevel 1\n"},
	"apps/over/.rollstamp.yaml": {"", "", "liveVolumes: true\n", "hashKey: required\n"},

	"key": {"a key of more than sixteen bytes", "another key of more than sixteen bytes"},
}

// cachedDomains are those that the environment names.
var cachedDomains = []string{"", "", "domain"}

// cachedFlags are what a run may be started with besides.
var cachedFlags = [][]string{nil, nil, {"--set", "key=set"}, {"-f", "common/values.yaml"}, {"-n", "other"},
	{"--live-volumes"}, {"--kustomize-engine", "native"}, {"--hash-key-file", "key"}, {"--allow", "outside-root"}}

// cachedCommands are the commands whose output is compared.
var cachedCommands = [][]string{{"render"}, {"check", "-v", "-o", "json"}, {"diff", "--from", "HEAD", "-o", "json"},
	{"diff", "--from", "HEAD~1", "--to", "HEAD", "-o", "json"}, {"diff", "--from", "HEAD~1", "--to", "HEAD"},
	{"graph"}, {"explain", "-o", "json"}}

// setCached writes one of the texts of a file.
func (h *history) setCached(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.top, filepath.FromSlash(name))
	_ = os.Remove(path) // it may not be there
	target, isLink := strings.CutPrefix(text, "-> ")
	switch {
	case text == "":
	case isLink:
		if err := os.Symlink(target, path); err != nil {
			h.t.Fatal(err)
		}
	default:
		h.write(name, text)
	}
}

// randomValue is what the chart makes up in each render, which nothing caches.
var randomValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(name: random\}\s*data: \{key: ")\w+`)
})

// outputOf runs a command and returns all that it prints, without what is random, and its exit code.
func outputOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, config.Environment(), streams{in: strings.NewReader(""), out: &out, err: &errs})
	lines := slices.DeleteFunc(strings.Split(errs.String(), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "render cache ")
	})
	text := randomValue().ReplaceAllString(out.String(), "${1}...")
	return fmt.Sprintf("%d\n%s\n-- stderr --\n%s", code, text, strings.Join(lines, "\n"))
}

// TestACachedRenderIsWhatARenderIsAfterAnyEdit changes, adds and removes files, links, settings, lines of the lock and
// flags at random. ROLLSTAMP_ROUNDS makes more edits.
func TestACachedRenderIsWhatARenderIsAfterAnyEdit(t *testing.T) {
	rounds := 12
	if n, err := strconv.Atoi(os.Getenv("ROLLSTAMP_ROUNDS")); err == nil {
		rounds = n
	}
	seed, _ := strconv.ParseUint(os.Getenv("ROLLSTAMP_SEED"), 10, 64)
	h := newHistory(t)
	names, random := slices.Sorted(maps.Keys(cachedTree)), rand.New(rand.NewPCG(seed, 1))
	for _, name := range names {
		h.setCached(name, cachedTree[name][0])
	}
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "one")
	h.git("commit", "-q", "--allow-empty", "-m", "two")
	cache := filepath.Join(t.TempDir(), "cache")
	found, runs, rendered := 0, 0, 0
	for round := range rounds {
		edits := ""
		for range random.IntN(3) {
			name := names[random.IntN(len(names))]
			at := random.IntN(len(cachedTree[name]))
			h.setCached(name, cachedTree[name][at])
			edits += fmt.Sprintf(" %s=%d", name, at)
		}
		if random.IntN(2) == 0 {
			h.git("add", "-A")
			h.git("commit", "-q", "--allow-empty", "-m", "next")
			edits += " committed"
		}
		flags := cachedFlags[random.IntN(len(cachedFlags))]
		t.Setenv(config.EnvHashDomain, cachedDomains[random.IntN(len(cachedDomains))])
		for _, command := range cachedCommands {
			for _, paths := range [][]string{{"apps/*"}, {"apps/over", "apps/plain"}} {
				args := slices.Concat(command, flags, paths)
				want := outputOf(t, args...)
				for range 2 {
					if got := outputOf(t, append(args, "--render-cache", cache)...); got != want {
						t.Fatalf("round %d,%s: %q differs\n%s\n-- cached --\n%s", round, edits, args, want, got)
					}
				}
				if runs++; strings.HasPrefix(want, "0\n") {
					rendered++
				}
				if _, hits, _ := strings.Cut(statsOf(t, append(args, "--render-cache", cache)...), ": "); !strings.HasPrefix(hits, "0 ") {
					found++
				}
			}
		}
	}
	t.Logf("%d runs, %d without an error, %d with something from the cache", runs, rendered, found)
	if found < runs/8 || rendered < runs/8 {
		t.Errorf("of %d runs only %d used the cache, and %d had no error", runs, found, rendered)
	}
}

// statsOf returns the line about the cache.
func statsOf(t *testing.T, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	run(t.Context(), append(args, "-v"), config.Environment(), streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &errs})
	for line := range strings.Lines(errs.String()) {
		if strings.HasPrefix(line, "render cache ") {
			return line
		}
	}
	return ""
}

// TestRunsAtATimeShareACache starts runs that write the same entries, over a folder of entries that are damaged.
func TestRunsAtATimeShareACache(t *testing.T) {
	h := newHistory(t)
	for name, texts := range cachedTree {
		h.setCached(name, texts[0])
	}
	cache := filepath.Join(t.TempDir(), "cache")
	want := outputOf(t, "render", "apps/*")
	for range 3 {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				var out bytes.Buffer
				code := run(t.Context(), []string{"render", "apps/*", "--render-cache", cache}, config.Environment(),
					streams{in: strings.NewReader(""), out: &out, err: &bytes.Buffer{}})
				if code != diag.ExitOK || !strings.HasPrefix(want, "0\n"+out.String()) {
					t.Errorf("it ended with %d, and other manifests", code)
				}
			})
		}
		all.Wait()
		err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.WriteFile(path, []byte("damaged"), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnEntryServesRendersAndComparisons compares revisions and the work tree over a cache that a render filled.
func TestAnEntryServesRendersAndComparisons(t *testing.T) {
	h := newHistory(t)
	for name, texts := range cachedTree {
		h.setCached(name, texts[0])
	}
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "one")
	h.git("commit", "-q", "--allow-empty", "-m", "two")
	cache := filepath.Join(t.TempDir(), "cache")
	if stats := statsOf(t, "render", "--output-dir", "out", "apps/*", "--render-cache", cache); !strings.Contains(stats, " 3 rendered") {
		t.Fatal(stats)
	}
	for _, args := range [][]string{{"diff", "--from", "HEAD~1", "--to", "HEAD"}, {"diff", "--from", "HEAD"}, {"check"}, {"graph"}} {
		if stats := statsOf(t, append(args, "apps/*", "--render-cache", cache)...); !strings.Contains(stats, ": 3 found, 0 rendered") {
			t.Errorf("%q: %s", args, stats)
		}
	}
}
