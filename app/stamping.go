package app

import (
	"context"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
)

// Stamping is what stamping an application needs beyond its settings. Nothing of it comes from the rendered tree.
type Stamping struct {
	Key       *hashing.Key            // in its domain; nil for plain digests
	Resolver  sources.VersionResolver // the versions that the lock or the stores have; nil for the policy spec
	Decrypter sources.Decrypter       // decrypts what is in Git; nil where ciphertexts are digest input
	Context   Context                 // renders what the settings have objects looked up in; nil renders none
	// Watch sees each document once, before anything is read from it; its error, with its line in the text, ends the
	// run. It must not retain a document. Nil watches nothing.
	Watch func(*manifest.Document) error
}

// Context renders what applications have objects looked up in.
type Context interface {
	// Outputs returns the renders that the settings of an application name. The Namespace of each is where its objects
	// lie that name none, "" where that is not known. They may be shared: nobody changes them.
	Outputs(ctx context.Context, a *Application) ([]*render.Output, error)
}

// WithResolver returns the stamping with versions from another resolver.
func (s Stamping) WithResolver(r sources.VersionResolver) Stamping {
	s.Resolver = r
	return s
}

// WithWatch returns the stamping with a watch over the documents.
func (s Stamping) WithWatch(watch func(*manifest.Document) error) Stamping {
	s.Watch = watch
	return s
}

// KeyOnly returns the stamping without anything that is asked for a content: what a resolver or decrypter answers is
// not known then.
func (s Stamping) KeyOnly() Stamping { return Stamping{Key: s.Key, Context: s.Context, Watch: s.Watch} }

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
