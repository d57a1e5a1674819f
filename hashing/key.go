package hashing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// MinKeyBytes is the shortest hash key, counted without trailing line ends.
const MinKeyBytes = 16

// newKeyBytes is how much randomness a new key holds: as much as the hash can use.
const newKeyBytes = 32

// What can be wrong with a hash key that was given. Each is an error, never a reason to go on without a key: that would
// restart every consumer of a Secret and show digests that can be guessed.
var (
	ErrKeyMissing    = errors.New("no such file")
	ErrKeyUnreadable = errors.New("cannot be read")
	ErrKeyEmpty      = errors.New("is empty")
	ErrKeyShort      = errors.New("is too short")
	ErrKeyNeeded     = errors.New("content that was fetched or decrypted needs a hash key")
)

const newKeyHint = "Make a key with 'rollstamp hash-key new'."

// Key is the hash key of keyed digests. It cannot be printed, and is used as given: nothing is decoded. The zero Key is
// none and must not be used.
//
// The bytes lie behind a function because fmt asks no method of a value in an unexported field, and of a function it
// can only show the address.
type Key struct{ reveal func() []byte }

func keyOf(b []byte) Key { return Key{func() []byte { return b }} }

// Format returns the mask for every verb and flag.
func (k Key) Format(f fmt.State, verb rune) { redact.Secret{}.Format(f, verb) }

// MarshalText returns the mask, to every encoder that asks.
func (k Key) MarshalText() ([]byte, error) { return redact.Secret{}.MarshalText() }

// LoadKey reads the hash key in the file at path. Errors are *diag.Error with exit code 2 and wrap one of
// ErrKeyMissing, ErrKeyUnreadable, ErrKeyEmpty and ErrKeyShort.
func LoadKey(path string) (Key, error) {
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Key{}, diag.Usage(fmt.Errorf("read hash key: %s: %w", path, ErrKeyMissing), newKeyHint)
	case err != nil:
		return Key{}, diag.Usage(fmt.Errorf("read hash key: %s: %w: %w", path, ErrKeyUnreadable, cause(err)), "")
	}
	return KeyFromBytes(redact.New(raw), path)
}

// cause drops the path that the operating system's error repeats.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// KeyFromBytes makes a hash key of raw less its trailing CR and LF. From names where raw was found, for the error: a
// file, or an environment variable.
func KeyFromBytes(raw redact.Secret, from string) (Key, error) {
	b := raw.Reveal()
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	switch {
	case len(b) == 0:
		return Key{}, diag.Usage(fmt.Errorf("read hash key: %s: %w", from, ErrKeyEmpty), newKeyHint)
	case len(b) < MinKeyBytes:
		return Key{}, diag.Usage(fmt.Errorf("read hash key: %s: %w: %d bytes, at least %d are needed",
			from, ErrKeyShort, len(b), MinKeyBytes), newKeyHint)
	}
	return keyOf(b), nil
}

// domainHeader separates this use of a hash from those of digests. It is part of the contract, line feed included.
const domainHeader = "rollstamp-hash-domain\n"

// InDomain returns the key of hash domain d, so that tenants who share a renderer cannot compare digests. The empty
// domain is the key itself.
func (k Key) InDomain(d string) Key {
	if d == "" {
		return k
	}
	mac := hmac.New(sha256.New, k.reveal())
	mac.Write([]byte(domainHeader + d))
	return keyOf(mac.Sum(nil))
}

// NewKey returns the text of a new hash key, 32 bytes from rand in unpadded URL-safe base64 without a line end. The
// text is the key: whoever prints it into a file has made a key file.
func NewKey(rand io.Reader) (string, error) {
	var b [newKeyBytes]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Provenance reports how content came to us.
type Provenance int

const (
	// Written: every value stands in the input as it is, or as what Git says instead of it.
	Written Provenance = iota
	// Fetched: at least one value was fetched from a store, or decrypted.
	Fetched
	// Embedded: a value of a Secret that stands in the input is in another object, or may be.
	Embedded
)

// KeyFor decides which form the digest of a referenced object has, and returns the key to pass to Value: nil means
// plain. ConfigMaps are plain, everything else is keyed where a key is given; fetched content of any kind is keyed, and
// without a key an error that wraps ErrKeyNeeded. Embedded content of any kind is keyed where a key is given. Kind is
// that of the reference, whatever makes it.
func KeyFor(kind string, from Provenance, key *Key) (*Key, error) {
	switch {
	case from == Fetched && key == nil:
		return nil, diag.Usage(ErrKeyNeeded, newKeyHint+" Pass it with --hash-key-file.")
	case from == Written && strings.EqualFold(kind, "ConfigMap"):
		return nil, nil
	}
	return key, nil
}
