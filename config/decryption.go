package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/redact"
)

// SOPSRule says how documents that are encrypted with SOPS are decrypted. Only the operator's policy file holds one.
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

// SOPS is how documents of SOPS are decrypted, with the keys that its own variables name.
type SOPS struct {
	SOPSRule
	AgeKey *redact.Secret // the text of SOPS_AGE_KEY; nil where it is not set
}

// readSealingKeys reads names of files: those of a variable have colons between them, as in PATH.
func readSealingKeys(texts []string, from Source) ([]NonEmpty, error) {
	if strings.HasPrefix(string(from), "env ") {
		texts = filepath.SplitList(texts[0])
	}
	out := make([]NonEmpty, len(texts))
	for i, text := range texts {
		out[i] = NonEmpty(text)
	}
	return out, nil
}

// withKeys adds the keys that SOPS's own variables name to a rule.
func withKeys(rule SOPSRule, env Env) *SOPS {
	out := &SOPS{SOPSRule: rule}
	if text, set := env(EnvSOPSAgeKey); set {
		key := redact.New([]byte(text))
		out.AgeKey = &key
	}
	if file, _ := env(EnvSOPSAgeKeyFile); file != "" {
		out.AgeKeyFiles = append(slices.Clip(out.AgeKeyFiles), NonEmpty(file))
	}
	return out
}

// describe reports how documents are decrypted, without keys.
func (s *SOPS) describe() any {
	if s == nil {
		return nil
	}
	return struct {
		SOPSRule `yaml:",inline"`
		AgeKey   string `yaml:"ageKey,omitempty" json:"ageKey,omitempty"`
	}{s.SOPSRule, map[bool]string{true: redact.Mask}[s.AgeKey != nil]}
}
