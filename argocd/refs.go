package argocd

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// Argo CD makes the files of an application's other sources ($ref) for its own Helm alone; a plugin gets the text "$ref/...". What
// stands for them is said with the option refs: a folder of the same repository, or another repository at one commit. A branch or tag
// would not do: Argo CD keeps what a plugin answered until the application's own repository changes.

// remote is another repository that stands for a source.
type remote struct{ name, url, commit string }

// pinned is a repository at a commit.
var pinned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+://\S+)@([0-9a-f]{40})$`) })

// refs finds the folders that stand for other sources.
func (c *Call) refs(said any) error {
	refs, _ := said.(tree)
	if len(refs) == 0 {
		return nil
	}
	c.Refs = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		place, _ := refs[name].(string)
		if strings.Contains(place, "://") {
			m := pinned().FindStringSubmatch(place)
			if m == nil {
				return usage("refs "+name, "Argo CD does not see when a branch or tag moves, so the answer would be stale.", "want a full commit hash behind the address: URL@COMMIT")
			}
			c.remotes = append(c.remotes, remote{name, m[1], m[2]})
			continue
		}
		real, err := files.OrDisk(c.Files).Real(filepath.Join(c.Root, filepath.FromSlash(clean(place))))
		if err != nil {
			return usage("refs "+name, "It is a folder of this repository, from its top, or URL@COMMIT. "+narrowedHint, "there is no folder %q", place)
		}
		if !files.Within(c.Root, real) {
			return usage("refs "+name, "", "folder %q leads out of the repository", place)
		}
		c.Refs[name] = real
	}
	return nil
}

// Remote reports whether the call needs trees of other repositories. They are there after Fetch, for which the caller needs the
// permission to use the network.
func (c *Call) Remote() bool { return len(c.remotes) > 0 }

// refsAt is where trees of other repositories are shown; there need be no such folder.
const refsAt = "/rollstamp-refs"

// Fetch brings the trees that stand for other sources into the cache, and shows them to the call.
func (c *Call) Fetch(ctx context.Context, cacheDir string) error {
	for len(c.remotes) > 0 {
		r := c.remotes[0]
		repo, commit, err := git.Fetch(ctx, git.Source{Address: r.url, Revision: r.commit}, cacheDir)
		if err != nil {
			return err
		}
		tree, err := repo.Tree(commit)
		if err != nil {
			return usage("refs "+r.name, "", "%w", err)
		}
		at := filepath.Join(refsAt, commit)
		c.Files = files.Add(files.Mount{At: at, Tree: tree}, files.OrDisk(c.Files))
		c.Refs[r.name] = at
		c.remotes = c.remotes[1:]
	}
	return nil
}
