package vault

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/rollstamp/rollstamp/sources"
)

// newest returns the newest version of a key, which must be readable by whoever may read it.
func (s *Store) newest(ctx context.Context, mount, key string) (version string, custom map[string]any, err error) {
	m, err := s.metadata(ctx, mount, key)
	if err != nil {
		f := failure(err)
		if f.Class == sources.NoPermit {
			f.Next = `Give this token the capability "read" on the path "` + mount + "/metadata/" + key +
				`"; if it has that, the token is not valid any more.`
		}
		return "", nil, f
	}
	if m.CurrentVersion == 0 {
		return "", nil, sources.Fail(sources.NotFound, "no version")
	}
	version = strconv.Itoa(m.CurrentVersion)
	switch v, known := m.Versions[version]; {
	case !known:
		return "", nil, sources.Fail(sources.Malformed, "version "+version)
	case v.Destroyed:
		return "", nil, sources.Fail(sources.Deleted, "version "+version+" is destroyed")
	case !v.DeletionTime.IsZero() && v.DeletionTime.Before(time.Now()):
		return "", nil, sources.Fail(sources.Deleted, "version "+version)
	}
	return version, m.CustomMetadata, nil
}

// metadata asks for a key's metadata. The library's decoder panics where a field has another type than a Vault's.
func (s *Store) metadata(ctx context.Context, mount, key string) (m *api.KVMetadata, err error) {
	defer func() {
		if recover() != nil {
			m, err = nil, sources.Fail(sources.Malformed, "metadata")
		}
	}()
	return s.client.KVv2(mount).GetMetadata(ctx, key)
}
