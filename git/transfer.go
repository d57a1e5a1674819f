package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// fetchInto creates a bare repository of one commit in a folder. A commit that the server sends to nobody by itself is
// looked for in the history of its branches and tags.
func fetchInto(ctx context.Context, dir, address string, ref *plumbing.Reference) error {
	store := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	if err := store.Init(); err != nil {
		return err
	}
	from := cmp.Or(ref.Name().String(), ref.Hash().String())
	remote := gogit.NewRemote(store, origin(address))
	err := remote.FetchContext(ctx, &gogit.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec("+" + from + ":" + fetched)}, Depth: 1, Tags: gogit.NoTags,
	})
	if ref.Name() == "" && isUnadvertised(err) {
		err = fetchHistory(ctx, remote, store, ref.Hash())
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: "+fetched+"\n"), 0o600)
}

// fetched is what a commit of the cache is called there.
const fetched = "refs/heads/fetched"

// isUnadvertised reports whether a server has refused a commit because it is the tip of nothing: it says so beforehand,
// or, where it sends tips, in its answer.
func isUnadvertised(err error) bool {
	return errors.Is(err, gogit.ErrExactSHA1NotSupported) ||
		err != nil && strings.Contains(err.Error(), "not our ref")
}

// errNotReachable is the cause of a fetch of a commit that the server sends to nobody.
var errNotReachable = errors.New("the server sends no single commits, and none of its branches and tags has this one")

// fetchHistory fetches the branches and tags of a repository with their history, and keeps one commit of it.
func fetchHistory(ctx context.Context, remote *gogit.Remote, store *filesystem.Storage, hash plumbing.Hash) error {
	const all = "refs/remotes/origin/"
	err := remote.FetchContext(ctx, &gogit.FetchOptions{Tags: gogit.NoTags, RefSpecs: []config.RefSpec{
		"+refs/heads/*:" + all + "heads/*", "+refs/tags/*:" + all + "tags/*",
	}})
	if err != nil {
		return err
	}
	if _, err := treeOf(store, hash); err != nil {
		return errNotReachable
	}
	return store.SetReference(plumbing.NewHashReference(fetched, hash))
}

// maxDepth bounds submodules in submodules.
const maxDepth = 8

// fetchSubmodules fetches the submodules of a commit of the bare repository in dir, and theirs, to where git keeps
// them: modules/NAME.
func fetchSubmodules(ctx context.Context, dir, address string, hash plumbing.Hash, depth int) error {
	store := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	defer func() { _ = store.Close() }()
	tree, err := treeOf(store, hash)
	if err != nil {
		return err
	}
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, entry, err := walker.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && entry.Mode == filemode.Submodule {
			var module *config.Submodule
			switch module, err = moduleAt(tree, name); {
			case err == nil:
				err = fetchSubmodule(ctx, dir, address, module, entry.Hash, depth)
			case errors.Is(err, object.ErrFileNotFound): // without .gitmodules no checkout fetches any
				err = nil
			}
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("fetch %s: %w", name, err)
		}
	}
}

// treeOf returns the files of a commit, or of the commit that an annotated tag names.
func treeOf(store *filesystem.Storage, hash plumbing.Hash) (*object.Tree, error) {
	commit, err := object.GetCommit(store, hash)
	if err != nil {
		var tag *object.Tag
		if tag, err = object.GetTag(store, hash); err == nil {
			commit, err = tag.Commit()
		}
	}
	if err != nil {
		return nil, err
	}
	return commit.Tree()
}

// fetchSubmodule fetches one commit of a submodule of the bare repository in dir.
func fetchSubmodule(
	ctx context.Context, dir, address string, module *config.Submodule, hash plumbing.Hash, depth int,
) error {
	if depth >= maxDepth {
		return errors.New("submodules nested too deeply")
	}
	address = submoduleAddress(address, module.URL)
	if err := overNetwork(ctx, address); err != nil {
		return err
	}
	dir = filepath.Join(dir, "modules", filepath.FromSlash(module.Name))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := fetchInto(ctx, dir, address, plumbing.NewHashReference("", hash)); err != nil {
		return err
	}
	return fetchSubmodules(ctx, dir, address, hash, depth+1)
}

// moduleAt finds what .gitmodules says of the submodule at a path.
func moduleAt(tree *object.Tree, name string) (*config.Submodule, error) {
	file, err := tree.File(".gitmodules")
	if err != nil {
		return nil, err
	}
	text, err := file.Contents()
	if err != nil {
		return nil, err
	}
	modules := config.NewModules()
	if err := modules.Unmarshal([]byte(text)); err != nil {
		return nil, err
	}
	for _, m := range modules.Submodules {
		if path.Clean(m.Path) == name && filepath.IsLocal(m.Name) {
			return m, nil
		}
	}
	return nil, errNotNamed
}

// submoduleAddress resolves the address of a submodule that is relative to that of its repository.
func submoduleAddress(of, sub string) string {
	if !strings.HasPrefix(sub, "./") && !strings.HasPrefix(sub, "../") {
		return sub
	}
	of = strings.TrimSuffix(of, "/")
	for {
		if rest, ok := strings.CutPrefix(sub, "./"); ok {
			sub = rest
			continue
		}
		rest, ok := strings.CutPrefix(sub, "../")
		if !ok {
			return of + "/" + sub
		}
		sub = rest
		if i := strings.LastIndexAny(of, "/:"); i > 0 {
			of = of[:i]
		}
	}
}
