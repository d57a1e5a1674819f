package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/Masterminds/semver/v3"

	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/workspace"
)

// The media types of a chart's archive in a registry, the second one of Helm before 3.8.
const (
	chartLayer       = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	chartLayerLegacy = "application/tar+gzip"
)

// registries speaks to OCI registries, with the credentials that the user's helm or docker has for them.
type registries struct {
	helmConfig string       // helm's file of credentials; "" where the user has none
	logins     login.Source // docker's
	cache      cache
}

// chart returns a chart's archive and its version from an OCI registry.
func (r registries) chart(ctx context.Context, w wanted) (version string, data []byte, err error) {
	name := strings.TrimPrefix(w.repository, ociScheme) + "/" + w.name
	version = w.version
	if _, err := semver.NewVersion(version); err != nil { // a range
		if version, err = r.newestTag(ctx, name, w.version); err != nil {
			return "", nil, err
		}
	}
	data, err = r.reference(ctx, name+":"+tagOf(version))
	return version, data, err
}

func (r registries) newestTag(ctx context.Context, name, constraint string) (string, error) {
	repo, err := r.repository(name)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	versions := map[string]bool{}
	err = repo.Tags(ctx, "", func(tags []string) error {
		for _, tag := range tags {
			versions[versionOfTag(tag)] = true
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("list tags: %w", withoutURL(err))
	}
	return newest(constraint, versions)
}

// reference returns the archive of the chart that a reference (HOST/NAME:TAG) names.
func (r registries) reference(ctx context.Context, reference string) ([]byte, error) {
	found, err := r.manifest(ctx, reference)
	if err != nil {
		return nil, err
	}
	return found.Archive, nil
}

// manifest returns the chart that a reference (HOST/NAME:TAG or HOST/NAME@DIGEST) names, with the digest of its
// manifest.
func (r registries) manifest(ctx context.Context, reference string) (*workspace.Artifact, error) {
	repo, err := r.repository(reference)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	desc, body, err := repo.FetchReference(ctx, reference)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", withoutURL(err))
	}
	defer func() { _ = body.Close() }()
	if desc.Size > maxFetched {
		return nil, errors.New("read manifest: it is too large")
	}
	text, err := content.ReadAll(body, desc)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, errors.New("read manifest: it is not JSON")
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType == chartLayer || layer.MediaType == chartLayerLegacy {
			archive, err := r.layer(ctx, repo, layer)
			if err != nil {
				return nil, err
			}
			return &workspace.Artifact{Archive: archive, Digest: desc.Digest.String()}, nil
		}
	}
	return nil, errors.New("the artifact holds no chart")
}

func (r registries) layer(ctx context.Context, repo *remote.Repository, layer ocispec.Descriptor) ([]byte, error) {
	if data := r.cache.byDigest(layer.Digest.Encoded()); data != nil {
		return data, nil
	}
	if layer.Size > maxFetched {
		return nil, fmt.Errorf("the archive is larger than %d bytes", maxFetched)
	}
	data, err := content.FetchAll(ctx, repo.Blobs(), layer) // holds the bytes against digest and size
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", withoutURL(err))
	}
	return data, nil
}

// repository returns a client for one repository of a registry. A registry on this machine is spoken to without TLS, as
// docker does.
func (r registries) repository(reference string) (*remote.Repository, error) {
	repo, err := remote.NewRepository(reference)
	if err != nil {
		return nil, errors.New("the reference cannot be parsed")
	}
	repo.PlainHTTP = loopback(repo.Reference.Registry)
	repo.Client = &auth.Client{Client: network.Client(), Header: http.Header{"User-Agent": {"rollstamp"}},
		Cache: auth.NewCache(), Credential: r.credential}
	return repo, nil
}

// credential returns what helm's file has for a host, else what docker's has. A file that cannot be read has nothing.
func (r registries) credential(ctx context.Context, host string) (auth.Credential, error) {
	for _, path := range []string{r.helmConfig, r.logins.Docker} {
		if path == "" {
			continue
		}
		file, err := login.Read(path)
		if err != nil {
			continue
		}
		if found, err := file.Credential(ctx, host, r.logins.Ask); err != nil || found != auth.EmptyCredential {
			return found, err
		}
	}
	return auth.EmptyCredential, nil
}
