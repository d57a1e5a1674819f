package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// remotes are what a kustomization names and what is not on this machine. kustomize would fetch it as it comes across it;
// here it is fetched before the build, and stands in the tree under names that do not exist on disk.
type remotes struct {
	system  files.System                 // the request's files, with those of the clones
	clones  map[string]*clone            // by the folder that stands for the repository
	fetched map[string][]byte            // by the file that stands for the URL
	urls    map[string]string            // likewise
	instead map[string]map[string]string // folder of a kustomization -> entry -> the path to put there
}

// clone is a repository at a reference, or a chart of a repository of charts.
type clone struct {
	repo remote.Repository
	dir  string // on disk, where it was fetched to
	open io.Closer
}

func newRemotes(system files.System) *remotes {
	return &remotes{system, make(map[string]*clone), make(map[string][]byte), make(map[string]string), make(map[string]map[string]string)}
}

// mount has the files of a clone stand in a folder that does not exist on disk.
func (r *remotes) mount(root string, tree fs.ReadLinkFS, c *clone) {
	r.clones[root] = c
	r.system = files.Add(files.Mount{At: root, Tree: tree}, r.system)
}

// around returns the folder of the innermost clone that a path leads into, or "": a chart that was fetched for a kustomization of a clone
// lies in that clone.
func (r *remotes) around(path string) (root string) {
	for dir := range r.clones {
		if files.Within(dir, path) && len(dir) > len(root) {
			root = dir
		}
	}
	return root
}

// fetchedTo returns the path on disk that a file was fetched to, or the path itself where it was not.
func (r *remotes) fetchedTo(path string) string {
	root := r.around(path)
	if root == "" {
		return path
	}
	rel, _ := files.Rel(root, path)
	return filepath.Join(r.clones[root].dir, rel)
}

// replace has kustomize see a local path, which is given absolute, where a kustomization names something remote.
func (r *remotes) replace(k *kustomization, entry, path string) error {
	rel, err := filepath.Rel(k.dir, path)
	if err != nil {
		return err
	}
	if r.instead[k.dir] == nil {
		r.instead[k.dir] = make(map[string]string)
	}
	r.instead[k.dir][entry] = rel
	return nil
}

// fetchFile fetches a URL that a kustomization names, and has it stand beside the kustomization.
func (t *tree) fetchFile(k *kustomization, entry, what string) error {
	if _, done := t.overlay.instead[k.dir][entry]; done {
		return nil
	}
	b, err := getFile(t.ctx, entry)
	if err != nil {
		return t.unreachable(k, entry, what, err)
	}
	return t.standIn(k, entry, b)
}

// standIn has a file stand for a URL.
func (t *tree) standIn(k *kustomization, entry string, b []byte) error {
	path := filepath.Join(k.dir, fmt.Sprint(componentName, "url-", len(t.overlay.fetched)))
	t.overlay.fetched[path], t.overlay.urls[path] = b, entry
	return t.overlay.replace(k, entry, path)
}

func (t *tree) unreachable(k *kustomization, entry, what string, err error) error {
	return &diag.Error{Exit: diag.ExitSource, Pos: k.at(entry), Err: fmt.Errorf("fetch %s of %s: %s", remote.Shown(entry), what, oneLine(redact.URLs(err.Error())))}
}

// fetch fetches an entry of a field for files and folders, as kustomize does: first as a file, if it is a URL, then as a
// repository. It returns the folder that stands for it in the tree, or none for a file.
func (t *tree) fetch(k *kustomization, field, entry string) (folder string, err error) {
	repo, isRepo := remote.Parse(entry)
	var asFile error
	if remote.IsURL(entry) && field != "components" {
		b, err := getFile(t.ctx, entry)
		if err == nil {
			if _, err := parse(b); err == nil || !isRepo {
				return "", t.standIn(k, entry, b)
			}
		}
		if asFile = err; !isRepo {
			return "", t.unreachable(k, entry, field, err)
		}
	}
	root := t.cloneOf(repo)
	if root == "" {
		root = filepath.Join(filepath.Dir(t.app), fmt.Sprint(componentName, "git-", len(t.overlay.clones)))
		if err := t.clone(root, repo); err != nil {
			if asFile != nil {
				err = fmt.Errorf("%w; as a repository: %w", asFile, err)
			}
			return "", t.unreachable(k, entry, field, err)
		}
	}
	folder = filepath.Join(root, repo.Folder)
	return folder, t.overlay.replace(k, entry, folder)
}

// clone fetches a repository and has it stand in a folder.
func (t *tree) clone(root string, repo remote.Repository) error {
	cache, err := t.cache()
	if err != nil {
		return err
	}
	opened, commit, err := git.Fetch(t.ctx, git.Source{Address: repo.URL, Revision: repo.Ref, Submodules: repo.Submodules, Time: repo.Time}, cache)
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
	t.overlay.mount(root, tree, &clone{repo, opened.Top, opened})
	return nil
}

// cloneOf returns the folder that stands for a repository that was fetched before, or "". One stands for the entries without
// a folder, because kustomize gives other origins to what comes from them.
func (t *tree) cloneOf(repo remote.Repository) string {
	for root, c := range t.overlay.clones {
		if c.repo.URL == repo.URL && c.repo.Ref == repo.Ref && (c.repo.Folder == "") == (repo.Folder == "") {
			return root
		}
	}
	return ""
}

// cache is the folder for clones: the user's, or one for this build.
func (t *tree) cache() (string, error) {
	if t.req.CacheDir != "" {
		return t.req.CacheDir, nil
	}
	return t.temporary()
}

// temporary is a folder for what is fetched for this build alone.
func (t *tree) temporary() (string, error) {
	if t.scratch == "" {
		dir, err := os.MkdirTemp("", "rollstamp-fetched-")
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return "", fmt.Errorf("make a folder for what is fetched: %w", err)
		}
		t.scratch = dir
	}
	return t.scratch, nil
}

// getFile asks a web server for a file that kustomize can read.
func getFile(ctx context.Context, address string) ([]byte, error) {
	b, err := remote.Get(ctx, address)
	if err != nil {
		return nil, err
	}
	return b, checkAliases(b)
}
