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
	"github.com/rollstamp/rollstamp/sources/stores/live"
)

// silence keeps the clients' libraries from printing what they think.
func silence() { log.SetOutput(io.Discard) }

// open makes the resolver for a request.
func open(req remote.Request) (sources.VersionResolver, error) {
	w := wiring{req: req, env: config.Environment()}
	r := &live.Resolver{Open: w.client, Digest: w.digest}
	if !req.Deadline.IsZero() {
		r.Budget = max(min(time.Until(req.Deadline), live.Budget), time.Nanosecond)
	}
	return r, nil
}

// wiring knows every client.
type wiring struct {
	req remote.Request
	env config.Env
}

// digest makes what stands for a value, here, so that no value leaves this process.
func (w *wiring) digest(ref sources.Ref, value redact.Secret) (string, error) {
	key := hashing.Borrow(w.req.Key)
	if key == nil {
		return "", sources.Fail(sources.NoKey, "")
	}
	return hashing.StoreValue(ref.ID(), value, *key), nil
}

// client returns the client of a store, if it may be asked.
func (w *wiring) client(s sources.Store) (sources.Versions, error) {
	ambient, _ := w.env(config.EnvVaultAddr)
	target, f := live.Aim(s, w.req.Rules, ambient)
	if f != nil {
		return nil, f
	}
	client, known := clients[target.Provider]
	if !known {
		return nil, sources.Fail(sources.Unsupported, string(target.Provider))
	}
	versions, err := client(w, target)
	if err == nil {
		versions, err = spell(s, target, versions)
	}
	if err != nil || !w.req.Values || len(w.req.Key) > 0 {
		return versions, err
	}
	return keyless{versions}, nil
}

// values reports whether clients may read values: only where there is a key to digest them with.
func (w *wiring) values() bool { return w.req.Values && len(w.req.Key) > 0 }

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

var clients = map[config.StoreProvider]func(*wiring, *live.Target) (sources.Versions, error){
	config.ProviderVault:      (*wiring).vault,
	config.ProviderAWSSecrets: (*wiring).awsSecrets,
	config.ProviderAWSParams:  (*wiring).awsParameters,
	config.ProviderGCP:        (*wiring).gcp,
	config.ProviderAzure:      (*wiring).azure,
	config.ProviderKubernetes: (*wiring).kubernetes,
	config.ProviderFake:       (*wiring).fake,
	config.ProviderWebhook:    (*wiring).webhook,
	config.ProviderFile:       (*wiring).file,
	config.ProviderEnv:        (*wiring).variables,
}
