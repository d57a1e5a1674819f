package hashing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/rollstamp/rollstamp/redact"
)

// The headers of what is made for stores are part of the contract, like those of digests, and differ from all of them:
// a digest in a pod template can be compared with none in a lock.
const (
	storeKeyHeader   = "rollstamp-store-key\n"
	storeValueHeader = "rollstamp-store-value-v1\n"
	storeKeyIDHeader = "rollstamp-store-key-id-v1\n"
)

// storeValueBytes is how much of the hash is written for a value, and storeKeyIDBytes how much for a key.
const (
	storeValueBytes = 16
	storeKeyIDBytes = 8
)

// StoreKey is the key of digests of the values that stores hold. It follows from the hash key in its domain, and leads
// back to it from nowhere: the program that asks stores gets this one only. It cannot be printed.
type StoreKey struct{ key Key }

// ForStores returns the key of stores' values.
func (k Key) ForStores() StoreKey {
	mac := hmac.New(sha256.New, k.reveal())
	mac.Write([]byte(storeKeyHeader))
	return StoreKey{keyOf(mac.Sum(nil))}
}

// StoreKeyID identifies the key of stores' values by the hash key in its domain that they follow from: a keyed digest
// of no text, which leads back to neither. It is "" for no key.
func StoreKeyID(of *Key) string {
	if of == nil {
		return ""
	}
	mac := hmac.New(sha256.New, of.ForStores().key.reveal())
	mac.Write([]byte(storeKeyIDHeader))
	return hex.EncodeToString(mac.Sum(nil)[:storeKeyIDBytes])
}

// Lend returns the bytes, for the program that asks stores and for nobody else.
func (s StoreKey) Lend() []byte { return s.key.reveal() }

// Borrow makes a StoreKey of lent bytes; nil is none.
func Borrow(lent []byte) *StoreKey {
	if len(lent) == 0 {
		return nil
	}
	return &StoreKey{keyOf(lent)}
}

// StoreValue returns the digest that stands in for the value that a reference to a store names. The reference's own
// words are part of it, so that equal values in two places do not show.
func StoreValue(reference string, value redact.Secret, key StoreKey) string {
	mac := hmac.New(sha256.New, key.key.reveal())
	mac.Write(appendItem([]byte(storeValueHeader), reference))
	mac.Write(appendItem(nil, string(value.Reveal())))
	return hex.EncodeToString(mac.Sum(nil)[:storeValueBytes])
}
