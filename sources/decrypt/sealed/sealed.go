// Package sealed decrypts SealedSecrets without a cluster, with the private keys of the controller that they were
// sealed for.
package sealed

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

var _ sources.Decrypter = (*Decrypter)(nil)

// What can be wrong with a SealedSecret that is to be decrypted. Errors of Decrypt are *diag.Error with exit code 3,
// name object and key, and wrap one of these; they hold nothing of a value, encrypted or decrypted.
var (
	ErrFormat     = errors.New("is not a sealed value")
	ErrNoKey      = errors.New("none of the sealing keys opens it")
	ErrScope      = errors.New("is sealed for another scope")
	ErrNamespace  = errors.New("the namespace that it is sealed for is not known")
	ErrDeprecated = errors.New("spec.data, the form before encryptedData, is not opened")
)

// The annotations of the SealedSecret itself that widen its scope, where they are "true".
const (
	clusterWide   = "sealedsecrets.bitnami.com/cluster-wide"
	namespaceWide = "sealedsecrets.bitnami.com/namespace-wide"
)

// Decrypter decrypts SealedSecrets with all of its keys. It may be used by several goroutines at a time, and cannot be
// printed.
type Decrypter struct {
	keys func() []*rsa.PrivateKey // behind a function, which no printer looks into
	last *atomic.Int64            // the key that decrypted the last value: neighbours are mostly sealed for one
}

// Format returns the mask for every verb and flag.
func (o *Decrypter) Format(f fmt.State, verb rune) { redact.Secret{}.Format(f, verb) }

// Decrypt returns the values under spec.encryptedData of the SealedSecret that is doc, by key; nil where doc is
// something else. What spec.template makes of them is not computed: the template is text that anybody can write, and
// would show whatever it likes of the values.
func (o *Decrypter) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	object, found, err := find(doc)
	if err != nil || !found {
		return nil, err
	}
	spec := object.Node.Get("spec")
	if old := spec.Get("data"); old.Valid() && old.Type() != manifest.Null {
		return nil, problem(object, "", ErrDeprecated, "Seal it again with a current kubeseal.")
	}
	sealed := spec.Get("encryptedData")
	if sealed.Valid() && !sealed.IsMap() && sealed.Type() != manifest.Null {
		return nil, problem(object, "", fmt.Errorf("spec.encryptedData is not a mapping: %w", ErrFormat), "")
	}
	scope := scopeOf(object, cmp.Or(object.Namespace, namespace))
	out := map[string]redact.Secret{}
	for key, value := range sealed.Entries() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		plain, err := o.value(value, scope)
		if err != nil {
			return nil, problem(object, key.Field(), err, hint(err))
		}
		out[key.Field()] = redact.New(plain)
	}
	return out, nil
}

func find(doc []byte) (o manifest.Object, found bool, err error) {
	d, err := manifest.Parse(doc)
	if err != nil {
		return o, false, diag.Input(diag.Position{}, fmt.Errorf("read SealedSecret: %w", err), "")
	}
	for o := range d.Objects() {
		if o.Kind == "SealedSecret" && o.Group() == "bitnami.com" {
			return o, true, nil
		}
	}
	return o, false, nil
}

func problem(o manifest.Object, key string, err error, hint string) error {
	what := "open SealedSecret"
	if key != "" {
		what = fmt.Sprintf("open key %q", key)
	}
	return &diag.Error{Exit: diag.ExitInput, Object: o.String(), Err: fmt.Errorf("%s: %w", what, err), Hint: hint}
}

func hint(err error) string {
	switch {
	case errors.Is(err, ErrScope):
		return "Seal it again for this scope, or correct the scope's annotation on the SealedSecret; the controller refuses it, too."
	case errors.Is(err, ErrNoKey):
		return "Name the key of the controller that it is sealed for with --sealing-key-file; or else it is sealed for another name or namespace, and the controller refuses it, too."
	case errors.Is(err, ErrNamespace):
		return "Give the namespace, with --namespace or in the manifest."
	case errors.Is(err, ErrFormat):
		return "Seal the value again."
	}
	return ""
}

// scope is what a value is sealed for. Its label was bound to the value when it was sealed.
type scope struct {
	label  string
	known  bool
	others []other // what it may have been sealed for instead, to distinguish that from a missing key
}

type other struct{ name, label string }

func scopeOf(o manifest.Object, namespace string) scope {
	cluster := other{"cluster-wide", ""}
	if namespace == "" {
		return scope{"", o.Annotation(clusterWide) == "true", nil}
	}
	strict, wide := other{"strict", namespace + "/" + o.Name}, other{"namespace-wide", namespace}
	switch {
	case o.Annotation(clusterWide) == "true":
		return scope{cluster.label, true, []other{strict, wide}}
	case o.Annotation(namespaceWide) == "true":
		return scope{wide.label, true, []other{strict, cluster}}
	}
	return scope{strict.label, true, []other{wide, cluster}}
}

func (o *Decrypter) value(n manifest.Node, s scope) ([]byte, error) {
	if !s.known {
		return nil, ErrNamespace
	}
	if n.Type() != manifest.String {
		return nil, ErrFormat
	}
	text := n.Value()
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	size, err := base64.StdEncoding.Decode(raw, text)
	if err != nil {
		return nil, fmt.Errorf("invalid base64: %w", ErrFormat)
	}
	v, err := split(raw[:size])
	if err != nil {
		return nil, err
	}
	session := o.session(v, s.label)
	if session == nil {
		for _, other := range s.others {
			if o.session(v, other.label) != nil {
				return nil, fmt.Errorf("%w: %s", ErrScope, other.name)
			}
		}
		return nil, ErrNoKey
	}
	return v.decrypt(session)
}

// parts of a sealed value: a session key, which RSA-OAEP with SHA-256 wraps, and the value under AES-256-GCM.
type parts struct{ wrapped, text []byte }

// split takes a sealed value apart: the length of the wrapped key in two bytes, the wrapped key, the rest.
func split(b []byte) (parts, error) {
	const head = 2
	if len(b) < head {
		return parts{}, fmt.Errorf("too short: %w", ErrFormat)
	}
	n := int(binary.BigEndian.Uint16(b))
	if n == 0 || len(b) < head+n {
		return parts{}, fmt.Errorf("too short: %w", ErrFormat)
	}
	return parts{b[head : head+n], b[head+n:]}, nil
}

// session unwraps the session key with whichever key does, or returns nil.
func (o *Decrypter) session(v parts, label string) []byte {
	keys, first := o.keys(), int(o.last.Load())
	for i := range keys {
		at := (first + i) % len(keys)
		if keys[at].Size() != len(v.wrapped) {
			continue
		}
		if session, err := rsa.DecryptOAEP(sha256.New(), nil, keys[at], v.wrapped, []byte(label)); err == nil {
			o.last.Store(int64(at))
			return session
		}
	}
	return nil
}

// decrypt decrypts the value. The nonce is zero, because a session key is used once.
func (v parts) decrypt(session []byte) ([]byte, error) {
	block, err := aes.NewCipher(session)
	if err != nil {
		return nil, fmt.Errorf("the session key has a wrong length: %w", ErrFormat)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("the session key cannot be used: %w", ErrFormat)
	}
	opened, err := aead.Open(nil, make([]byte, aead.NonceSize()), v.text, nil)
	if err != nil {
		return nil, fmt.Errorf("was changed after it was sealed: %w", ErrFormat)
	}
	return opened, nil
}
