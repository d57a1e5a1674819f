package argocd

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/workspace"
)

// remote is another repository that substitutes a source, at a commit or at a revision that moves.
type remote struct {
	name, url string
	revision  string // as it is written
	source    git.Source
	at        diag.Position // of its name in a file; the zero value where none has it
	lockedAt  diag.Position // of the line that says at which commit it is; the zero value where none does
}

// TagPrefixMark stands between a revision and the prefix of the tags that it is looked for in. Git allows no name
// with a question mark.
const TagPrefixMark = "?tagPrefix="

func newRemote(name, url, revision string) remote {
	r := remote{name: name, url: url, revision: revision}
	rev, prefix, _ := strings.Cut(revision, TagPrefixMark)
	r.source = git.Source{Address: url, Revision: rev, TagPrefix: prefix, Versions: !isCommit(rev)}
	return r
}

// hashLength is the length of a commit's hash.
const hashLength = 40

func isCommit(rev string) bool {
	return len(rev) == hashLength && strings.Trim(rev, "0123456789abcdef") == ""
}

// moves reports whether the revision may mean another commit tomorrow.
func (r remote) moves() bool { return !isCommit(r.source.Revision) }

// lockName returns the name of the line about it in a lock.
func (r remote) lockName() string {
	return lock.RepositoryName(workspace.AddressPath(r.url), r.revision)
}

// Followed is a repository at a revision that moves, by the name of its line in a lock, and the commit that it was at.
type Followed struct {
	Ref, Name string
	Commit    string

	at  string        // the repository and revision, for people
	pos diag.Position // of the line in the lock, where that has said it
}

// TakeCommits takes the commits of revisions that move from a lock, nil for none, but of those for which asksAgain
// returns true by the name of their line; nil is none of them.
func (c *Call) TakeCommits(from *lock.File, asksAgain func(name string) bool) {
	if from == nil {
		return
	}
	for i, r := range c.remotes {
		commit, pos := from.Commit(r.lockName())
		if commit == "" || !r.moves() || asksAgain != nil && asksAgain(r.lockName()) {
			continue
		}
		c.remotes[i].source, c.remotes[i].lockedAt = git.Source{Address: r.url, Revision: commit}, pos
	}
	c.mountAtHand()
}

// CheckFixed returns the error of a call that names a repository at a revision which moves, nil if there is none.
func (c *Call) CheckFixed() error {
	for _, r := range c.remotes {
		if r.moves() {
			return c.asWritten(at(r.at, usage("refs "+r.name, "Argo CD does not see when that changes, so the answer would be "+
				"stale until the application's own repository does. Let 'rollstamp lock' write the commit into rollstamp.lock, or write a "+
				"full commit hash behind the address; or the operator can allow that with --allow network,moving-refs.",
				"%s of %s may mean another commit tomorrow, and rollstamp.lock has none for it", r.revision, redact.URL(r.url))))
		}
	}
	return nil
}

// Remote reports whether the call needs trees of other repositories, which Fetch reads. The caller checks the
// permission to use the network.
func (c *Call) Remote() bool { return len(c.remotes) > 0 }

// IsCached reports whether Fetch needs no network: the commits are known, and in the cache.
func (c *Call) IsCached(cacheDir string) bool {
	return !slices.ContainsFunc(c.remotes, func(r remote) bool { return !git.IsCached(r.source, cacheDir) })
}

// Absent returns the error of a call that needs a tree which no cache and no clone on this machine has, where the
// network is not allowed; nil if there is none.
func (c *Call) Absent(cacheDir string) error {
	i := slices.IndexFunc(c.remotes, func(r remote) bool { return !git.IsCached(r.source, cacheDir) })
	if i < 0 {
		return nil
	}
	r := c.remotes[i]
	what, address, rev := "refs "+r.name, redact.URL(r.url), r.revision
	if !isCommit(rev) && !r.moves() {
		rev = "commit " + r.source.Revision + ", which the lock has for " + rev
	}
	if c.atHand != nil && c.atHand.IsAdded(r.url) {
		return diag.Input(r.at, fmt.Errorf("%s: the clone of %s on this machine has no %s", what, address,
			rev), "Fetch into the clone first, with its tags: git fetch --tags.")
	}
	hint := "Name a folder of this repository, or allow the network with --allow network."
	if c.atHand != nil {
		hint = "Name a clone of it with --repo " + address + "=FOLDER, or allow the network with --allow network."
	}
	return &diag.Error{Exit: diag.ExitSource, Pos: r.at, Hint: hint,
		Err: fmt.Errorf("%s: read %s of %s: the network is not allowed", what, rev, address)}
}

// AtHand are repositories on this machine.
type AtHand interface {
	// Commit returns the files of a repository at a commit, nil where it is not at hand.
	Commit(address, commit string) fs.ReadLinkFS

	// Resolve returns the commit that a revision means, "" where the repository is not at hand or has none.
	Resolve(address string, rev workspace.Revision) (commit string)

	// IsAdded reports whether a clone of the repository was named, whatever it holds.
	IsAdded(address string) bool
}

// TakeTrees takes the trees of other sources at fixed commits from repositories that are at hand, so that Fetch need
// not. Those whose commits TakeCommits brings later are taken then.
func (c *Call) TakeTrees(from AtHand) {
	c.atHand = from
	c.mountAtHand()
}

// TakeMoving takes the trees of other sources at revisions that move from repositories that are at hand. The caller
// checks the permission to follow them.
func (c *Call) TakeMoving() {
	c.remotes = slices.DeleteFunc(c.remotes, func(r remote) bool {
		commit := c.resolveAtHand(r)
		if commit == "" {
			return false
		}
		tree := c.atHand.Commit(r.url, commit)
		if tree != nil {
			c.mountRemote(r, commit, tree)
		}
		return tree != nil
	})
}

// IsAtHand reports whether TakeMoving takes the repository whose line in a lock has that name.
func (c *Call) IsAtHand(name string) bool {
	return slices.ContainsFunc(c.remotes, func(r remote) bool {
		return r.lockName() == name && c.resolveAtHand(r) != ""
	})
}

// Gone returns the error of a line of a lock, to be asked again, whose revision the clone that was named of its
// repository does not have: it was deleted, or not fetched, and the line cannot be moved. Nil if there is none.
func (c *Call) Gone(from *lock.File, asksAgain func(name string) bool) error {
	if from == nil || c.atHand == nil {
		return nil
	}
	for _, r := range c.remotes {
		commit, pos := from.Commit(r.lockName())
		if commit == "" || !r.moves() || !asksAgain(r.lockName()) || !c.atHand.IsAdded(r.url) || c.resolveAtHand(r) != "" {
			continue
		}
		return diag.Input(pos, fmt.Errorf("refs %s: the clone of %s on this machine has no %s, so the lock's commit %s cannot "+
			"be moved", r.name, redact.URL(r.url), r.revision, commit), "Fetch into the clone: git fetch --tags. If it was "+
			"deleted, let refs name what is followed instead, or the commit itself: renders read that as long as it can be had.")
	}
	return nil
}

// resolveAtHand returns the commit that a revision which moves means in a repository that is at hand, "" for others.
func (c *Call) resolveAtHand(r remote) string {
	if c.atHand == nil || !r.moves() {
		return ""
	}
	return c.atHand.Resolve(r.url, workspace.Revision{Name: r.source.Revision, TagPrefix: r.source.TagPrefix})
}

// mountAtHand adds the trees that are at hand.
func (c *Call) mountAtHand() {
	if c.atHand == nil {
		return
	}
	c.remotes = slices.DeleteFunc(c.remotes, func(r remote) bool {
		if r.moves() {
			return false
		}
		tree := c.atHand.Commit(r.url, r.source.Revision)
		if tree == nil {
			return false
		}
		c.mountRemote(r, r.source.Revision, tree)
		return true
	})
}

// mountRemote adds the tree of another repository at a commit, which a revision that moves means now.
func (c *Call) mountRemote(r remote, commit string, tree fs.ReadLinkFS) {
	if !isCommit(r.revision) {
		c.followed = append(c.followed, Followed{Ref: r.name, Name: r.lockName(), Commit: commit,
			at: r.revision + " of " + redact.URL(r.url), pos: r.lockedAt})
	}
	c.mount(r.name, commit, tree)
}

// mount adds the tree of another source.
func (c *Call) mount(name, commit string, tree fs.ReadLinkFS) {
	at := filepath.Join(refsAt, commit)
	c.Files = files.Add(files.Mount{At: at, Tree: tree}, files.OrDisk(c.Files))
	c.Refs[name] = at
}

// refsAt is the path at which trees of other repositories appear; it need not exist.
const refsAt = "/rollstamp-refs"

// Fetch fetches the trees of other sources into the cache, and adds them to the call's files. Which commits revisions
// mean that move is a finding of the request, where no lock says so.
func (c *Call) Fetch(ctx context.Context, cacheDir string) error {
	for len(c.remotes) > 0 {
		r := c.remotes[0]
		repo, commit, err := git.Fetch(ctx, r.source, cacheDir)
		if err != nil {
			return err
		}
		tree, err := repo.Tree(commit)
		if err != nil {
			return usage("refs "+r.name, "", "%w", err)
		}
		c.mountRemote(r, commit, tree)
		c.remotes = c.remotes[1:]
	}
	return nil
}

// Followed returns the repositories at revisions that move, as Fetch has found them.
func (c *Call) Followed() []Followed { return c.followed }

// followedFindings reports the commits of revisions that no lock has.
func followedFindings(all []Followed) (out []diag.Finding) {
	for _, one := range all {
		if one.pos != (diag.Position{}) {
			continue
		}
		f := diag.New(diag.SourceFollowed, "", fmt.Sprintf("refs %s: %s is at commit %s", one.Ref, one.at, one.Commit))
		f.Notice = true
		out = append(out, f)
	}
	return out
}
