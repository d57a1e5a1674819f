package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// KeySource reports where the hash key is: in File, or where that is "" in Text. Package hashing reads and checks it.
type KeySource struct {
	File string
	Text redact.Secret
	From Source
}

// HashKey reports where the hash key is, or returns nil where none is given, which is an error if one is required.
// The finding is about a key file that others can read. Whoever stamps calls this; who does not stamp needs no key.
func (s *Settings) HashKey() (*KeySource, []diag.Finding, error) {
	key := s.hashKey.Value
	if key == nil && s.HashKeyRule.Value == KeyRequired {
		err := fmt.Errorf("%s: hashKey: required, but no hash key is given", s.HashKeyRule.Source)
		return nil, nil, diag.Usage(err, "Pass one with --hash-key-file or "+EnvHashKeyFile+".")
	}
	if key == nil || key.File == "" {
		return key, nil, nil
	}
	if worldReadable(key.File) {
		f := diag.New(diag.HashKeyReadable, "", "every user of this machine can read the hash key file")
		return key, []diag.Finding{f.At(diag.Position{File: key.File})}, nil
	}
	return key, nil, nil // what else is wrong with the file its reader reports
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

// inPodVolume reports whether a file lies in a volume that a kubelet filled, by the link that stands in each of them.
// Nobody sees it but the containers that mount it, and a user other than root can read a Secret there only where all
// can.
func inPodVolume(file string) bool {
	info, err := os.Lstat(filepath.Join(filepath.Dir(file), "..data"))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
