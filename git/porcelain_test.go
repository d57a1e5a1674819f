package git_test

import (
	"path/filepath"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	gogitobject "github.com/go-git/go-git/v5/plumbing/object"
)

// The benchmarks beside ours, with go-git's own ways to do the same: docs/dependencies.md has the figures.

// porcelain opens a repository as go-git does.
func porcelain(dir string) (*gogit.Repository, error) {
	return gogit.PlainOpenWithOptions(dir, &gogit.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
}

func BenchmarkAllFilesWithPorcelain(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	history(b, dir, 20, 2000)
	for b.Loop() {
		r, err := porcelain(dir)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		err = eachFile(r, "HEAD~1", func(f *gogitobject.File) error {
			n++
			_, err := f.Contents()
			return err
		})
		if n != 2000 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func eachFile(r *gogit.Repository, rev string, do func(*gogitobject.File) error) error {
	hash, err := r.ResolveRevision(plumbing.Revision(rev))
	if err != nil {
		return err
	}
	commit, err := r.CommitObject(*hash)
	if err != nil {
		return err
	}
	tree, err := commit.Tree()
	if err != nil {
		return err
	}
	return tree.Files().ForEach(do)
}

func BenchmarkMergeBaseWithPorcelain(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	history(b, dir, 100_000, 1)
	for b.Loop() {
		r, err := porcelain(dir)
		if err != nil {
			b.Fatal(err)
		}
		var commits [2]*gogitobject.Commit
		for i, rev := range []plumbing.Revision{"HEAD", "start"} {
			hash, err := r.ResolveRevision(rev)
			if err == nil {
				commits[i], err = r.CommitObject(*hash)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if bases, err := commits[0].MergeBase(commits[1]); err != nil || len(bases) != 1 {
			b.Fatal(bases, err)
		}
	}
}
