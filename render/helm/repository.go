package helm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// remote fetches a dependency from a repository or a registry, or takes it from the cache where its version is exact.
func (s *source) remote(ctx context.Context, w wanted) (*chart.Chart, error) {
	archives := cache{s.req.CacheDir}
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(w.version, "v")); err == nil && !s.req.Helm.DependencyUpdate {
		if data := archives.find(w); data != nil {
			return s.unpack(w, data)
		}
	}
	data, err := s.fetch(ctx, archives, w)
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch chart %s %s from %s: %w", w.name, w.version, redact.URL(w.repository),
			withoutURL(err)),
			network.Hint(err, "Check the repository and the version range in Chart.yaml."))
	}
	return s.unpack(w, data)
}

func (s *source) unpack(w wanted, data []byte) (*chart.Chart, error) {
	c, err := s.packed(data)
	if err != nil {
		return nil, s.failDependency(w, fmt.Errorf("unpack archive: %s", truncate(strings.ToValidUTF8(err.Error(), "?"))), "")
	}
	return c, nil
}

// fetch returns the archive of the newest version that fits, and keeps it.
func (s *source) fetch(ctx context.Context, archives cache, w wanted) ([]byte, error) {
	var data []byte
	var err error
	switch scheme, _, _ := strings.Cut(w.repository, "://"); scheme {
	case "oci":
		w.version, data, err = registries{s.req.RegistryConfig, s.logins, archives}.chart(ctx, w)
	case "http", "https":
		w.version, data, err = s.fromRepository(ctx, archives, w)
	default:
		return nil, errors.New(`the repository is neither a URL of http, https or oci, nor file://; names as of "helm repo add" are not known here`)
	}
	if err != nil {
		return nil, err
	}
	_ = archives.store(w, data) // a cache that cannot be written is slow, not wrong
	return data, nil
}

// fromRepository returns a chart's archive and its version from a repository over HTTP.
func (s *source) fromRepository(
	ctx context.Context, archives cache, w wanted,
) (version string, data []byte, err error) {
	ix, err := s.index(ctx, w.repository)
	if err != nil {
		return "", nil, err
	}
	entries := slices.DeleteFunc(slices.Clone(ix.Entries[w.name]),
		func(e *indexEntry) bool { return e == nil || len(e.URLs) == 0 })
	if len(entries) == 0 {
		return "", nil, errors.New("the repository has no such chart")
	}
	versions := make(map[string]*indexEntry, len(entries))
	for _, e := range entries {
		versions[e.Version] = cmp.Or(versions[e.Version], e)
	}
	version, err = newest(w.version, versions)
	if err != nil {
		return "", nil, err
	}
	e := versions[version]
	digest := strings.ToLower(strings.TrimPrefix(e.Digest, "sha256:"))
	if data := archives.byDigest(digest); data != nil {
		return version, data, nil
	}
	at, err := resolve(w.repository, e.URLs[0])
	if err != nil {
		return "", nil, err
	}
	if strings.HasPrefix(at, ociScheme) {
		data, err = registries{s.req.RegistryConfig, s.logins, archives}.reference(ctx, strings.TrimPrefix(at, ociScheme))
	} else {
		data, err = get(ctx, at)
	}
	if err == nil && digest != "" && digestOf(data) != digest {
		err = fmt.Errorf("the archive's digest is sha256:%s, the index has %s", digestOf(data), e.Digest)
	}
	return version, data, err
}

// index fetches a repository's index, once for each repository.
func (s *source) index(ctx context.Context, repository string) (*index, error) {
	if ix := s.indexes[repository]; ix != nil {
		return ix, nil
	}
	at, err := resolve(repository, "index.yaml")
	if err != nil {
		return nil, err
	}
	data, err := get(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	ix := &index{}
	if json.Valid(data) {
		err = json.Unmarshal(data, ix)
	} else {
		err = yaml.Unmarshal(data, ix)
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", yamlCause(err, "an index"))
	}
	if s.indexes == nil {
		s.indexes = map[string]*index{}
	}
	s.indexes[repository] = ix
	return ix, nil
}

// resolve returns the URL of a file that a repository names, absolute or below the repository. The repository's query
// goes with it, as it may hold the credentials.
func resolve(repository, file string) (string, error) {
	ref, err := url.Parse(file)
	if err != nil {
		return "", errors.New("the chart's URL cannot be parsed")
	}
	if ref.IsAbs() {
		return file, nil
	}
	base, err := url.Parse(repository)
	if err != nil {
		return "", errors.New("the repository's URL cannot be parsed")
	}
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, "/")+"/", ""
	at := base.ResolveReference(ref)
	at.RawQuery = base.RawQuery
	return at.String(), nil
}
