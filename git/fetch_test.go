package git_test

import (
	"context"
	"io"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/git"
)

// serve serves the repositories in a folder, as real git does.
func serve(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{
		Path: path, Args: []string{"http-backend"}, Root: "/", Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	})
	t.Cleanup(server.Close)
	return server
}

func TestARevisionOfElsewhereIsFetchedIntoTheCache(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	stock(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	first := stock(t, dir, "rev-parse", "HEAD")
	stock(t, dir, "tag", "-a", "-m", "one", "v1.2.0")
	stock(t, dir, "tag", "v1.10.0")
	put(t, dir, "app/values.yaml", "a: 2\n")
	second := commit(t, dir, "second")
	stock(t, dir, "tag", "v2.0.0")
	stock(t, dir, "branch", "v3.0.0-side", first)
	server := serve(t, filepath.Dir(dir))
	url, cache := server.URL+"/repo", t.TempDir()
	for rev, want := range map[string]string{
		"": second, "HEAD": second, "main": second, "v1.2.0": first, "1.x": first, "~1.2": first, ">=1": second, "v3.0.0-side": first,
		"refs/heads/main": second, first: first, second: second,
	} {
		repo, commit, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: rev, Versions: true}, cache)
		if err != nil || commit != want {
			t.Errorf("%q is %s, %v; want %s", rev, commit, err, want)
			continue
		}
		value := map[string]string{first: "a: 1\n", second: "a: 2\n"}[want]
		reads(t, tree(t, repo, commit), "app/values.yaml", value)
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
	stock(t, dir, "tag", "shop/v1.0.0", first)
	stock(t, dir, "tag", "shop/v1.1.0", second)
	for rev, want := range map[string]string{"1.x": second, "v1.0.0": first, "main": second, first: first} {
		source := git.Source{Address: url, Revision: rev, Versions: true, TagPrefix: "shop/"}
		repo, commit, err := git.Fetch(context.Background(), source, cache)
		if err != nil || commit != want {
			t.Errorf("%q below shop/ is %s, %v; want %s", rev, commit, err, want)
			continue
		}
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
	_, _, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: "5.x", Versions: true, TagPrefix: "shop/"},
		cache)
	if err == nil || !strings.Contains(err.Error(), `no tag that begins with "shop/" goes on with "5.x"`) {
		t.Errorf("a range below shop/ without a tag: %v", err)
	}
	server.Close()
	if repo, commit, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: first, Versions: true},
		cache); err != nil ||
		commit != first ||
		repo.Close() != nil {
		t.Errorf("a commit that was fetched is asked for again: %v", err)
	}
	if _, _, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: "main", Versions: true}, cache); diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("a branch without a server: %v", err)
	}
}

func TestACommitIsFoundWhereTheServerSendsTipsOnly(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	first := stock(t, dir, "rev-parse", "HEAD")
	put(t, dir, "app/values.yaml", "a: 2\n")
	second := commit(t, dir, "second")
	stock(t, dir, "checkout", "-q", "-b", "side", first)
	put(t, dir, "app/values.yaml", "a: 3\n")
	third := commit(t, dir, "third")
	stock(t, dir, "tag", "-a", "-m", "third", "v3")
	put(t, dir, "app/values.yaml", "a: 4\n")
	lost := commit(t, dir, "of no branch")
	stock(t, dir, "checkout", "-q", "main")
	stock(t, dir, "branch", "-q", "-D", "side")
	url := serve(t, filepath.Dir(dir)).URL + "/repo"
	for _, tips := range []string{"false", "true"} {
		stock(t, dir, "config", "uploadpack.allowTipSHA1InWant", tips)
		cache := t.TempDir()
		for hash, want := range map[string]string{first: "a: 1\n", second: "a: 2\n", third: "a: 3\n"} {
			repo, commit, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: hash}, cache)
			if err != nil || commit != hash {
				t.Errorf("%s is %s, %v; the server sends tips by hash: %s", hash, commit, err, tips)
				continue
			}
			reads(t, tree(t, repo, commit), "app/values.yaml", want)
			if err := repo.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, hash := range []string{lost, strings.Repeat("1", 40)} {
			_, _, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: hash}, cache)
			if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(diag.HintOf(err), "branch or tag") {
				t.Errorf("a commit of no branch: %v; hint %q", err, diag.HintOf(err))
			}
		}
	}
}

func TestWhatSSHNeedsIsNamed(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "")
	source := git.Source{Address: "ssh://git@127.0.0.1:1/shop.git", Revision: "main"}
	_, _, err := git.Fetch(context.Background(), source, t.TempDir())
	if diag.ExitOf(err) != diag.ExitSource || !strings.Contains(diag.HintOf(err), "SSH_AUTH_SOCK") {
		t.Errorf("%v; hint %q", err, diag.HintOf(err))
	}
}

func TestABranchThatMovedIsFetchedAgain(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	url, cache := serve(t, filepath.Dir(dir)).URL+"/repo", t.TempDir()
	for range 2 {
		want := commit(t, dir, "moved")
		repo, got, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: "main", Versions: true}, cache)
		if err != nil || got != want || repo.Close() != nil {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestSubmodulesAreFetchedWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"inner", "middle", "outer"} {
		stock(t, root, "init", "-q", "-b", "main", name)
		stock(t, filepath.Join(root, name), "config", "uploadpack.allowAnySHA1InWant", "true")
		put(t, filepath.Join(root, name), "name.txt", name)
	}
	for of, sub := range map[string]string{"middle": "inner", "outer": "middle"} {
		commit(t, filepath.Join(root, sub), "first")
		dir := filepath.Join(root, of)
		put(t, dir, ".gitmodules", "[submodule \"a name\"]\n\tpath = deep/"+sub+"\n\turl = ../"+sub+"\n")
		stock(t, dir, "add", ".gitmodules")
	}
	inner := stock(t, filepath.Join(root, "inner"), "rev-parse", "HEAD")
	stock(t, filepath.Join(root, "middle"), "update-index", "--add", "--cacheinfo", "160000,"+inner+",deep/inner")
	stock(t, filepath.Join(root, "middle"), "commit", "-q", "-m", "with a submodule")
	middle := stock(t, filepath.Join(root, "middle"), "rev-parse", "HEAD")
	stock(t, filepath.Join(root, "outer"), "update-index", "--add", "--cacheinfo", "160000,"+middle+",deep/middle")
	stock(t, filepath.Join(root, "outer"), "commit", "-q", "-m", "with a submodule")
	source, cache := git.Source{Address: serve(t, root).URL + "/outer"}, t.TempDir()
	for _, wanted := range []bool{false, true} {
		source.Submodules = wanted
		repo, at, err := git.Fetch(context.Background(), source, cache)
		if err != nil {
			t.Fatal(err)
		}
		text, err := tree(t, repo, at).ReadFile("deep/middle/deep/inner/name.txt")
		if wanted != (err == nil) || wanted && string(text) != "inner" {
			t.Errorf("submodules %v: got %q, %v", wanted, text, err)
		}
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestManyFetchAtOnceIntoOneCache(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	want := stock(t, dir, "rev-parse", "HEAD")
	url, cache := serve(t, filepath.Dir(dir)).URL+"/repo", t.TempDir()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			repo, got, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: "main", Versions: true}, cache)
			if err != nil || got != want || repo.Close() != nil {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	all.Wait()
	kept, err := os.ReadDir(filepath.Join(cache, "git"))
	if err != nil || len(kept) != 1 {
		t.Errorf("the cache holds %v, %v", kept, err)
	}
}

func TestAFailedFetchNamesTheAddressWithoutItsCredentials(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir())
	with := strings.Replace(server.URL, "http://", "http://user:hunter2@", 1) + "/none?token=hunter2"
	for _, url := range []string{with, "https://user:hunter2@127.0.0.1:1/x", "https://hunter2@127.0.0.1:1/x", "https://user:x@hunter2@127.0.0.1:1/x",
		strings.Replace(server.URL, "http://", "http://hunter2@", 1) + "/files/../none", "user:hunter2@127.0.0.1:1/x", "file:///etc", "/etc", "ext::sh -c hunter2"} {
		_, _, err := git.Fetch(context.Background(), git.Source{Address: url, Revision: "main", Versions: true}, t.TempDir())
		if diag.ExitOf(err) != diag.ExitSource || strings.Contains(err.Error(), "hunter2") && !strings.HasPrefix(url, "ext") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, _, err := git.Fetch(context.Background(), git.Source{Address: server.URL + "/none", Revision: "main", Versions: true}, ""); err == nil {
		t.Error("fetched without a cache")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := git.Fetch(ctx, git.Source{Address: server.URL + "/none", Revision: "main", Versions: true}, t.TempDir()); err == nil {
		t.Error("fetched though cancelled")
	}
}
