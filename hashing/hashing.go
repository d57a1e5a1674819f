// Package hashing turns content into digests: version 1 of the contract in docs/digest-v1.md, and where a digest is written.
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

// The headers keep the three uses of a hash apart. They are part of the contract, line feed included.
const (
	plainHeader  = "rollstamp-digest-v1\n"
	keyedHeader  = "rollstamp-digest-v1-keyed\n"
	domainHeader = "rollstamp-hash-domain\n"
)

// digestBytes is how much of the hash a digest shows.
const digestBytes = 8

// Pair is one key of a ConfigMap or Secret with the bytes that a container reads under it.
type Pair struct {
	Key   string
	Value redact.Secret
}

// Value gives what the annotation holds for content: "v1-..." with a nil key, "v1k-..." with a key. Which of the two an
// object gets is decided by Keyed and nowhere else.
//
// Kind and name are the object's own, the name before any suffix of ours; they count only in the keyed form. Content may
// come in any order and is not changed; each key must be in it once (the caller has already said which of two wins).
func Value(kind, name string, content []Pair, key *Key) string {
	if !slices.IsSortedFunc(content, byKey) {
		content = slices.Clone(content)
		slices.SortFunc(content, byKey)
	}
	if key == nil {
		return PlainPrefix + digest(sha256.New(), plainHeader, content)
	}
	var head [128]byte
	prefix := append(head[:0], keyedHeader...)
	prefix = appendItem(prefix, strings.ToLower(kind))
	prefix = appendItem(prefix, name)
	return KeyedPrefix + digest(hmac.New(sha256.New, key.reveal()), string(prefix), content)
}

func byKey(a, b Pair) int { return strings.Compare(a.Key, b.Key) }

// digest hashes the header and the sorted pairs. Small items are gathered so that the hash is called in large strides.
func digest(h hash.Hash, header string, sorted []Pair) string {
	buf := make([]byte, 0, 1024)
	buf = append(buf, header...)
	for _, p := range sorted {
		value := p.Value.Reveal()
		buf = appendItem(buf, p.Key)
		buf = append(strconv.AppendInt(buf, int64(len(value)), 10), ':')
		if len(buf)+len(value) <= cap(buf) {
			buf = append(buf, value...)
			continue
		}
		h.Write(buf)
		h.Write(value)
		buf = buf[:0]
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(buf[:0])[:digestBytes])
}

// appendItem writes s behind its length in bytes, so that neighbours cannot run into each other.
func appendItem(buf []byte, s string) []byte {
	buf = append(strconv.AppendInt(buf, int64(len(s)), 10), ':')
	return append(buf, s...)
}
