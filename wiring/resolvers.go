package wiring

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// resolver returns what resolves versions of secrets that are not in Git, by the policies in force; nil where nothing
// does.
func (w *Wiring) resolver(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	switch {
	case !s.Asks():
		return nil
	case len(s.SecretRules.Value) > 0:
		return byPolicy{policyOf: s.PolicyOf, lock: w.byLock(s, key), live: w.byStores(s, key)}
	case s.Secrets.Value == config.PolicyLock:
		return w.byLock(s, key)
	}
	return w.byStores(s, key)
}

// byLock returns what answers under the policy lock.
func (w *Wiring) byLock(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	return lock.InForce{Place: s.Place(), Key: hashing.StoreKeyID(key), Locks: w.locks,
		ByManifest: s.NotLocked.Value == config.NotLockedSpec}
}

// byStores returns what answers under the policy live.
func (w *Wiring) byStores(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	stores := w.stores(s, key, insteadOfLive)
	if s.OnError.Value == config.OnErrorLastKnown {
		return lock.LastKnown{Stores: stores, Place: s.Place(), Key: hashing.StoreKeyID(key)}
	}
	return stores
}

// byPolicy asks for what comes from each store by the policy of that store.
type byPolicy struct {
	policyOf   func(*sources.Store) config.SecretPolicy
	lock, live sources.VersionResolver
}

// Resolve returns the answers of the lock and of the stores, and all that went wrong at either.
func (p byPolicy) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers := make([]sources.Answer, len(refs))
	var found []diag.Finding
	var errs []error
	for _, one := range []struct {
		policy   config.SecretPolicy
		resolver sources.VersionResolver
	}{{config.PolicyLock, p.lock}, {config.PolicyLive, p.live}} {
		var asked []sources.Ref
		var at []int
		for i := range refs {
			if p.policyOf(&refs[i].Store) == one.policy {
				asked, at = append(asked, refs[i]), append(at, i)
			}
		}
		if len(asked) == 0 {
			continue
		}
		got, more, err := one.resolver.Resolve(ctx, asked)
		found, errs = append(found, more...), append(errs, err)
		for i := range min(len(got), len(at)) {
			answers[at[i]] = got[i]
		}
	}
	return answers, found, errors.Join(errs...)
}

// insteadOfLive is what a render can do that may not ask.
const insteadOfLive = "; or use secrets.policy lock"

// Stores returns the stores themselves, as far as the settings allow to ask them.
func (w *Wiring) Stores(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	return w.stores(s, key, "")
}

// stores is Stores with what a run can do where asking is not allowed, or "". Nothing is wrong with a run that may not
// ask and has nothing to ask.
func (w *Wiring) stores(s *config.Settings, key *hashing.Key, alternative string) sources.VersionResolver {
	allow := s.Permissions()
	if !allow.Stores {
		return forbidden{s.Stores.Source, alternative}
	}
	asking := remote.Program{Path: w.storesProgram(), Release: config.Release(w.release), Children: w.children}
	asking.Request.Values, asking.Request.Rules = allow.StoreValues, s.StoreRules()
	if key != nil {
		asking.Request.Key = key.ForStores().Lend()
	}
	return asking
}

// forbidden refuses what a run may not ask of stores.
type forbidden struct {
	by          config.Source // of the missing permission
	alternative string
}

// Resolve returns why the stores are not asked.
func (f forbidden) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	by := ""
	if f.by != config.Default {
		by = ", by " + string(f.by)
	}
	return nil, nil, diag.Usage(&sources.NotAllowedError{Ref: refs[0], By: by},
		"Allow it with --allow stores, "+config.EnvAllow+" or the operator's policy file"+f.alternative+".")
}
