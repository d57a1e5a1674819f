package main

import (
	"context"
	"errors"
	"io"
	"log"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/remote"
	"github.com/rollstamp/rollstamp/sources/stores"
	"github.com/rollstamp/rollstamp/sources/stores/live"
)

// silence keeps the clients' libraries from printing what they think.
func silence() { log.SetOutput(io.Discard) }

// open makes the resolver for a request.
func open(req remote.Request) (sources.VersionResolver, error) {
	a := asking{req, &stores.Operator{
		Rules: req.Rules, Env: config.Environment(), Values: req.Values, HashKey: len(req.Key) > 0,
	}}
	r := &live.Resolver{Open: a.client, Digest: a.digest}
	if !req.Deadline.IsZero() {
		r.Budget = max(min(time.Until(req.Deadline), live.Budget), time.Nanosecond)
	}
	return r, nil
}

// asking is what the clients of a request share.
type asking struct {
	req      remote.Request
	operator *stores.Operator
}

// digest returns the stand-in for a value, made here, so that no value leaves this process.
func (a asking) digest(ref sources.Ref, value redact.Secret) (string, error) {
	key := hashing.Borrow(a.req.Key)
	if key == nil {
		return "", sources.Fail(sources.NoKey, "")
	}
	return hashing.StoreValue(ref.ID(), value, *key), nil
}

// client returns the client of a store, if it may be asked.
func (a asking) client(s sources.Store) (sources.Versions, error) {
	target, f := a.operator.Target(s)
	if f != nil {
		return nil, f
	}
	versions, err := clients[target.Name](target)
	if err == nil {
		versions, err = target.Spell(s, versions)
	}
	if err != nil || !a.operator.Values || a.operator.HashKey {
		return versions, err
	}
	return keyless{versions}, nil
}

// keyless is a store whose values may be read, in a run without a hash key: what is missing is the key.
type keyless struct{ sources.Versions }

// Version is sources.Versions'.
func (k keyless) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	answer, err := k.Versions.Version(ctx, ref)
	var f *sources.Failure
	if errors.As(err, &f) && f.Class == sources.NoVersions {
		return answer, sources.Fail(sources.NoKey, f.Status)
	}
	return answer, err
}

// release is the version of a build that cannot see version control; the linker sets it: -X main.release=v1.2.3.
var release string
