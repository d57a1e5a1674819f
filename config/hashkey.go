package config

import (
	"errors"

	"github.com/rollstamp/rollstamp/redact"
)

// KeySource reports where the hash key is: in File, or where that is "" in Text. Package hashing reads and checks it.
type KeySource struct {
	File string
	Text redact.Secret
	From Source
}

// readKeySource reads where the hash key is, or the key itself. What is given but says nothing is a mistake: going on
// without a key would change every digest of a Secret.
func readKeySource(texts []string, from Source) (*KeySource, error) {
	switch {
	case from == "env "+EnvHashKey:
		return &KeySource{Text: redact.New([]byte(texts[0])), From: from}, nil
	case texts[0] == "":
		return nil, errors.New("names no file")
	}
	return &KeySource{File: texts[0], From: from}, nil
}

// describe reports where the hash key is, never what it is.
func (k *KeySource) describe() string {
	switch {
	case k == nil:
		return ""
	case k.File != "":
		return k.File
	}
	return redact.Mask
}
