package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// fetchTime bounds the fetch of one repository.
const fetchTime = 3 * time.Minute

// Fetch brings one revision of a repository elsewhere into the cache, without its history, and opens it there. The revision is a branch,
// a tag, a full hash, a range of versions (the highest tag in it), or HEAD or "" for the default branch. It is kept by its commit, so a
// branch that moved is fetched again; a full hash needs the network once.
func Fetch(ctx context.Context, address, rev, cacheDir string) (repo *Repository, commit string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	fail := func(err error) (*Repository, string, error) {
		return nil, "", diag.Source(fmt.Errorf("fetch %s: %w", redact.URL(address), withoutURL(err, address)), "")
	}
	if err := overNetwork(address); err != nil {
		return fail(err)
	}
	if cacheDir == "" {
		return fail(errors.New("there is no cache folder"))
	}
	ref, err := remoteRef(ctx, address, rev)
	if err != nil {
		return fail(err)
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", address, ref.Hash()))
	dir := filepath.Join(cacheDir, "revisions", hex.EncodeToString(key[:]))
	if _, err := os.Stat(dir); err != nil {
		if err := fetchInto(ctx, dir, address, ref); err != nil {
			return fail(err)
		}
	}
	if repo, err = Open(dir); err != nil {
		return nil, "", err
	}
	commit, err = repo.Resolve(ref.Hash().String())
	return repo, commit, err
}

// overNetwork refuses addresses on this machine: go-git would run a git program for them.
func overNetwork(address string) error {
	at, err := transport.NewEndpoint(address)
	if err != nil {
		return errors.New("not the address of a repository")
	}
	switch at.Protocol {
	case "https", "http", "ssh", "git":
		return nil
	}
	return fmt.Errorf("repositories are not fetched by %s", at.Protocol)
}

// remoteRef finds out what a revision means there now.
func remoteRef(ctx context.Context, address, rev string) (*plumbing.Reference, error) {
	if plumbing.IsHash(rev) {
		return plumbing.NewHashReference("", plumbing.NewHash(rev)), nil
	}
	refs, err := gogit.NewRemote(nil, &config.RemoteConfig{Name: "origin", URLs: []string{address}}).ListContext(ctx, &gogit.ListOptions{})
	if err != nil {
		return nil, err
	}
	byName := make(map[plumbing.ReferenceName]*plumbing.Reference, len(refs))
	var tags []string
	for _, r := range refs {
		byName[r.Name()] = r
		if r.Name().IsTag() {
			tags = append(tags, r.Name().Short())
		}
	}
	if rev == "" {
		rev = plumbing.HEAD.String()
	}
	names := []string{rev, "refs/" + rev, "refs/tags/" + rev, "refs/heads/" + rev}
	if tag, ok := Highest(tags, rev); ok {
		names = append(names, "refs/tags/"+tag)
	}
	for _, name := range names {
		r := byName[plumbing.ReferenceName(name)]
		if r != nil && r.Type() == plumbing.SymbolicReference {
			r = byName[r.Target()]
		}
		if r != nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no branch, tag or full commit hash %q", rev)
}

// Highest returns the highest version of a list in a range such as 1.2.*; not ok where rev is no range, or nothing is in it.
func Highest(tags []string, rev string) (tag string, ok bool) {
	if _, err := semver.NewVersion(rev); err == nil {
		return "", false
	}
	within, err := semver.NewConstraint(rev)
	if err != nil {
		return "", false
	}
	var best *semver.Version
	for _, tag := range tags {
		if v, err := semver.NewVersion(tag); err == nil && within.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	if best == nil {
		return "", false
	}
	return best.Original(), true
}

// fetchInto makes a bare repository of one commit. It appears whole, whatever other processes do and whenever this one is killed.
func fetchInto(ctx context.Context, dir, address string, ref *plumbing.Reference) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	store := filesystem.NewStorage(osfs.New(part), cache.NewObjectLRUDefault())
	if err := store.Init(); err != nil {
		return err
	}
	from := ref.Name().String()
	if from == "" {
		from = ref.Hash().String()
	}
	err = gogit.NewRemote(store, &config.RemoteConfig{Name: "origin", URLs: []string{address}}).FetchContext(ctx, &gogit.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec("+" + from + ":refs/heads/fetched")}, Depth: 1, Tags: gogit.NoTags,
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(part, "HEAD"), []byte("ref: refs/heads/fetched\n"), 0o600); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		if _, again := os.Stat(dir); again != nil { // else another process was faster
			return err
		}
	}
	return nil
}

// withoutURL takes the address out of what go-git says, for it may hold credentials. go-git may write it in a form of its own.
func withoutURL(err error, address string) error {
	text := err.Error()
	var u *url.Error
	if !strings.Contains(text, address) && errors.As(err, &u) {
		return u.Err
	}
	if shown := redact.URLs(strings.ReplaceAll(text, address, redact.URL(address))); shown != text {
		return errors.New(shown)
	}
	return err
}
