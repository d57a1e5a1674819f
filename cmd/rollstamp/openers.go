package main

import (
	"context"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/decrypt/sealed"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// openers are what decrypts, made once for all applications of a run that have the same settings.
type openers struct {
	run  context.Context //nolint:containedctx // of the whole program: what is started for one application is there for the next
	mu   sync.Mutex
	made map[string]sources.Decrypter
}

// opener returns what the settings say of opening ciphertext; nil where they say nothing.
func (p *program) opener(s *config.Settings) (sources.Decrypter, error) {
	var all chain
	if files := s.SealingKeys(); len(files) > 0 {
		o, err := p.openers.once("sealed\x00"+strings.Join(files, "\x00"), func() (sources.Decrypter, error) { return sealed.Load(files) })
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	if rule := s.SOPS(); rule != nil {
		path, _ := p.env(config.EnvStores)
		words := append([]string{"sops", string(rule.MAC)}, config.Strings(rule.AgeKeyFiles)...)
		words = append(append(words, ""), config.Strings(rule.KeyServices)...)
		if rule.GnuPG {
			words = append(words, "gnupg")
		}
		o, err := p.openers.once(strings.Join(words, "\x00"), func() (sources.Decrypter, error) {
			return &remote.Decrypter{Path: path, Release: config.Release(release), Rule: rule.SOPSRule, Run: p.openers.run, Children: p.children}, nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

func (o *openers) once(name string, open func() (sources.Decrypter, error)) (sources.Decrypter, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if made := o.made[name]; made != nil {
		return made, nil
	}
	made, err := open()
	if err != nil {
		return nil, err
	}
	if o.made == nil {
		o.made = map[string]sources.Decrypter{}
	}
	o.made[name] = made
	return made, nil
}

// chain is several openers, each for documents of its own kind.
type chain []sources.Decrypter

// Decrypt is sources.Decrypter's.
func (c chain) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	for _, o := range c {
		if values, err := o.Decrypt(ctx, namespace, doc); values != nil || err != nil {
			return values, err
		}
	}
	return nil, nil
}
