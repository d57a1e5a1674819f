package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/config"
)

// edited changes a file in a way that a run may miss which looks at sizes and times only, and returns how.
func (h *history) edited(random *rand.Rand, name string) string {
	path := filepath.Join(h.top, filepath.FromSlash(name))
	before, err := os.Stat(path)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return ""
	}
	// What cannot be done leaves the tree as it is, which is an edit, too.
	switch way := random.IntN(6); way {
	case 0: // the same size, another content, the old time
		at := strings.LastIndexAny(string(text), "abcdefghij")
		if at < 0 {
			return ""
		}
		text[at]++
		_ = os.WriteFile(path, text, 0o600)
		_ = os.Chtimes(path, before.ModTime(), before.ModTime())
	case 1: // another file of the same content
		_ = os.WriteFile(path+".new", text, 0o600)
		_ = os.Rename(path+".new", path)
	case 2:
		_ = os.Chtimes(path, time.Now(), time.Now())
	case 3:
		_ = os.Remove(path)
	case 4: // elsewhere, with a link to it
		top, _, _ := strings.Cut(name, "/") // no link leads out of an output folder
		elsewhere := filepath.Join(h.top, top, fmt.Sprintf(".elsewhere-%d", random.Uint32()))
		_ = os.Rename(path, elsewhere)
		_ = os.Symlink(elsewhere, path)
	default:
		_ = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	return " edited " + name
}

// manifestsIn returns the manifests below a folder, none where it is not there. Links, which only one of two folders
// has, lead to hidden files, and the index, which is hidden, too, does not have them.
func manifestsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil
	}
	out := contents(t, dir)
	for name, text := range out {
		out[name] = randomValue().ReplaceAllString(text, "${1}...")
	}
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(filepath.Base(name), ".") })
	return out
}

// TestFilesAreWhatARenderWritesAfterAnyEdit changes sources and what was rendered of them at random. ROLLSTAMP_ROUNDS
// makes more edits.
func TestFilesAreWhatARenderWritesAfterAnyEdit(t *testing.T) {
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv("ROLLSTAMP_ROUNDS")); err == nil {
		rounds = n
	}
	seed, _ := strconv.ParseUint(os.Getenv("ROLLSTAMP_SEED"), 10, 64)
	h, random := newHistory(t), rand.New(rand.NewPCG(seed, 2))
	sources := slices.Sorted(maps.Keys(cachedTree))
	written := []string{"cached/apps/chart/manifests.yaml", "cached/apps/over/manifests.yaml", "cached/apps/plain/manifests.yaml"}
	reset := func(name string) { h.setCached(name, cachedTree[name][0]) }
	for _, name := range sources {
		reset(name)
	}
	cache, found := filepath.Join(t.TempDir(), "cache"), 0
	for round := range rounds {
		edits := ""
		for range random.IntN(3) {
			name := sources[random.IntN(len(sources))]
			switch random.IntN(4) {
			case 0:
				edits += h.edited(random, written[random.IntN(len(written))])
			case 1:
				edits += h.edited(random, name)
			case 2:
				reset(name)
			default:
				h.setCached(name, cachedTree[name][random.IntN(len(cachedTree[name]))])
			}
		}
		if random.IntN(3) == 0 {
			for _, name := range sources {
				reset(name)
			}
		}
		flags := [][]string{nil, nil, nil, {"--hash-key-file", "key"}, {"-n", "other"}}[random.IntN(5)]
		t.Setenv(config.EnvHashDomain, cachedDomains[random.IntN(len(cachedDomains))])
		render := func(to string, more ...string) string {
			return outputOf(t, slices.Concat([]string{"render", "--output-dir", to, "apps/*"}, flags, more)...)
		}
		// Two runs that write none compare what lies there with a render; then it is written.
		check, want := render("cached", "--check"), render("plain")
		if got := render("cached", "--check", "--render-cache", cache); got != check {
			t.Fatalf("round %d,%s: it differs\n%s\n-- cached --\n%s", round, edits, check, got)
		}
		for range 2 {
			if got := render("cached", "--render-cache", cache); got != want && !strings.Contains(want, "plain/") {
				t.Fatalf("round %d,%s: it reports other things\n%s\n-- cached --\n%s", round, edits, want, got)
			}
			if strings.HasPrefix(want, "0\n") && !maps.Equal(manifestsIn(t, h.top+"/plain"), manifestsIn(t, h.top+"/cached")) {
				t.Fatalf("round %d,%s: it has other files: %v", round, edits, manifestsIn(t, h.top+"/cached"))
			}
		}
		if stats := statsOf(t, slices.Concat([]string{"render", "--output-dir", "cached", "apps/*", "--render-cache", cache}, flags)...); !strings.Contains(stats, ": 0 found") {
			found++
		}
	}
	if found < rounds/2 {
		t.Errorf("only %d of %d rounds used the cache", found, rounds)
	}
}
