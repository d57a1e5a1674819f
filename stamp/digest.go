package stamp

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// digester makes the digests of one run, all in the same memory.
type digester struct {
	in       *Input
	key      *hashing.Key
	unstable map[*objects.Object]map[string]bool
	unkeyed  int // digests of Secrets that were made without a key
	hasher   hashing.Hasher
	pairs    []hashing.Pair
}

// digest returns the digest of what a scope has of an object's content, as the annotation's value.
func (d *digester) digest(object *objects.Object, content *objects.Content, s scope) (string, error) {
	unstable := d.unstable[object]
	pairs, plain, secrecy := d.pairs[:0], content.Plain, redact.Public
	for _, p := range content.Pairs {
		if (s.has(p.Key) || p.Key == objects.Anything && s.beyond(content)) && !unstable[p.Key] {
			pairs = append(pairs, hashing.Pair{Key: p.Key, Value: p.Value})
			plain, secrecy = plain || !p.StandIn, max(secrecy, p.Secrecy)
		}
	}
	d.pairs = pairs
	key, err := hashing.KeyFor(object.Kind, provenance(content, secrecy), d.key)
	if err != nil {
		return "", d.keyError(object, err)
	}
	if key == nil && (secrecy >= redact.HoldsSecret || object.Kind == refs.Secret && plain) {
		d.unkeyed++
	}
	return d.hasher.Value(object.Kind, object.Name, pairs, key), nil
}

// provenance returns how what counts of a content came to us.
func provenance(content *objects.Content, secrecy redact.Secrecy) hashing.Provenance {
	switch {
	case content.Fetched || secrecy == redact.HoldsDecrypted:
		return hashing.Fetched
	case secrecy > redact.Public:
		return hashing.Embedded
	}
	return hashing.Written
}

// keyError returns the error that a digest needs a key, with the position of the object.
func (d *digester) keyError(object *objects.Object, err error) error {
	e := &diag.Error{Exit: diag.ExitUsage, Object: object.String(), Err: err}
	var inner *diag.Error
	if errors.As(err, &inner) {
		e.Hint = inner.Hint
	}
	if !object.Context() {
		e.Pos = d.in.positions.At(object.Offset)
	}
	return e
}

// versions returns the digest of the versions of what a pod template names itself.
func (d *digester) versions(name string, named []objects.RemoteRef) string {
	pairs := d.pairs[:0]
	for _, a := range named {
		p := a.Pair()
		pairs = append(pairs, hashing.Pair{Key: p.Key, Value: p.Value})
	}
	d.pairs = pairs
	key, _ := hashing.KeyFor(sources.Vault, hashing.Written, d.key) // nothing was fetched, so there is no error
	return d.hasher.Value(sources.Vault, name, pairs, key)
}

// annotationKey returns the key of the annotation for an object.
func annotationKey(prefix hashing.Prefix, kind, name string) string {
	group := ""
	if kind == refs.SecretProviderClass {
		group = "secrets-store.csi.x-k8s.io"
	}
	return prefix.Annotation(group, kind, name)
}
