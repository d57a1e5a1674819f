package app

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
)

// HashKey reads the hash key that the settings name, in its domain, and returns it with what is to be reported of it;
// nil where they name none.
func HashKey(s *config.Settings) (*hashing.Key, []diag.Finding, error) {
	source, findings, err := s.HashKey()
	if err != nil || source == nil {
		return nil, findings, err
	}
	var key hashing.Key
	if source.File != "" {
		key, err = hashing.LoadKey(source.File)
	} else {
		key, err = hashing.KeyFromBytes(source.Text, string(source.From))
	}
	if err != nil {
		return nil, nil, err
	}
	key = key.InDomain(string(s.HashDomain.Value))
	return &key, findings, nil
}

// StampPrefix returns what the keys of stamps begin with, by settings.
func StampPrefix(s *config.Settings) hashing.Prefix {
	return hashing.NewPrefix(string(s.AnnotationPrefix.Value))
}
