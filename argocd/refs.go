package argocd

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// Argo CD resolves $ref, the files of an application's other sources, only for its own Helm; a plugin gets the text
// "$ref/...". The option refs names their substitutes: a folder of the same repository, or another repository at one
// commit. What a branch or range of versions means changes without a commit there, and Argo CD caches a plugin's answer
// until there is one: so that needs a permission, and the answer says which commit it was.

// elsewhere matches a repository at a revision; an @ in front of the host is that of its user.
var elsewhere = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+://[^/\s]+/\S*)@([^@\s]+)$`) })

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
			m := elsewhere().FindStringSubmatch(place)
			if m == nil {
				return wantCommit(name)
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

func wantCommit(name string) error {
	return usage("refs "+name, "Argo CD does not see when a branch or tag moves, so the answer would be stale until the "+
		"application's own repository changes. The operator can allow that with --allow network,moving-refs.",
		"want a full commit hash behind the address: URL@COMMIT")
}

// CheckFixed returns the error of a call that names a repository at a revision which moves, nil if there is none.
func (c *Call) CheckFixed() error {
	for _, r := range c.remotes {
		if r.moves() {
			return wantCommit(r.name)
		}
	}
	return nil
}

// Remote reports whether the call needs trees of other repositories, which Fetch reads. The caller checks the
// permission to use the network.
func (c *Call) Remote() bool { return len(c.remotes) > 0 }

// refsAt is the path at which trees of other repositories appear; it need not exist.
const refsAt = "/rollstamp-refs"

// Fetch fetches the trees of other sources into the cache, and adds them to the call's files. Which commits revisions
// mean that move is a finding of the request.
func (c *Call) Fetch(ctx context.Context, cacheDir string) error {
	for len(c.remotes) > 0 {
		r := c.remotes[0]
		repo, commit, err := git.Fetch(ctx, git.Source{Address: r.url, Revision: r.revision, Versions: r.moves()}, cacheDir)
		if err != nil {
			return err
		}
		tree, err := repo.Tree(commit)
		if err != nil {
			return usage("refs "+r.name, "", "%w", err)
		}
		if r.moves() {
			f := diag.New(diag.SourceFollowed, "", fmt.Sprintf("refs %s: %s of %s is at commit %s", r.name, r.revision,
				redact.URL(r.url), commit))
			f.Notice = true
			c.followed = append(c.followed, f)
		}
		at := filepath.Join(refsAt, commit)
		c.Files = files.Add(files.Mount{At: at, Tree: tree}, files.OrDisk(c.Files))
		c.Refs[r.name] = at
		c.remotes = c.remotes[1:]
	}
	return nil
}
