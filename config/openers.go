package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// SOPSRule says how documents that are encrypted with SOPS are opened. Only the operator's policy file holds one.
type SOPSRule struct {
	// Files with age identities, besides those of SOPS_AGE_KEY and SOPS_AGE_KEY_FILE.
	AgeKeyFiles []NonEmpty `yaml:"ageKeyFiles" json:"ageKeyFiles,omitempty"`
	// Whether gpg may be run, with the keyring of the user who runs rollstamp.
	GnuPG bool `yaml:"gnupg" json:"gnupg,omitempty"`
	// Keys of clouds and Vaults that may be asked, as SOPS names them; one that ends in * stands for all that begin so.
	KeyServices []NonEmpty `yaml:"keyServices" json:"keyServices,omitempty"`
	// What happens where the message authentication code does not fit, as behind each build of kustomize.
	MAC MACRule `yaml:"mac" json:"mac,omitempty"`
}

// MACRule says what happens where a SOPS document's message authentication code does not fit.
type MACRule string

// The rules.
const (
	MACCheck  MACRule = "check"
	MACIgnore MACRule = "ignore"
)

// Choices lists the values.
func (MACRule) Choices() []string { return []string{string(MACCheck), string(MACIgnore)} }

// UnmarshalText takes one of Choices.
func (r *MACRule) UnmarshalText(b []byte) error { return choose(r, string(b)) }

// SOPS is how documents of SOPS are opened, with the keys that its own variables name.
type SOPS struct {
	SOPSRule
	AgeKey *redact.Secret // the text of SOPS_AGE_KEY; nil where it is not set
}

// SealingKeys returns the files with private keys that open SealedSecrets; none where they are not opened.
func (s *Settings) SealingKeys() []string { return s.sealingKeys.Value }

// SOPS reports how documents of SOPS are opened; nil where they are not.
func (s *Settings) SOPS() *SOPS { return s.sops.Value }

// OpenerFindings reports of key files that others can read.
func (s *Settings) OpenerFindings() []diag.Finding {
	var out []diag.Finding
	names := s.sealingKeys.Value
	if s.sops.Value != nil {
		names = append(names[:len(names):len(names)], Strings(s.sops.Value.AgeKeyFiles)...)
	}
	for _, name := range names {
		if worldReadable(name) {
			out = append(out, diag.New(diag.OpenerKeyReadable, "", "every user of this machine can read a key that opens secrets").At(diag.Position{File: name}))
		}
	}
	return out
}

func worldReadable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 && !inPodVolume(file)
}

// openers joins what policy, environment and flags say of opening ciphertext. All of it is the operator's.
func (r *resolver) openers(p *policy) {
	r.s.sealingKeys, r.s.sops = Setting[[]string]{nil, Default}, Setting[*SOPS]{nil, Default}
	if p != nil && p.SealingKeyFiles != nil {
		r.s.sealingKeys = Setting[[]string]{Strings(p.SealingKeyFiles), Source(p.where["sealingKeyFiles"].String())}
	}
	if v := r.look(EnvSealingKeys); v != nil && *v != "" {
		r.s.sealingKeys = Setting[[]string]{filepath.SplitList(*v), "env " + EnvSealingKeys}
	}
	if r.in.Flags.SealingKeys != nil {
		r.s.sealingKeys = Setting[[]string]{r.in.Flags.SealingKeys, "flag --sealing-key-file"}
	}
	for _, file := range r.s.sealingKeys.Value {
		if file == "" {
			r.fail(r.s.sealingKeys.Source, errors.New("names no file"))
		}
	}
	rule := &SOPSRule{}
	open := Setting[bool]{false, Default}
	if p != nil && p.SOPS != nil {
		rule, open = p.SOPS, Setting[bool]{true, Source(p.where["sops"].String())}
	}
	if v := r.look(EnvOpenSOPS); v != nil && *v != "" {
		said, err := strconv.ParseBool(*v)
		if err != nil {
			r.fail("env "+EnvOpenSOPS, errors.New("is neither true nor false"))
		}
		open = Setting[bool]{said, "env " + EnvOpenSOPS}
	}
	say(&open, r.in.Flags.OpenSOPS, "flag --open-sops")
	r.s.sops.Source = open.Source
	if open.Value {
		r.s.sops.Value = r.sops(*rule)
	}
}

// sops adds the keys that SOPS's own variables name.
func (r *resolver) sops(rule SOPSRule) *SOPS {
	out := &SOPS{SOPSRule: rule}
	if v := r.look(EnvSOPSAgeKey); v != nil {
		key := redact.New([]byte(*v))
		out.AgeKey = &key
	}
	if v := r.look(EnvSOPSAgeKeyFile); v != nil && *v != "" {
		out.AgeKeyFiles = append(out.AgeKeyFiles[:len(out.AgeKeyFiles):len(out.AgeKeyFiles)], NonEmpty(*v))
	}
	return out
}
