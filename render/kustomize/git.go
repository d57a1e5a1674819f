package kustomize

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// gitTime bounds the fetch of one repository with its submodules, unless its URL says otherwise.
const gitTime = 3 * time.Minute

// fetchRepository fetches the files of a repository at its reference and returns the folder that holds them. Folders are kept
// in the cache by URL and commit, so a branch that has moved is fetched again; they appear there whole, whatever other
// processes do and whenever this one is killed.
func fetchRepository(ctx context.Context, repo repository, cacheDir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, repo.time)
	defer cancel()
	ref, err := resolveRef(ctx, repo.url, repo.ref)
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%t", repo.url, ref.Hash(), repo.submodules))
	dir := filepath.Join(cacheDir, "git", hex.EncodeToString(key[:]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	files := filepath.Join(part, "files")
	f := fetch{ctx: ctx, scratch: part, submodules: repo.submodules}
	if err := f.into(files, repo.url, ref, 0); err != nil {
		return "", err
	}
	if err := os.Rename(files, dir); err != nil {
		if _, again := os.Stat(dir); again == nil { // another process was faster
			return dir, nil
		}
		return "", err
	}
	return dir, nil
}

// resolveRef finds out which commit a name means now.
func resolveRef(ctx context.Context, url, name string) (*plumbing.Reference, error) {
	if plumbing.IsHash(name) {
		return plumbing.NewHashReference("", plumbing.NewHash(name)), nil
	}
	if err := overNetwork(url); err != nil {
		return nil, err
	}
	remote := git.NewRemote(nil, &config.RemoteConfig{Name: "origin", URLs: []string{url}})
	refs, err := remote.ListContext(ctx, &git.ListOptions{})
	if err != nil {
		return nil, err
	}
	byName := make(map[plumbing.ReferenceName]*plumbing.Reference, len(refs))
	for _, r := range refs {
		byName[r.Name()] = r
	}
	if name == "" {
		name = plumbing.HEAD.String()
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/"} {
		r := byName[plumbing.ReferenceName(prefix+name)]
		if r != nil && r.Type() == plumbing.SymbolicReference {
			r = byName[r.Target()]
		}
		if r != nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no branch, tag or full commit hash %q", name)
}

// overNetwork refuses addresses on this machine: go-git would run a git program for them.
func overNetwork(url string) error {
	at, err := transport.NewEndpoint(url)
	if err != nil {
		return errors.New("not the address of a repository")
	}
	switch at.Protocol {
	case "https", "http", "ssh", "git":
		return nil
	default:
		return fmt.Errorf("repositories are not fetched by %s", at.Protocol)
	}
}

// fetch is the fetch of one repository with its submodules.
type fetch struct {
	ctx        context.Context
	scratch    string
	submodules bool
}

// maxDepth bounds submodules in submodules.
const maxDepth = 8

// into writes the files of a commit to a new folder.
func (f fetch) into(dir, url string, ref *plumbing.Reference, depth int) error {
	if err := overNetwork(url); err != nil {
		return err
	}
	if depth > maxDepth {
		return errors.New("submodules nested too deeply")
	}
	store, err := os.MkdirTemp(f.scratch, "store-")
	if err != nil {
		return err
	}
	storage := filesystem.NewStorage(osfs.New(store), cache.NewObjectLRUDefault())
	from := ref.Name().String()
	if from == "" {
		from = ref.Hash().String()
	}
	err = git.NewRemote(storage, &config.RemoteConfig{Name: "origin", URLs: []string{url}}).FetchContext(f.ctx, &git.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec("+" + from + ":refs/heads/fetched")}, Depth: 1, Tags: git.NoTags,
	})
	if err != nil {
		return err
	}
	commit, err := commitOf(storage, ref.Hash())
	if err != nil {
		return err
	}
	tree, err := commit.Tree()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // whatever names the tree holds, they stay in dir
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return f.export(root, tree, url, depth)
}

// commitOf follows annotated tags.
func commitOf(storage *filesystem.Storage, hash plumbing.Hash) (*object.Commit, error) {
	if tag, err := object.GetTag(storage, hash); err == nil {
		return tag.Commit()
	}
	return object.GetCommit(storage, hash)
}

func (f fetch) export(root *os.Root, tree *object.Tree, url string, depth int) error {
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, entry, err := walker.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.ctx.Err()
		}
		if err != nil {
			return err
		}
		switch entry.Mode {
		case filemode.Dir:
			err = root.MkdirAll(name, 0o700)
		case filemode.Submodule:
			if f.submodules {
				err = f.submodule(filepath.Join(root.Name(), name), tree, name, entry.Hash, url, depth)
			}
		default:
			err = exportFile(root, tree, name, entry)
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
}

func exportFile(root *os.Root, tree *object.Tree, name string, entry object.TreeEntry) error {
	file, err := tree.TreeEntryFile(&entry)
	if err != nil {
		return err
	}
	text, err := file.Contents()
	if err != nil {
		return err
	}
	if entry.Mode == filemode.Symlink {
		return root.Symlink(text, name)
	}
	return root.WriteFile(name, []byte(text), 0o600)
}

// submodule fetches the commit that a submodule is at.
func (f fetch) submodule(dir string, tree *object.Tree, name string, hash plumbing.Hash, url string, depth int) error {
	file, err := tree.File(".gitmodules")
	if err != nil {
		return errors.New("a submodule that .gitmodules does not name")
	}
	text, err := file.Contents()
	if err != nil {
		return err
	}
	modules := config.NewModules()
	if err := modules.Unmarshal([]byte(text)); err != nil {
		return err
	}
	for _, m := range modules.Submodules {
		if path.Clean(m.Path) == name {
			return f.into(dir, besides(url, m.URL), plumbing.NewHashReference("", hash), depth+1)
		}
	}
	return errors.New("a submodule that .gitmodules does not name")
}

// besides resolves the address of a submodule that is relative to that of its repository.
func besides(url, sub string) string {
	if !strings.HasPrefix(sub, "./") && !strings.HasPrefix(sub, "../") {
		return sub
	}
	url = strings.TrimSuffix(url, "/")
	for {
		if rest, ok := strings.CutPrefix(sub, "./"); ok {
			sub = rest
			continue
		}
		rest, ok := strings.CutPrefix(sub, "../")
		if !ok {
			return url + "/" + sub
		}
		sub = rest
		if i := strings.LastIndexAny(url, "/:"); i > 0 {
			url = url[:i]
		}
	}
}
