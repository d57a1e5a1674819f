package objects

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// SetOpened records the decrypted values of what a Producer, or an Object of the input, holds encrypted.
func (x *Index) SetOpened(m *Producer, o *Object, values map[string]redact.Secret) {
	pairs := make([]Pair, 0, len(values))
	for key, v := range values {
		pairs = append(pairs, Pair{Key: key, Value: v})
	}
	pairs = lastOfEach(pairs)
	s := x.shared
	if s.opened == nil {
		s.opened, s.openedObjects = map[*Producer][]Pair{}, map[*Object][]Pair{}
	}
	if m != nil {
		s.opened[m] = pairs
	} else {
		s.openedObjects[o] = pairs
	}
}

// Encrypted reports whether a decrypter could decrypt it.
func (o *Object) Encrypted() bool {
	return o.node.Get("sops").IsMap() || slices.ContainsFunc(o.producers, func(m *Producer) bool { return m.Kind == "SealedSecret" })
}

// Decrypt hands each encrypted manifest behind the object to a Decrypter. What it returns replaces the
// ciphertext; nothing changes where it returns nil. An error is a *DecryptError.
func (o *Object) Decrypt(ctx context.Context, with sources.Decrypter) error {
	if o.node.Valid() && o.node.Get("sops").IsMap() {
		values, err := with.Decrypt(ctx, o.Namespace, textOf(o.node))
		if err != nil {
			return &DecryptError{err, o.Offset, o.Context()}
		}
		if values != nil {
			o.index.SetOpened(nil, o, values)
		}
	}
	for _, m := range o.Producers() {
		if m.Kind != "SealedSecret" {
			continue
		}
		values, err := with.Decrypt(ctx, m.Namespace, textOf(m.node))
		if err != nil {
			return &DecryptError{err, m.Offset, m.Context}
		}
		if values != nil {
			o.index.SetOpened(m, nil, values)
		}
	}
	return nil
}

// DecryptError is the error of a Decrypter, with the position of the document that it was called with.
type DecryptError struct {
	Err     error
	Offset  int  // of the object, in its text
	Context bool // that text is one of the context's, not the input
}

func (u *DecryptError) Error() string { return u.Err.Error() }

func (u *DecryptError) Unwrap() error { return u.Err }

// Context reports whether the object lies in the context, not in the input.
func (o *Object) Context() bool { return o.index.outside }

// textOf returns the document of an object, or, of one in a List, the object as JSON.
func textOf(n manifest.Node) []byte {
	if d := n.Document(); n.SameAs(d.Root()) {
		return d.Body()
	}
	return []byte(canonical.Read(n).JSON())
}
