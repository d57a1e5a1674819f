package wiring

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
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
