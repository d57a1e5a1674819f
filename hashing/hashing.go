// Package hashing turns content into digests: version 1 of the contract in docs/digest-v1.md, and where a digest is
// written.
package hashing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/redact"
)

// The two forms of a version 1 digest, as the value of an annotation begins with them.
const (
	PlainPrefix = "v1-"
	KeyedPrefix = "v1k-"
)

// The headers separate the uses of a hash, domainHeader among them. They are part of the contract, line feed included.
const (
	plainHeader = "rollstamp-digest-v1\n"
	keyedHeader = "rollstamp-digest-v1-keyed\n"
)

// digestBytes is how much of the hash a digest shows.
const digestBytes = 8

// IsDigest reports whether a text is a digest, made with a hash key or without.
func IsDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, PlainPrefix)
	if !ok {
		digits, ok = strings.CutPrefix(text, KeyedPrefix)
	}
	return ok && len(digits) == hex.EncodedLen(digestBytes) && strings.Trim(digits, "0123456789abcdef") == ""
}

// IsKeyed reports whether a digest was made with a hash key.
func IsKeyed(digest string) bool { return strings.HasPrefix(digest, KeyedPrefix) }

// Pair is one key of a ConfigMap or Secret with the bytes that a container reads under it.
type Pair struct {
	Key   string
	Value redact.Secret
}

// Hasher makes digests one after the other in the same memory. The zero value is ready; it is for one goroutine at a
// time.
type Hasher struct {
	plain hash.Hash
	buf   []byte
}

// Value returns what the annotation holds for content: "v1-..." with a nil key, "v1k-..." with a key. Which of the two
// an object gets is decided by Keyed and nowhere else.
//
// Kind and name are the object's own, the name before any suffix of ours; they count only in the keyed form. Content
// may come in any order and is not changed; each key must be in it once (the caller has already said which of two
// wins).
func (h *Hasher) Value(kind, name string, content []Pair, key *Key) string {
	if !slices.IsSortedFunc(content, byKey) {
		content = slices.Clone(content)
		slices.SortFunc(content, byKey)
	}
	if key == nil {
		if h.plain == nil {
			h.plain = sha256.New()
		}
		h.plain.Reset()
		h.buf = append(h.buf[:0], plainHeader...)
		return h.digest(PlainPrefix, h.plain, content)
	}
	h.buf = append(h.buf[:0], keyedHeader...)
	h.buf = appendItem(h.buf, strings.ToLower(kind))
	h.buf = appendItem(h.buf, name)
	return h.digest(KeyedPrefix, hmac.New(sha256.New, key.reveal()), content)
}

// Value returns the digest that a new Hasher makes.
func Value(kind, name string, content []Pair, key *Key) string {
	return new(Hasher).Value(kind, name, content, key)
}

func byKey(a, b Pair) int { return strings.Compare(a.Key, b.Key) }

// digest hashes what is in the buffer and the sorted pairs. Small items are gathered so that the hash is called in
// large strides.
func (h *Hasher) digest(prefix string, sum hash.Hash, sorted []Pair) string {
	const stride = 4096
	for _, p := range sorted {
		value := p.Value.Reveal()
		h.buf = appendItem(h.buf, p.Key)
		h.buf = append(strconv.AppendInt(h.buf, int64(len(value)), 10), ':')
		if len(h.buf)+len(value) <= stride {
			h.buf = append(h.buf, value...)
			continue
		}
		sum.Write(h.buf)
		sum.Write(value)
		h.buf = h.buf[:0]
	}
	sum.Write(h.buf)
	h.buf = sum.Sum(h.buf[:0])
	h.buf = hex.AppendEncode(append(h.buf, prefix...), h.buf[:digestBytes])
	return string(h.buf[sum.Size():])
}

// appendItem writes s after its length in bytes, so that neighbors cannot run into each other.
func appendItem(buf []byte, s string) []byte {
	buf = append(strconv.AppendInt(buf, int64(len(s)), 10), ':')
	return append(buf, s...)
}
