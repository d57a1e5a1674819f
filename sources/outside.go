package sources

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/rollstamp/rollstamp/redact"
)

// Store is where an operator fetches values from, as the manifests of the input and of the context tell it.
type Store struct {
	Kind      string // SecretStore, ClusterSecretStore, or what plays its part for another operator (VaultAuth)
	Namespace string // of a SecretStore, where it is known; "" for a ClusterSecretStore
	Name      string
	Provider  string            // vault, aws-sm, aws-ssm, gcpsm, azurekv, kubernetes, fake, webhook, ...; "" where the store's object was not found
	Fields    map[string]string // what the provider's part of the object says, by dotted path (server, path, version, server.url), without "auth"; lists as JSON
}

// String returns "Kind name" or "Kind namespace/name".
func (s Store) String() string {
	if s.Namespace == "" {
		return s.Kind + " " + s.Name
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// EngineUnknown reports whether nothing says which engine of Vault lies behind a key, because its path is all that the manifest gives.
func (s Store) EngineUnknown() bool {
	return s.Kind == Vault || s.Kind == ProviderClass || s.Kind == Placeholders
}

// Find asks for all keys of a store that fit.
type Find struct {
	Path string
	Name string            // a regular expression
	Tags map[string]string // all of them
}

// Pattern returns what the name of a key has to match. Its error is a *Failure.
func (f *Find) Pattern() (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(f.Name)
	if err != nil {
		return nil, Fail(Refused, "name of the search")
	}
	return pattern, nil
}

// Ref is a place in a store that the content of a Secret comes from.
type Ref struct {
	Store    Store
	Key      string
	Property string // a field of the value, where it has several; "" for all of it
	Version  string // "" for the newest. A pinned version of a Ref never comes to Resolve
	Find     *Find  // instead of Key
}

// ID tells refs apart: one line that a person can read, the same in every render. What the store's object says takes no part.
func (r Ref) ID() string { return string(r.AppendID(nil)) }

// AppendID appends the ID to buf: there may be thousands to look up.
func (r Ref) AppendID(buf []byte) []byte {
	buf = append(append(buf, r.Store.Kind...), '/')
	if r.Store.Namespace != "" {
		buf = append(escapeRef(buf, r.Store.Namespace), '/')
	}
	buf = append(escapeRef(buf, r.Store.Name), ' ')
	return r.appendPlace(buf)
}

// SameKey reports whether two refs differ in nothing but the property. Of those with a Find none is the same as another.
func (r *Ref) SameKey(as *Ref) bool {
	s, t := &r.Store, &as.Store
	return r.Find == nil && as.Find == nil && r.Key == as.Key && r.Version == as.Version &&
		s.Name == t.Name && s.Namespace == t.Namespace && s.Kind == t.Kind
}

// Place is what is asked of the store, as the ID writes it.
func (r Ref) Place() string { return string(r.appendPlace(nil)) }

func (r *Ref) appendPlace(buf []byte) []byte {
	if r.Find != nil {
		return r.Find.append(buf)
	}
	buf = escapeRef(buf, r.Key)
	if r.Property != "" {
		buf = escapeRef(append(buf, '#'), r.Property)
	}
	if r.Version != "" {
		buf = escapeRef(append(buf, '@'), r.Version)
	}
	return buf
}

func (f *Find) append(buf []byte) []byte {
	buf = append(buf, "find"...)
	for _, part := range [][2]string{{"path", f.Path}, {"name", f.Name}} {
		if part[1] != "" {
			buf = escapeRef(append(buf, "?"+part[0]+"="...), part[1])
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(f.Tags)) {
		buf = append(escapeRef(append(buf, "?tag:"...), tag), '=')
		buf = escapeRef(buf, f.Tags[tag])
	}
	return buf
}

// escapeRef appends s, and writes what would be read as an end of the part, and what is not one visible word, as in a URL.
func escapeRef(buf []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ', c == 0x7f, c == '%', c == '#', c == '@', c == '?', c == '=':
			buf = fmt.Appendf(append(buf, s[from:i]...), "%%%02X", c)
			from = i + 1
		}
	}
	return append(buf, s[from:]...)
}

// Answer is what a store, or the lock, says of a Ref: a version, a value or a digest.
type Answer struct {
	Version string        // the store's name for what is there now; of a Find, of all that fits
	Value   redact.Secret // only where the store has no versions and the user said so
	Digest  string        // the keyed digest of such a value, as the lock holds it
	Key     string        // which hash key that was made with, as the lock tells keys apart; "" where that is not known
}

// Lease is the Version of what a store makes again for each that reads it, a user of a database or a certificate: it has none, and what the
// manifest says of it counts. In the lock it stands as a version, so that whoever renders from there needs no asking either.
const Lease = "lease"

// Versions is one store. An error is a *diag.Error without any text of the store's.
type Versions interface {
	Version(ctx context.Context, ref Ref) (Answer, error)
}

// VersionResolver answers for what lies in no manifest. It is asked once for each render, for all distinct refs together, sorted by ID, and
// gives an answer for each, in their order; or an error, with which nothing is stamped.
type VersionResolver interface {
	Resolve(ctx context.Context, refs []Ref) ([]Answer, error)
}

// Decrypter decrypts an encrypted manifest, a SealedSecret or one by SOPS, given as its YAML text; namespace is where it lies if it
// names none, "" where that is not known. It returns the values by key; nil where it is not meant to open this one, whose ciphertext
// stands for it then.
type Decrypter interface {
	Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error)
}
