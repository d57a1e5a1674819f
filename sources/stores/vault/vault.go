// Package vault asks HashiCorp Vault and OpenBao for versions: of a KV version 2 engine it reads metadata only, never
// data.
package vault

import (
	"context"
	"errors"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// Version returns the number of the newest version of a key, or the version of what a search finds.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if err := s.login(ctx); err != nil {
		return sources.Answer{}, err
	}
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	if ref.Version != "" && ref.Version != "0" { // 0 is the newest; one that pins never gets here
		return sources.Answer{}, sources.Fail(sources.Refused, "version")
	}
	if ref.Store.HasUnknownEngine() {
		return s.inPod(ctx, ref)
	}
	mount, key, err := s.split(ref.Key)
	if err != nil {
		return sources.Answer{}, err
	}
	return s.latest(ctx, mount, key, ref.Property)
}

// latest returns what there is now under a key of an engine whose version is known from the store's object.
func (s *Store) latest(ctx context.Context, mount, key, property string) (sources.Answer, error) {
	if s.Options.Version == "v1" {
		return s.value(ctx, mount, key, property)
	}
	version, _, err := s.newest(ctx, mount, key)
	return sources.Answer{Version: version}, err
}

// inPod answers for a place that a pod, or a class of the CSI driver, names itself, without any word on what is mounted
// there.
func (s *Store) inPod(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	path := strings.Trim(ref.Key, "/")
	if !clean(path) {
		return sources.Answer{}, sources.Fail(sources.Refused, "key")
	}
	e, err := s.engine(ctx, path)
	var f *sources.Failure
	switch {
	case errors.As(err, &f) && (f.Class == sources.NoPermit || f.Class == sources.NotFound):
		// Whoever may not see the mount learns from the metadata which right is missing.
		mount, key, err := s.split(path)
		if err != nil {
			return sources.Answer{}, err
		}
		return s.latest(ctx, mount, key, ref.Property)
	case err != nil:
		return sources.Answer{}, err
	case e.leases():
		return sources.Answer{Version: sources.Lease}, nil
	}
	key := strings.TrimPrefix(strings.TrimPrefix(path, e.mount), "/")
	if key == "" {
		return sources.Answer{}, sources.Fail(sources.Refused, "key")
	}
	if e.version != "2" {
		return s.value(ctx, e.mount, key, ref.Property)
	}
	version, _, err := s.newest(ctx, e.mount, strings.TrimPrefix(key, "data/"))
	return sources.Answer{Version: version}, err
}
