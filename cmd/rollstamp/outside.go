package main

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

// outside returns who answers for secrets that are not in Git, by the policy in force; nil where nobody is asked.
func (p *program) outside(s *config.Settings, key *hashing.Key) sources.VersionResolver {
	switch {
	case s.Secrets.Value == config.PolicyLock:
		return &lock.InForce{Place: s.Place(), Key: hashing.StoreKeyID(key)}
	case s.Secrets.Value == config.PolicyLive && s.OnError.Value == config.OnErrorLastKnown:
		return &lock.LastKnown{Stores: p.stores(s, key, insteadOfLive), Place: s.Place(), Key: hashing.StoreKeyID(key)}
	case s.Secrets.Value == config.PolicyLive:
		return p.stores(s, key, insteadOfLive)
	}
	return nil
}

// insteadOfLive is what a render can do that may not ask.
const insteadOfLive = "; or use secrets.policy lock"

// stores asks the stores themselves, as far as that is allowed. Nothing is wrong with a run that may not ask and has nothing to ask.
// instead is what else it can do, or "".
func (p *program) stores(s *config.Settings, key *hashing.Key, instead string) sources.VersionResolver {
	allow := s.Permissions()
	if !allow.Stores {
		return forbidden{s.Stores.Source, instead}
	}
	path, _ := p.env(config.EnvStores)
	asking := remote.Program{Path: path, Release: config.Release(release), Children: p.children}
	asking.Request.Values, asking.Request.Rules = allow.StoreValues, s.StoreRules()
	if key != nil {
		asking.Request.Key = key.ForStores().Lend()
	}
	return asking
}

// forbidden is a run that may not ask stores. By says who took the permission away.
type forbidden struct {
	by      config.Source
	instead string
}

// Resolve is sources.VersionResolver's.
func (f forbidden) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	by := ""
	if f.by != config.Default {
		by = ", by " + string(f.by)
	}
	err := fmt.Errorf("ask for %s: asking stores is not allowed%s", refs[0].ID(), by)
	return nil, diag.Usage(err, "Allow it with --allow stores, "+config.EnvAllow+" or the operator's policy file"+f.instead+".")
}
