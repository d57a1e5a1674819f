package wiring

import (
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// resolver returns what resolves versions of secrets that are not in Git, by the policy in force; nil where nothing
// does.
func (w *Wiring) resolver(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	switch {
	case s.Secrets.Value == config.PolicyLock:
		return lock.InForce{Place: s.Place(), Key: hashing.StoreKeyID(key)}
	case s.Secrets.Value == config.PolicyLive && s.OnError.Value == config.OnErrorLastKnown:
		return lock.LastKnown{Stores: w.stores(s, key, insteadOfLive), Place: s.Place(), Key: hashing.StoreKeyID(key)}
	case s.Secrets.Value == config.PolicyLive:
		return w.stores(s, key, insteadOfLive)
	}
	return nil
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
	err := fmt.Errorf("ask for %s: asking stores is not allowed%s", refs[0].ID(), by)
	return nil, nil, diag.Usage(err,
		"Allow it with --allow stores, "+config.EnvAllow+" or the operator's policy file"+f.alternative+".")
}
