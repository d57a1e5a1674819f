package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// FetchError is a repository that could not be fetched. Neither it nor its cause names credentials.
type FetchError struct {
	Address string // without credentials
	Err     error
}

func (e *FetchError) Error() string { return "fetch " + e.Address + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// Fetch brings a revision into the cache, without its history, and opens the repository there. The cache keeps it by
// its commit, so a branch that moved is fetched again, and a full hash needs the network once. Failures are a
// *FetchError in a *diag.Error. The caller needs the permission to use the network.
func Fetch(ctx context.Context, source Source, cacheDir string) (repo *Repository, commit string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(source.Time, FetchTime))
	defer cancel()
	bindHTTP()
	dir, hash, err := cachedRevision(ctx, source, cacheDir)
	if err != nil {
		failed := &FetchError{redact.URL(source.Address), withoutCredentials(err, source.Address)}
		return nil, "", diag.Source(failed, network.Hint(err, fetchHint(err)))
	}
	if repo, err = Open(dir); err != nil {
		return nil, "", err
	}
	commit, err = repo.Resolve(hash.String())
	return repo, commit, err
}

// fetchHint returns the next step after an error; "" where it says all.
func fetchHint(err error) string {
	if errors.Is(err, errNotReachable) {
		return "Correct the commit, or name a branch or tag that leads to it."
	}
	switch text := err.Error(); {
	case strings.Contains(text, "SSH_AUTH_SOCK"):
		return "Let SSH_AUTH_SOCK name the socket of an SSH agent that has a key for it, or fetch it by https."
	case strings.Contains(text, "knownhosts: "), strings.Contains(text, "known_hosts"):
		return "Let SSH_KNOWN_HOSTS name a file with the host's key, as ssh-keyscan prints it."
	}
	return ""
}

// IsCached reports whether the cache has a source, which is at a commit: then Fetch asks no network.
func IsCached(source Source, cacheDir string) bool {
	if cacheDir == "" || !plumbing.IsHash(source.Revision) {
		return false
	}
	_, err := os.Stat(cacheFolder(source, plumbing.NewHash(source.Revision), cacheDir))
	return err == nil
}

// cacheFolder returns the folder in the cache for a commit.
func cacheFolder(source Source, hash plumbing.Hash, cacheDir string) string {
	name := fmt.Appendf(nil, "%s\n%s", source.Address, hash)
	if source.Submodules {
		name = append(name, "\nsubmodules"...)
	}
	key := sha256.Sum256(name)
	return filepath.Join(cacheDir, "git", hex.EncodeToString(key[:]))
}

// bindHTTP has go-git, which keeps its clients for the whole process, ask only hosts that a context allows.
var bindHTTP = sync.OnceFunc(func() {
	for _, scheme := range []string{"http", "https"} {
		client.InstallProtocol(scheme, http.NewClient(network.Client()))
	}
})

// cachedRevision returns the folder in the cache that holds a revision, and the hash that the revision means now.
func cachedRevision(ctx context.Context, source Source, cacheDir string) (dir string, hash plumbing.Hash, err error) {
	if err := overNetwork(ctx, source.Address); err != nil {
		return "", hash, err
	}
	if cacheDir == "" {
		return "", hash, errors.New("there is no cache folder")
	}
	ref, err := remoteReference(ctx, source)
	if err != nil {
		return "", hash, err
	}
	dir = cacheFolder(source, ref.Hash(), cacheDir)
	if _, err := os.Stat(dir); err != nil {
		if err := fill(ctx, dir, source, ref); err != nil {
			return "", hash, err
		}
	}
	return dir, ref.Hash(), nil
}

// fill creates an entry of the cache. It appears whole, whatever other processes do and whenever this one is killed.
func fill(ctx context.Context, dir string, source Source, ref *plumbing.Reference) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := fetchInto(ctx, part, source.Address, ref); err != nil {
		return err
	}
	if source.Submodules {
		if err := fetchSubmodules(ctx, part, source.Address, ref.Hash(), 0); err != nil {
			return err
		}
	}
	if err := os.Rename(part, dir); err != nil {
		if _, again := os.Stat(dir); again != nil { // else another process was faster
			return err
		}
	}
	return nil
}
