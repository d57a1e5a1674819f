package helm

import (
	"context"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// Pull gives the archive of a chart of a repository (http, https) or a registry (oci), in a version or the newest of a range. It asks
// the network, which the caller has to have allowed; one exact version only once.
func (e Engine) Pull(ctx context.Context, repository, name, version string) ([]byte, error) {
	w := wanted{name: name, repository: repository, version: version}
	kept := cache{e.CacheDir}
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v")); err == nil {
		if data := kept.named(w); data != nil {
			return data, nil
		}
	}
	s := &source{req: render.Request{CacheDir: e.CacheDir, RegistryConfig: e.RegistryConfig}}
	data, err := s.fetch(ctx, kept, w)
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch chart %s %s from %s: %w", name, version, redact.URL(repository), unnamed(err)), "Check the repository and the version.")
	}
	return data, nil
}
