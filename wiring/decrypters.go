package wiring

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

// decrypter returns what decrypts for applications with these settings; nil where ciphertexts stay as they are.
func (w *Wiring) decrypter(s *config.Settings) (sources.Decrypter, error) {
	var all chain
	if files := s.SealingKeys(); len(files) > 0 {
		id := "sealed\x00" + strings.Join(files, "\x00")
		d, err := w.decrypters.once(id, func() (sources.Decrypter, error) { return sealed.Load(files) })
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if rule := s.SOPS(); rule != nil {
		d, err := w.decrypters.once(sopsID(rule), func() (sources.Decrypter, error) {
			return &remote.Decrypter{
				Path: w.storesProgram(), Release: config.Release(w.release), Rule: rule.SOPSRule, Run: w.run, Children: w.children,
			}, nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// sopsID returns what is the same for rules that one decrypter serves.
func sopsID(rule *config.SOPS) string {
	parts := append([]string{"sops", string(rule.MAC)}, config.Strings(rule.AgeKeyFiles)...)
	parts = append(append(parts, ""), config.Strings(rule.KeyServices)...)
	if rule.GnuPG {
		parts = append(parts, "gnupg")
	}
	return strings.Join(parts, "\x00")
}

// decrypters are made once for all applications of a run that have the same settings.
type decrypters struct {
	mu   sync.Mutex
	made map[string]sources.Decrypter
}

func (d *decrypters) once(id string, load func() (sources.Decrypter, error)) (sources.Decrypter, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if made := d.made[id]; made != nil {
		return made, nil
	}
	made, err := load()
	if err != nil {
		return nil, err
	}
	if d.made == nil {
		d.made = map[string]sources.Decrypter{}
	}
	d.made[id] = made
	return made, nil
}

// chain is several decrypters, each for documents of its own kind.
type chain []sources.Decrypter

// Decrypt returns what the first of them decrypts.
func (c chain) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	for _, d := range c {
		if values, err := d.Decrypt(ctx, namespace, doc); values != nil || err != nil {
			return values, err
		}
	}
	return nil, nil
}
