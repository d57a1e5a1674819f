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

// Argo CD resolves $ref, the files of an application's other sources, only for its own Helm; a plugin gets the text
// "$ref/...". The option refs names their substitutes: a folder of the same repository, or another repository at one
// commit. A branch or tag would not do: Argo CD caches a plugin's answer until the application's own repository
// changes.

// pinned matches a repository at a commit.
var pinned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+://\S+)@([0-9a-f]{40})$`) })

// refs finds the folders of other sources.
func (c *Call) refs(value any) error {
	refs, _ := value.(tree)
	if len(refs) == 0 {
		return nil
	}
	c.Refs = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		place, _ := refs[name].(string)
		if strings.Contains(place, "://") {
			m := pinned().FindStringSubmatch(place)
			if m == nil {
				return usage("refs "+name,
					"Argo CD does not see when a branch or tag moves, so the answer would be stale.",
					"want a full commit hash behind the address: URL@COMMIT")
			}
			c.remotes = append(c.remotes, remote{name, m[1], m[2]})
			continue
		}
		real, err := files.OrDisk(c.Files).Real(filepath.Join(c.Root, filepath.FromSlash(clean(place))))
		if err != nil {
			return usage("refs "+name, "It is a folder of this repository, from its top, or URL@COMMIT. "+narrowedHint,
				"there is no folder %q", place)
		}
		if !files.Within(c.Root, real) {
			return usage("refs "+name, "", "folder %q leads out of the repository", place)
		}
		c.Refs[name] = real
	}
	return nil
}

// Remote reports whether the call needs trees of other repositories, which Fetch reads. The caller checks the
// permission to use the network.
func (c *Call) Remote() bool { return len(c.remotes) > 0 }

// refsAt is the path at which trees of other repositories appear; it need not exist.
const refsAt = "/rollstamp-refs"

// Fetch fetches the trees of other sources into the cache, and adds them to the call's files.
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
