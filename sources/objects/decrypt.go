package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	suffixed "github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// Plaintext is the decrypted values of what a Producer, or an Object of the input, holds encrypted.
type Plaintext struct {
	producer *Producer // nil where it is the object's
	object   *Object
	pairs    []Pair
	named    bool // the name of the object ends in a hash of them
}

// newPlaintext returns the values as pairs.
func newPlaintext(p *Producer, o *Object, values map[string]redact.Secret) Plaintext {
	pairs := make([]Pair, 0, len(values))
	for key, v := range values {
		pairs = append(pairs, Pair{Key: key, Value: v})
	}
	return Plaintext{producer: p, object: o, pairs: lastOfEach(pairs)}
}

// Of reports whether they are those of an object itself.
func (p Plaintext) Of(o *Object) bool { return p.object == o }

// Decrypted is what an object of the input holds that is encrypted there: all of its values.
type Decrypted struct {
	Kind, Namespace, Name string

	pairs []Pair
}

// DecryptedOf returns the objects among plaintexts that lie in the input and are encrypted themselves.
func DecryptedOf(all []Plaintext) (out []Decrypted) {
	for _, p := range all {
		if o := p.object; o != nil && !o.inContext {
			out = append(out, Decrypted{o.Kind, o.Namespace, o.Name, p.pairs})
		}
	}
	return out
}

// Masked returns what stands for each value, by its key.
func (d Decrypted) Masked(mask func(value []byte) any) map[string]any {
	out := make(map[string]any, len(d.pairs))
	for _, p := range d.pairs {
		out[p.Key] = mask(p.Value.Reveal())
	}
	return out
}

// Plaintexts returns what decrypted documents have of objects of the index. Those that name no namespace lie in the one
// that is given.
func (x *Index) Plaintexts(documents []redact.Secret, namespace string) (out []Plaintext, err error) {
	for _, document := range documents {
		d, err := manifest.Parse(document.Reveal())
		if err != nil {
			return nil, diag.Input(diag.Position{}, fmt.Errorf("read a decrypted object: %w", errNotShown), "")
		}
		for o := range d.Objects() {
			object := x.Exact(o.Kind, cmp.Or(o.Namespace, namespace), o.Name)
			if object == nil {
				continue
			}
			var c Content
			c.readFields(o.Kind, o.Node)
			if len(c.Invalid) > 0 {
				return nil, &diag.Error{Exit: diag.ExitInput, Object: o.String(),
					Err:  fmt.Errorf("Kubernetes would not take what is decrypted: %s", c.Invalid[0].Problem),
					Hint: "Correct the value with 'sops edit'."}
			}
			out = append(out, Plaintext{object: object, pairs: c.Pairs, named: suffixed.HasHash(o)})
		}
	}
	return out, nil
}

// errNotShown is the cause of an error about a decrypted object.
var errNotShown = errors.New("it is no YAML, and is not shown")

// Decrypt calls a Decrypter with each encrypted manifest of the object. What it returns replaces the ciphertext;
// nothing changes where it returns nil. An error is a *DecryptError.
func (o *Object) Decrypt(ctx context.Context, with sources.Decrypter) (out []Plaintext, err error) {
	if !o.IsProduced() && isSOPS(o.node) {
		values, err := with.Decrypt(ctx, o.Namespace, textOf(o.node))
		if err != nil {
			return nil, &DecryptError{err, o.Offset, o.inContext}
		}
		if values != nil {
			out = append(out, newPlaintext(nil, o, values))
		}
	}
	for _, p := range o.Producers() {
		if !p.row.encrypted {
			continue
		}
		values, err := with.Decrypt(ctx, p.Namespace, textOf(p.node))
		if err != nil {
			return nil, &DecryptError{err, p.Offset, p.Context}
		}
		if values != nil {
			out = append(out, newPlaintext(p, nil, values))
		}
	}
	return out, nil
}

// DecryptError is the error of a Decrypter, with the position of the document that it was called with.
type DecryptError struct {
	Err     error
	Offset  int  // of the object, in its text
	Context bool // that text is one of the context's, not the input
}

func (e *DecryptError) Error() string { return e.Err.Error() }

func (e *DecryptError) Unwrap() error { return e.Err }

// textOf returns the document of an object, or, of one in a List, the object as JSON.
func textOf(n manifest.Node) []byte {
	if d := n.Document(); n.SameAs(d.Root()) {
		return d.Body()
	}
	return []byte(canonical.Read(n).JSON())
}
