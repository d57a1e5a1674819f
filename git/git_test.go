package git_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// stock runs the real git, which knows nothing of this machine's users.
func stock(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := try(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// repository makes one with a commit of a few files.
func repository(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "repo")
	stock(t, top, "init", "-q", "-b", "main", dir)
	put(t, dir, "app/values.yaml", "a: 1\n")
	put(t, dir, "app/templates/x.yaml", "x: 1\n")
	put(t, dir, "app.yaml", "beside: 1\n")
	put(t, dir, "shared/base.yaml", "base: 1\n")
	commit(t, dir, "first")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commit commits everything and returns the hash.
func commit(t *testing.T, dir, message string) string {
	t.Helper()
	stock(t, dir, "add", "-A")
	stock(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	return stock(t, dir, "rev-parse", "HEAD")
}

func open(t *testing.T, path string) *git.Repository {
	t.Helper()
	r, err := git.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func tree(t *testing.T, r *git.Repository, rev string) *git.Tree {
	t.Helper()
	tree, err := r.Tree(rev)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func reads(t *testing.T, tree fs.FS, name, want string) {
	t.Helper()
	if b, err := fs.ReadFile(tree, name); string(b) != want || err != nil {
		t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
	}
}

func TestATreeIsAFileSystem(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for _, pack := range []bool{false, true} {
		if pack {
			stock(t, dir, "gc", "-q")
		}
		if err := fstest.TestFS(tree(t, open(t, dir), "HEAD"), "app/values.yaml", "app/templates/x.yaml", "app.yaml", "shared/base.yaml"); err != nil {
			t.Error(err)
		}
	}
}

func TestATreeShowsTheCommitAndNotTheWorkTree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	first := stock(t, dir, "rev-parse", "HEAD")
	put(t, dir, "app/values.yaml", "a: 2\n")
	commit(t, dir, "second")
	put(t, dir, "app/values.yaml", "a: 3\n")
	put(t, dir, "app/new.yaml", "n: 1\n")
	stock(t, dir, "add", "app/new.yaml")
	before := stock(t, dir, "status", "--porcelain", "--untracked-files=all")
	r := open(t, filepath.Join(dir, "app", "templates"))
	if r.Top != dir || r.Bare {
		t.Errorf("the repository is %s, bare %v", r.Top, r.Bare)
	}
	reads(t, tree(t, r, "HEAD"), "app/values.yaml", "a: 2\n")
	old := tree(t, r, first)
	reads(t, old, "app/values.yaml", "a: 1\n")
	if _, err := old.Stat("app/new.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not in the commit: %v", err)
	}
	mount := files.Mount{At: r.Top, Tree: old}
	if b, err := mount.ReadFile(filepath.Join(dir, "app", "..", "app", "values.yaml")); string(b) != "a: 1\n" {
		t.Errorf("through a mount: %q, %v", b, err)
	}
	if after := stock(t, dir, "status", "--porcelain", "--untracked-files=all"); after != before {
		t.Errorf("the work tree was touched: %q, then %q", before, after)
	}
}

func TestModesLinksAndOddNamesAreAsInAWorkTree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "run.sh", "#!/bin/sh\n")
	odd := []string{"ein \xe4 umlaut", "tab\there", "new\nline", "über", "-dash", `back\slash`, "a b"}
	for _, name := range odd {
		put(t, dir, filepath.Join("odd", name), name)
	}
	links := map[string]string{"app/base.yaml": "../shared/base.yaml", "folder": "app", "out": "../elsewhere", "loop": "loop", "far": "/etc/hostname"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	commit(t, dir, "odd")
	tr := tree(t, open(t, dir), "HEAD")
	for _, name := range odd {
		reads(t, tr, "odd/"+name, name)
	}
	entries, err := tr.ReadDir("odd")
	if err != nil || len(entries) != len(odd) {
		t.Errorf("odd holds %v, %v", entries, err)
	}
	for name, to := range links {
		if got, err := tr.ReadLink(name); got != to || err != nil {
			t.Errorf("link %s leads to %q, %v", name, got, err)
		}
	}
	reads(t, tr, "app/base.yaml", "base: 1\n")
	reads(t, tr, "folder/base.yaml", "base: 1\n")
	for _, name := range []string{"out", "loop", "far", "folder/none", "app.yaml/x", "../x", "/app.yaml", ""} {
		if b, err := tr.ReadFile(name); err == nil {
			t.Errorf("%q holds %q", name, b)
		}
	}
	for name, want := range map[string]fs.FileMode{"run.sh": 0o755, "app.yaml": 0o644, "app": fs.ModeDir | 0o755, "folder": fs.ModeSymlink | 0o777} {
		if info, err := tr.Lstat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestEveryLayoutOfARepositoryIsRead(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	top := filepath.Dir(dir)
	layouts := map[string]func(to string){
		"work tree": func(to string) { stock(t, dir, "worktree", "add", "-q", "-b", "side", to) },
		"bare":      func(to string) { stock(t, top, "clone", "-q", "--bare", dir, to) },
		"borrowing": func(to string) { stock(t, top, "clone", "-q", "--shared", dir, to) },
		"shallow":   func(to string) { stock(t, top, "clone", "-q", "--depth", "1", "file://"+dir, to) },
		"packed": func(to string) {
			stock(t, top, "clone", "-q", dir, to)
			stock(t, to, "gc", "-q")
		},
		"borrowing packs": func(to string) {
			stock(t, top, "clone", "-q", "file://"+dir, to+".from")
			stock(t, top, "clone", "-q", "--shared", to+".from", to)
		},
		"separate": func(to string) { stock(t, top, "clone", "-q", "--separate-git-dir", to+".data", dir, to) },
		"packed refs": func(to string) {
			stock(t, top, "clone", "-q", dir, to)
			stock(t, to, "pack-refs", "--all")
			stock(t, to, "repack", "-q", "-a", "-d", "--write-midx")
		},
	}
	large := []string{largeText(1), largeText(2)} // more than go-git keeps in memory of a pack; one is a delta
	put(t, dir, "large.yaml", large[0])
	commit(t, dir, "large")
	put(t, dir, "app/values.yaml", "a: 2\n")
	put(t, dir, "large.yaml", large[1])
	head := commit(t, dir, "second")
	for name, lay := range layouts {
		t.Run(name, func(t *testing.T) {
			to := filepath.Join(top, strings.ReplaceAll(name, " ", "-"))
			lay(to)
			r := open(t, to)
			if r.Top != to || r.Bare != (name == "bare") {
				t.Errorf("the repository is %s, bare %v", r.Top, r.Bare)
			}
			if got, err := r.Resolve("HEAD"); got != head || err != nil {
				t.Errorf("HEAD is %s, %v; want %s", got, err, head)
			}
			reads(t, tree(t, r, "main"), "app/values.yaml", "a: 2\n")
			for i, want := range large {
				if name == "shallow" && i == 0 {
					continue
				}
				b, err := fs.ReadFile(tree(t, r, []string{"HEAD~1", "HEAD"}[i]), "large.yaml")
				if err != nil || string(b) != want {
					t.Errorf("of %d bytes %d were read: %v", len(want), len(b), err)
				}
			}
		})
	}
}

// largeText returns 60 KB, of which a line changes with n.
func largeText(n int) string {
	var out strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&out, "k%04d: %x\n", i, sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	return fmt.Sprintf("n: %d\n%s", n, out.String())
}

func TestBorrowedObjectsThatAreGoneAreNamed(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	to := filepath.Join(filepath.Dir(dir), "borrowing")
	stock(t, filepath.Dir(dir), "clone", "-q", "--shared", dir, to)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := git.Open(to)
	if diag.ExitOf(err) != diag.ExitInput || diag.HintOf(err) == "" || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

func TestAShallowClonesEndIsTold(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	stock(t, dir, "branch", "old")
	put(t, dir, "a", "2")
	commit(t, dir, "second")
	to := filepath.Join(filepath.Dir(dir), "shallow")
	stock(t, filepath.Dir(dir), "clone", "-q", "--depth", "1", "--no-single-branch", "file://"+dir, to)
	r := open(t, to)
	for what, err := range map[string]error{
		"a parent":     second(r.Resolve("HEAD~1")),
		"a merge base": second(r.MergeBase("HEAD", "origin/old")),
		"a commit":     second(r.Tree(strings.Repeat("1", 40))),
	} {
		if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "shallow") || diag.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAPartialCloneReadsWhatItHasAndSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "app/values.yaml", "a: 2\n")
	commit(t, dir, "second")
	stock(t, dir, "config", "uploadpack.allowFilter", "true")
	to := filepath.Join(filepath.Dir(dir), "partial")
	stock(t, filepath.Dir(dir), "clone", "-q", "--filter=blob:none", "file://"+dir, to)
	r := open(t, to)
	reads(t, tree(t, r, "HEAD"), "app/values.yaml", "a: 2\n")
	old := tree(t, r, "HEAD~1")
	_, err := old.ReadFile("app/values.yaml")
	var missing *git.MissingError
	if !errors.As(err, &missing) || !missing.Promised || diag.ExitOf(err) != diag.ExitInput || diag.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	mount := files.Mount{At: to, Tree: old}
	if _, err := mount.ReadFile(filepath.Join(to, "app/values.yaml")); !errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("through a mount: %v", err)
	}
}

func TestASubmoduleIsReadWhereItWasFetchedAndNamedElsewhere(t *testing.T) {
	t.Parallel()
	lib := repository(t)
	dir := repository(t)
	stock(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "the lib", lib, "vendor/lib")
	commit(t, dir, "with a submodule")
	put(t, lib, "app/values.yaml", "later: 1\n")
	commit(t, lib, "later")
	tr := tree(t, open(t, dir), "HEAD")
	reads(t, tr, "vendor/lib/app/values.yaml", "a: 1\n")
	entries, err := tr.ReadDir("vendor/lib")
	if err != nil || len(entries) != 3 {
		t.Errorf("the submodule holds %v, %v", entries, err)
	}
	if r := open(t, filepath.Join(dir, "vendor", "lib", "app")); r.Top != filepath.Join(dir, "vendor", "lib") {
		t.Errorf("a path in the submodule belongs to %s", r.Top)
	}

	to := filepath.Join(filepath.Dir(dir), "without")
	stock(t, filepath.Dir(dir), "clone", "-q", dir, to)
	tr = tree(t, open(t, to), "HEAD")
	info, err := tr.Lstat("vendor/lib")
	if err != nil || !info.IsDir() || info.Mode()&fs.ModeIrregular == 0 {
		t.Errorf("the submodule is %v, %v", info, err)
	}
	_, err = tr.ReadFile("vendor/lib/app/values.yaml")
	var sub *git.SubmoduleError
	if !errors.As(err, &sub) || sub.Path != "vendor/lib" || diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("got %v", err)
	}
	if _, err := tr.ReadDir("vendor/lib"); !errors.As(err, &sub) {
		t.Errorf("got %v", err)
	}
}

func TestASubmoduleThatNothingNamesIsAnEmptyFolder(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	head := stock(t, dir, "rev-parse", "HEAD")
	stock(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+head+",other/module")
	stock(t, dir, "commit", "-q", "-m", "module")
	at := tree(t, open(t, dir), "HEAD")
	if all, err := fs.ReadDir(at, "other/module"); err != nil || len(all) > 0 {
		t.Errorf("it holds %v, %v", all, err)
	}
	if _, err := fs.Stat(at, "other/module/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file in it: %v", err)
	}
	put(t, dir, ".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ./lib\n")
	stock(t, dir, "add", ".gitmodules")
	stock(t, dir, "commit", "-q", "-m", "names another")
	var missing *git.SubmoduleError
	if _, err := fs.ReadDir(tree(t, open(t, dir), "HEAD"), "other/module"); !errors.As(err, &missing) {
		t.Errorf("beside one that is named: %v", err)
	}
}

func TestSubmodulesOfSubmodulesAreReadAlsoBehindLinks(t *testing.T) {
	t.Parallel()
	inner, middle, outer := repository(t), repository(t), repository(t)
	for _, pair := range [][2]string{{inner, middle}, {middle, outer}} {
		stock(t, pair[1], "-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "lib", pair[0], "vendor/lib")
		commit(t, pair[1], "with a submodule")
	}
	if err := os.Symlink("vendor/lib", filepath.Join(outer, "short")); err != nil {
		t.Fatal(err)
	}
	commit(t, outer, "with a link")
	stock(t, outer, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive")
	tr := tree(t, open(t, outer), "HEAD")
	reads(t, tr, "vendor/lib/vendor/lib/app/values.yaml", "a: 1\n")
	reads(t, tr, "short/vendor/lib/app/values.yaml", "a: 1\n")
	if entries, err := tr.ReadDir("short"); err != nil || len(entries) < 3 {
		t.Errorf("behind the link lie %v, %v", entries, err)
	}
}

func TestFilesThatAFilterKeepsElsewhereAreNotTakenForTheirPointers(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	oid := "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of "hello"
	put(t, dir, "large.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:"+oid+"\nsize 5\n")
	put(t, dir, "locked.yaml", "\x00GITCRYPT\x00whatever")
	commit(t, dir, "filtered")
	tr := tree(t, open(t, dir), "HEAD")
	for _, name := range []string{"large.yaml", "locked.yaml"} {
		_, err := tr.ReadFile(name)
		var filtered *git.FilteredError
		if !errors.As(err, &filtered) || diag.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	store := filepath.Join(".git/lfs/objects", oid[:2], oid[2:4], oid)
	put(t, dir, store, "hello")
	reads(t, tr, "large.yaml", "hello")
	put(t, dir, store, "jello")
	if b, err := tr.ReadFile("large.yaml"); err == nil {
		t.Errorf("damaged content is %q", b)
	}
}

func TestTheIDOfAFolderMovesWithItsContentOnly(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "shared/base.yaml", "base: 2\n")
	commit(t, dir, "second")
	r := open(t, dir)
	id := func(rev, name string) string {
		id, err := tree(t, r, rev).ID(name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if id("HEAD", "app") != id("HEAD~", "app") || id("HEAD", ".") == id("HEAD~", ".") || id("HEAD", "shared/base.yaml") == id("HEAD~", "shared/base.yaml") {
		t.Error("the IDs do not show what has changed")
	}
	if want := stock(t, dir, "rev-parse", "HEAD:shared"); id("HEAD", "shared") != want {
		t.Errorf("the ID is not git's, %s", want)
	}
}

func TestManyReadAtOnceTheSame(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	var names []string
	for i := range 60 {
		name := "many/" + strings.Repeat("d/", i%4) + strings.Repeat("x", i+1)
		put(t, dir, name, strings.Repeat(name+"\n", 100))
		names = append(names, name)
	}
	commit(t, dir, "many")
	stock(t, dir, "gc", "-q")
	tr := tree(t, open(t, dir), "HEAD")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range names {
				name := names[(i+worker*7)%len(names)]
				if b, err := tr.ReadFile(name); err != nil || !bytes.HasPrefix(b, []byte(name+"\n")) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
}

func TestARepositoryThatGitPacksMeanwhileIsStillRead(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	stock(t, dir, "gc", "-q")
	tr := tree(t, open(t, dir), "HEAD")
	reads(t, tr, "app/values.yaml", "a: 1\n")
	put(t, dir, "new", "1")
	commit(t, dir, "second")
	stock(t, dir, "repack", "-q", "-a", "-d")
	reads(t, tr, "shared/base.yaml", "base: 1\n")
	reads(t, tree(t, open(t, dir), "HEAD"), "new", "1")
}

func TestWhatIsNoRepositoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "broken/.git", "gitdir: nowhere\n")
	put(t, dir, "strange/.git", "what is this\n")
	for _, name := range []string{"", "broken", "strange"} {
		if _, err := git.Open(filepath.Join(dir, name)); diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, format := range []string{"objectFormat=sha256", "refStorage=reftable"} {
		repo := repository(t)
		name, value, _ := strings.Cut(format, "=")
		put(t, repo, ".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\t"+name+" = "+value+"\n")
		if _, err := git.Open(repo); diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestRemotesAndTheDefaultBranchAreFound(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	stock(t, dir, "branch", "-m", "trunk")
	if name, err := open(t, dir).DefaultBranch(); err == nil {
		t.Errorf("the default branch is %s", name)
	}
	to := filepath.Join(filepath.Dir(dir), "clone")
	stock(t, filepath.Dir(dir), "clone", "-q", dir, to)
	stock(t, to, "remote", "add", "fork", "https://example.org/fork.git")
	r := open(t, to)
	if name, err := r.DefaultBranch(); name != "origin/HEAD" || err != nil {
		t.Errorf("the default branch is %s, %v", name, err)
	}
	var all []string
	for _, remote := range r.Remotes() {
		all = append(all, remote.Name+" "+strings.Join(remote.URLs, " "))
	}
	if want := []string{"fork https://example.org/fork.git", "origin " + dir}; !slices.Equal(all, want) {
		t.Errorf("remotes: %v, want %v", all, want)
	}
}
