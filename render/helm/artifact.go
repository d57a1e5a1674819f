package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/workspace"
)

// Cached returns the archive of a chart in exactly this version where it was fetched before, else nil. It asks no
// network.
func (e Engine) Cached(repository, name, version string) []byte {
	return cache{e.CacheDir}.find(wanted{name: name, repository: repository, version: version})
}

// CachedArtifact returns an artifact that was fetched before, by its digest or an exact version; nil for others.
func (e Engine) CachedArtifact(repository string, ref workspace.Reference) *workspace.Artifact {
	archives := cache{e.CacheDir}
	at := artifact{repository, ref}
	if e.CacheDir == "" || !at.isFixed() {
		return nil
	}
	digest, err := os.ReadFile(archives.path(manifests, at.wanted().key()))
	archive := archives.find(at.wanted())
	if err != nil || archive == nil {
		return nil
	}
	return &workspace.Artifact{Archive: archive, Digest: string(digest)}
}

// PullArtifact returns the chart that a repository of a registry (oci://HOST/NAME) holds under a reference. It asks the
// network, which the caller has to have allowed; for a digest or an exact version only once.
func (e Engine) PullArtifact(
	ctx context.Context, repository string, ref workspace.Reference,
) (*workspace.Artifact, error) {
	if found := e.CachedArtifact(repository, ref); found != nil {
		return found, nil
	}
	ctx = e.Allow.Hosts.Within(ctx)
	archives := cache{e.CacheDir}
	found, err := registries{e.RegistryConfig, e.Logins, archives}.artifact(ctx, artifact{repository, ref})
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch chart %s of %s: %w", ref, redact.URL(repository), withoutURL(err)),
			network.Hint(err,
				"Check the address, its reference, and the credentials that helm or docker has for the registry."))
	}
	if at := (artifact{repository, ref}); at.isFixed() {
		_ = archives.store(at.wanted(), found.Archive) // a cache that cannot be written is slow, not wrong
		if e.CacheDir != "" {
			_ = writeWhole(archives.path(manifests, at.wanted().key()), []byte(found.Digest))
		}
	}
	return found, nil
}

// manifests is the folder of the cache with the digests of artifacts.
const manifests = "manifests"

// artifact is what a reference names in a repository.
type artifact struct {
	repository string
	ref        workspace.Reference
}

// isFixed reports whether the artifact is the same whenever it is asked for, as far as names of versions promise that.
func (a artifact) isFixed() bool {
	_, err := semver.StrictNewVersion(strings.TrimPrefix(a.ref.Tag, "v"))
	return a.ref.Digest != "" || a.ref.Range == "" && err == nil
}

// wanted returns what the cache calls the artifact.
func (a artifact) wanted() wanted {
	return wanted{repository: a.repository, version: cmp.Or(a.ref.Digest, a.ref.Tag)}
}

// artifact fetches an artifact. A digest counts more than a range of versions, and that more than a tag.
func (r registries) artifact(ctx context.Context, a artifact) (*workspace.Artifact, error) {
	name := strings.TrimPrefix(a.repository, ociScheme)
	switch {
	case a.ref.Digest != "":
		return r.manifest(ctx, name+"@"+a.ref.Digest)
	case a.ref.Range != "":
		version, err := r.newestTag(ctx, name, a.ref.Range)
		if err != nil {
			return nil, err
		}
		return r.manifest(ctx, name+":"+tagOf(version))
	case strings.ContainsAny(a.ref.Tag, "/@:"):
		return nil, errors.New("the tag cannot be parsed")
	}
	return r.manifest(ctx, name+":"+cmp.Or(a.ref.Tag, "latest"))
}
