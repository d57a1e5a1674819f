package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// engine is what is mounted somewhere.
type engine struct {
	mount   string // without slashes at its ends; it may hold some
	kind    string // kv, generic, database, pki, ...
	version string // of kv: 1 or 2
}

func (e engine) isKV() bool { return e.kind == "kv" || e.kind == "generic" }

// leases reports whether what is read there is made for whoever reads it. Vault's own engines make nothing, and no
// operator reads them.
func (e engine) leases() bool {
	return !e.isKV() && !strings.HasPrefix(e.kind, "ns_") &&
		!slices.Contains([]string{"cubbyhole", "system", "identity", "token"}, e.kind)
}

// engine asks what is mounted above a path. Vault returns it to each token that may do anything at all below the mount.
func (s *Store) engine(ctx context.Context, path string) (engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.engines {
		if path == e.mount || strings.HasPrefix(path, e.mount+"/") {
			return e, nil
		}
	}
	answer, err := s.client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+path)
	if err != nil {
		return engine{}, failure(err)
	}
	if answer == nil {
		return engine{}, sources.Fail(sources.NotFound, "mount")
	}
	options, _ := answer.Data["options"].(map[string]any)
	e := engine{kind: fmt.Sprint(answer.Data["type"]), version: fmt.Sprint(options["version"])}
	mount, _ := answer.Data["path"].(string)
	e.mount = strings.Trim(mount, "/")
	if e.mount == "" || path != e.mount && !strings.HasPrefix(path, e.mount+"/") {
		return engine{}, sources.Fail(sources.Malformed, "mount")
	}
	s.engines = append(s.engines, e)
	return e, nil
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
