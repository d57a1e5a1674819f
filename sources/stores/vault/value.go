package vault

import (
	"context"
	"encoding/json"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// value reads a key of a KV version 1 engine, which knows no versions. Before that it asks what the engine is: to read
// from most others makes a credential.
func (s *Store) value(ctx context.Context, mount, key, property string) (sources.Answer, error) {
	e, err := s.engine(ctx, mount)
	switch {
	case err == nil && e.leases():
		return sources.Answer{Version: sources.Lease}, nil
	case !s.Values:
		return sources.Answer{}, sources.Fail(sources.NoVersions, "KV version 1")
	case err != nil:
		return sources.Answer{}, err
	case !e.isKV():
		return sources.Answer{}, sources.Fail(sources.NoVersions, "not a KV engine; nothing is read from it")
	case e.version == "2":
		return sources.Answer{}, sources.Fail(sources.Refused, "the engine is KV version 2")
	}
	answer, err := s.client.Logical().ReadWithContext(ctx, mount+"/"+key)
	if err != nil {
		return sources.Answer{}, failure(err)
	}
	if answer == nil || answer.Data == nil {
		return sources.Answer{}, sources.Fail(sources.NotFound, "HTTP 404")
	}
	text, err := json.Marshal(answer.Data)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Malformed, "")
	}
	value, err := stores.Property(text, property)
	return sources.Answer{Value: value}, err
}
