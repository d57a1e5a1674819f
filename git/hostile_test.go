package git_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// object writes an object as it is, however malformed, and returns its hash.
func object(t *testing.T, dir, kind, content string) string {
	t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestTreesThatNoCheckoutWouldTakeAreRefused(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	blob := object(t, dir, "blob", "x\n")
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + string(raw) }
	for what, content := range map[string]string{
		"a parent":      entry("100644", ".."),
		"itself":        entry("40000", "."),
		"a path":        entry("100644", "a/b"),
		"no name":       entry("100644", ""),
		"git's folder":  entry("40000", ".GIT"),
		"twice":         entry("100644", "a") + entry("100644", "a"),
		"file and tree": entry("100644", "a") + entry("40000", "a"),
		"a device":      entry("20000", "a"),
		"cut short":     entry("100644", "a")[:20],
		"no mode":       "a\x00" + string(raw),
	} {
		tree := object(t, dir, "tree", content)
		commit := object(t, dir, "commit", "tree "+tree+"\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n")
		if tr, err := open(t, dir).Tree(commit); err == nil {
			entries, _ := tr.ReadDir(".")
			t.Errorf("%s: it is a tree of %v", what, entries)
		}
	}
}

func TestDamagedObjectsAreErrors(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]func(dir string) []string{
		"commits": func(dir string) []string {
			return []string{
				object(t, dir, "commit", "author a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n"), object(t, dir, "commit", ""),
				object(t, dir, "commit", "tree "+strings.Repeat("1", 40)), object(t, dir, "commit", "tree x\ncommitter a\n\n"),
				object(t, dir, "tag", "object "+strings.Repeat("2", 40)+"\ntype commit\n"), object(t, dir, "tag", "x"),
			}
		},
		"a file that is no object": func(dir string) []string {
			hash := stock(t, dir, "rev-parse", "HEAD^{tree}")
			file := filepath.Join(dir, ".git", "objects", hash[:2], hash[2:])
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("nonsense"), 0o644); err != nil {
				t.Fatal(err)
			}
			return []string{"HEAD"}
		},
		"a pack that is cut": func(dir string) []string {
			stock(t, dir, "gc", "-q")
			packs, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "pack", "*.pack"))
			if err != nil || len(packs) == 0 {
				t.Fatal(packs, err)
			}
			text, err := os.ReadFile(packs[0])
			if err != nil {
				t.Fatal(err)
			}
			_ = os.Chmod(packs[0], 0o644) // writing shows it
			if err := os.WriteFile(packs[0], bytes.Repeat([]byte{0}, len(text)), 0o644); err != nil {
				t.Fatal(err)
			}
			return []string{"HEAD"}
		},
	} {
		dir := repository(t)
		for _, rev := range damage(dir) {
			if _, err := open(t, dir).Tree(rev); diag.ExitOf(err) != diag.ExitInput {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}
