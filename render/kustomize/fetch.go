package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render/kustomize/failure"
	"github.com/rollstamp/rollstamp/render/kustomize/overlay"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// fetcher brings what kustomizations name on other machines into the build's file system. kustomize would fetch it as
// it comes across it; here it is fetched before the build, and lies in places that do not exist on disk.
type fetcher struct {
	ctx          context.Context
	app          string // the application's folder
	cacheDir     string // "" where there is none
	overlay      *overlay.FS
	names        *names
	replacements map[string]map[string]string // folder of a kustomization -> entry -> the path to put there
	scratch      string                       // for what is fetched for this build alone; "" is not made yet
	offline      bool                         // what would be fetched is passed over
}

func newFetcher(t *tree) *fetcher {
	return &fetcher{ctx: t.ctx, app: t.app, cacheDir: t.req.CacheDir, overlay: t.overlay, names: t.names,
		replacements: map[string]map[string]string{}}
}

// close removes what was fetched for this build alone.
func (f *fetcher) close() {
	for _, c := range f.names.clones {
		if c.open != nil {
			_ = c.open.Close()
		}
	}
	if f.scratch != "" {
		_ = os.RemoveAll(f.scratch)
	}
}

// file fetches a URL that a kustomization names, and shows it beside the kustomization.
func (f *fetcher) file(k *kustomization, entry, what string) error {
	if _, done := f.replacements[k.dir][entry]; done || f.offline {
		return nil
	}
	b, err := getFile(f.ctx, entry)
	if err != nil {
		return unreachable(k, entry, what, err)
	}
	return f.standIn(k, entry, b)
}

// standIn shows a file for a URL.
func (f *fetcher) standIn(k *kustomization, entry string, b []byte) error {
	path := filepath.Join(k.dir, fmt.Sprint(componentName, "url-", len(f.names.urls)))
	f.names.urls[path] = entry
	f.overlay.Add(path, b)
	return f.replace(k, entry, path)
}

func unreachable(k *kustomization, entry, what string, err error) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: k.at(entry),
		Err:  fmt.Errorf("fetch %s of %s: %s", remote.Display(entry), what, failure.OneLine(redact.URLs(err.Error()))),
		Hint: network.Hint(err, "")}
}

// entry fetches an entry of a field for files and folders, as kustomize does: first as a file, if it is a URL, then as
// a repository. It returns the folder that shows it in the build, or none for a file.
func (f *fetcher) entry(k *kustomization, field, entry string) (folder string, err error) {
	if f.offline {
		return "", nil
	}
	repo, isRepo := remote.Parse(entry)
	var asFile error
	if remote.IsURL(entry) && field != "components" {
		b, err := getFile(f.ctx, entry)
		if err == nil {
			if _, err := parse(b); err == nil || !isRepo {
				return "", f.standIn(k, entry, b)
			}
		}
		if asFile = err; !isRepo {
			return "", unreachable(k, entry, field, err)
		}
	}
	root := f.cloneOf(repo)
	if root == "" {
		root = filepath.Join(filepath.Dir(f.app), fmt.Sprint(componentName, "git-", len(f.names.clones)))
		if err := f.clone(root, repo); err != nil {
			if asFile != nil {
				err = fmt.Errorf("%w; as a repository: %w", asFile, err)
			}
			return "", unreachable(k, entry, field, err)
		}
	}
	folder = filepath.Join(root, repo.Folder)
	return folder, f.replace(k, entry, folder)
}

// clone fetches a repository and shows it in a folder.
func (f *fetcher) clone(root string, repo remote.Repository) error {
	cache, err := f.cache()
	if err != nil {
		return err
	}
	opened, commit, err := git.Fetch(f.ctx, git.Source{Address: repo.URL, Revision: repo.Ref,
		Submodules: repo.Submodules, Time: repo.Time}, cache)
	var failed *git.FetchError
	if errors.As(err, &failed) {
		return failed.Err
	}
	if err != nil {
		return err
	}
	tree, err := opened.Tree(commit)
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	f.mount(root, tree, &clone{repo: repo, dir: opened.Top, open: opened, temporary: f.cacheDir == ""})
	return nil
}

// cloneOf returns the folder that shows a repository that was fetched before, or "". Another one is for entries without
// a folder, because kustomize names other origins for what comes from them.
func (f *fetcher) cloneOf(repo remote.Repository) string {
	for root, c := range f.names.clones {
		if c.repo.URL == repo.URL && c.repo.Ref == repo.Ref && (c.repo.Folder == "") == (repo.Folder == "") {
			return root
		}
	}
	return ""
}

// mount shows the files of a clone in a folder that does not exist on disk.
func (f *fetcher) mount(root string, tree fs.ReadLinkFS, c *clone) {
	f.names.clones[root] = c
	f.overlay.Mount(root, tree)
}

// replace has kustomize see a local path, which is absolute, where a kustomization names something remote.
func (f *fetcher) replace(k *kustomization, entry, path string) error {
	rel, err := filepath.Rel(k.dir, path)
	if err != nil {
		return err
	}
	if f.replacements[k.dir] == nil {
		f.replacements[k.dir] = make(map[string]string)
	}
	f.replacements[k.dir][entry] = rel
	return nil
}

// cache is the folder for clones: the user's, or one for this build.
func (f *fetcher) cache() (string, error) {
	if f.cacheDir != "" {
		return f.cacheDir, nil
	}
	return f.temporary()
}

// temporary is a folder for what is fetched for this build alone.
func (f *fetcher) temporary() (string, error) {
	if f.scratch == "" {
		dir, err := os.MkdirTemp("", "rollstamp-fetched-")
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return "", fmt.Errorf("make a folder for what is fetched: %w", err)
		}
		f.scratch = dir
	}
	return f.scratch, nil
}

// getFile asks a web server for a file that kustomize can read.
func getFile(ctx context.Context, address string) ([]byte, error) {
	b, err := remote.Get(ctx, address)
	if err != nil {
		return nil, err
	}
	return b, checkAliases(b)
}
