package helm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// Pull returns the archive of a chart of a repository (http, https) or a registry (oci), in a version or the newest of
// a range. It asks the network, which the caller has to have allowed; one exact version only once.
func (e Engine) Pull(ctx context.Context, repository, name, version string) ([]byte, error) {
	ctx = e.Allow.Hosts.Within(ctx)
	w := wanted{name: name, repository: repository, version: version}
	archives := cache{e.CacheDir}
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v")); err == nil {
		if data := archives.find(w); data != nil {
			return data, nil
		}
	}
	s := &source{library: helm3{}, req: render.Request{CacheDir: e.CacheDir, RegistryConfig: e.RegistryConfig},
		logins: e.Logins}
	data, err := s.fetch(ctx, archives, w)
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch chart %s %s from %s: %w", name, version, redact.URL(repository),
			withoutURL(err)), network.Hint(err, "Check the repository and the version."))
	}
	return data, nil
}

// Unpack puts the files of such a chart into dir, as helm pull --untar does; an empty version is the newest.
func (e Engine) Unpack(ctx context.Context, repository, name, version, dir string) error {
	data, err := e.Pull(ctx, repository, name, cmp.Or(version, "*"))
	if err != nil {
		return err
	}
	files, err := loader.LoadArchiveFiles(bytes.NewReader(data))
	if err != nil {
		return diag.Source(fmt.Errorf("unpack chart %s: %s", name, truncate(strings.ToValidUTF8(err.Error(), "?"))), "")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack chart: %w", err)
	}
	defer func() { _ = root.Close() }()
	for _, f := range files {
		if err = root.MkdirAll(path.Dir(f.Name), 0o700); err == nil {
			err = root.WriteFile(f.Name, f.Data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("unpack chart: %w", err)
		}
	}
	return nil
}
