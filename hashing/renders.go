package hashing

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// What the keys of cached renders are derived for. The number changes with the format of what they encrypt.
const (
	renderNamesInfo   = "rollstamp-render-names-v1"
	renderEntriesInfo = "rollstamp-render-entries-v1"
)

// RenderKey names and encrypts renders that are cached. It is derived from the hash key in its domain, leads back to
// it from nowhere, and cannot be printed.
type RenderKey struct {
	names   Key
	entries cipher.AEAD
}

// ForRenders returns the key of cached renders.
func (k Key) ForRenders() (*RenderKey, error) {
	names, err := hkdf.Key(sha256.New, k.reveal(), nil, renderNamesInfo, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key of cached renders: %w", err)
	}
	secret, err := hkdf.Key(sha256.New, k.reveal(), nil, renderEntriesInfo, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key of cached renders: %w", err)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("derive key of cached renders: %w", err)
	}
	entries, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("derive key of cached renders: %w", err)
	}
	return &RenderKey{keyOf(names), entries}, nil
}

// Name returns the name of an entry: without the key, nobody can find out whose name it is.
func (k *RenderKey) Name(of []byte) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k.names.reveal())
	mac.Write(of)
	return [sha256.Size]byte(mac.Sum(nil))
}

// Seal encrypts an entry, and binds it to its name.
func (k *RenderKey) Seal(name, text []byte) []byte { return k.entries.Seal(nil, nil, text, name) }

// Open decrypts an entry of that name. The error is that it is none that Seal wrote with this key.
func (k *RenderKey) Open(name, sealed []byte) ([]byte, error) {
	text, err := k.entries.Open(nil, nil, sealed, name)
	if err != nil {
		return nil, fmt.Errorf("decrypt cached render: %w", err)
	}
	return text, nil
}
