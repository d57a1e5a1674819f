package vault

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rollstamp/rollstamp/sources"
)

// value reads a key of a KV version 1 engine, which knows no versions. Before that it asks what the engine is: to read from most
// others makes a credential.
func (s *Store) value(ctx context.Context, mount, key, property string) (sources.Answer, error) {
	if !s.Values {
		return sources.Answer{}, sources.Fail(sources.NoVersions, "KV version 1")
	}
	if err := s.isFirst(ctx, mount); err != nil {
		return sources.Answer{}, err
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
	value, err := sources.Property(text, property)
	return sources.Answer{Value: value}, err
}

// isFirst makes sure that a mount is a KV version 1 engine.
func (s *Store) isFirst(ctx context.Context, mount string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err, known := s.mounts[mount]; known {
		return err
	}
	answer, err := s.client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+mount)
	if err != nil {
		return failure(err)
	}
	if answer == nil {
		return sources.Fail(sources.NotFound, "mount")
	}
	options, _ := answer.Data["options"].(map[string]any)
	switch kind, version := fmt.Sprint(answer.Data["type"]), fmt.Sprint(options["version"]); {
	case kind != "kv" && kind != "generic":
		err = sources.Fail(sources.NoVersions, "not a KV engine; nothing is read from it")
	case version == "2":
		err = sources.Fail(sources.Refused, "the engine is KV version 2")
	}
	s.mounts[mount] = err
	return err
}
