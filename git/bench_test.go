package git_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/git"
)

// BenchmarkAllFiles reads a revision of 2,000 files, with opening the repository.
func BenchmarkAllFiles(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	history(b, dir, 20, 2000)
	for b.Loop() {
		r, err := git.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		tree, err := r.Tree("HEAD~1")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n++
			_, err = tree.ReadFile(path)
			return err
		})
		if n != 2000 || err != nil || r.Close() != nil {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkMergeBase looks for where a history of 100,000 commits began: the longest way.
func BenchmarkMergeBase(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	history(b, dir, 100_000, 1)
	for b.Loop() {
		r, err := git.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.MergeBase("HEAD", "start"); err != nil || r.Close() != nil {
			b.Fatal(err)
		}
	}
}

// history makes a repository of so many commits, of which each changes one of so many files.
func history(b *testing.B, dir string, commits, files int) {
	var in bytes.Buffer
	text := func(file, commit int) string {
		return fmt.Sprintf("kind: ConfigMap\nname: %d\nrevision: %d\n%s", file, commit, bytes.Repeat([]byte("filler: value\n"), 100))
	}
	for c := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter a <a@example.org> %d +0000\ndata 1\nx", c+1, 1_600_000_000+c*60)
		if c > 0 {
			fmt.Fprintf(&in, "\nfrom :%d", c)
		}
		first, last := c%files, c%files
		if c == 0 {
			first, last = 0, files-1
		}
		for f := first; f <= last; f++ {
			t := text(f, c)
			fmt.Fprintf(&in, "\nM 100644 inline apps/%d/%d.yaml\ndata %d\n%s", f/20, f, len(t), t)
		}
		in.WriteString("\n")
	}
	in.WriteString("reset refs/heads/start\nfrom :1\n\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main", dir}, {"-C", dir, "fast-import", "--quiet"}, {"-C", dir, "gc", "-q"}} {
		cmd := exec.Command("git", args...)
		if args[len(args)-1] == "--quiet" {
			cmd.Stdin = &in
		}
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
