package wiring

import (
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/decrypt/sealed"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// load makes a decrypter.
type load = func() (sources.Decrypter, error)

// ciphertexts are the kinds of ciphertext that this build decrypts. Each returns what decrypts for applications with
// these settings, nil where their ciphertexts stay as they are, and an id that is the same for settings which one
// decrypter serves.
var ciphertexts = []func(*Wiring, *config.Settings) (id string, with load){
	here(sealed.For),
	(*Wiring).sops,
}

// here is a kind of ciphertext that this process decrypts.
func here(of func(*config.Settings) (id string, with load)) func(*Wiring, *config.Settings) (string, load) {
	return func(_ *Wiring, s *config.Settings) (string, load) { return of(s) }
}

// sops is the kind of ciphertext of SOPS, whose libraries are in another program.
func (w *Wiring) sops(s *config.Settings) (id string, with load) {
	rule := s.SOPS()
	if rule == nil {
		return "", nil
	}
	parts := append([]string{string(rule.MAC)}, config.Strings(rule.AgeKeyFiles)...)
	parts = append(append(parts, ""), config.Strings(rule.KeyServices)...)
	if rule.GnuPG {
		parts = append(parts, "gnupg")
	}
	return strings.Join(parts, "\x00"), func() (sources.Decrypter, error) {
		return &remote.Decrypter{
			Path: w.storesProgram(), Release: config.Release(w.release), Rule: rule.SOPSRule, Run: w.run, Children: w.children,
		}, nil
	}
}

// decrypter returns what decrypts for applications with these settings; nil where ciphertexts stay as they are.
func (w *Wiring) decrypter(s *config.Settings) (sources.Decrypter, error) {
	if w.encrypted {
		return nil, nil
	}
	var all chain
	for i, of := range ciphertexts {
		id, with := of(w, s)
		if with == nil {
			continue
		}
		d, err := w.decrypters.once(strconv.Itoa(i)+"\x00"+id, with)
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

// FileDecrypter returns what decrypts whole files for applications with these settings; nil where they stay as they
// are.
func (w *Wiring) FileDecrypter(s *config.Settings) (sources.FileDecrypter, error) {
	all, err := w.decrypter(s)
	if err != nil || all == nil {
		return nil, err
	}
	for _, one := range all.(chain) {
		if d, is := one.(sources.FileDecrypter); is {
			return d, nil
		}
	}
	return nil, nil
}
