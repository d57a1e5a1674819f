package hashing

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Prefix begins the key of every annotation that holds a digest.
const Prefix = "checksum.rollstamp.dev/"

// Combined is the key of the annotation that holds one digest of all that a pod template consumes.
const Combined = Prefix + "all"

// The name of an annotation is at most 63 characters, by Kubernetes' rule. A longer one keeps its beginning, for
// people, and ends in a hash of all of it, for uniqueness.
const (
	maxName   = 63
	keptName  = 54
	nameBytes = 4
)

// Annotation returns the key of the annotation that holds the digest of an object. Group is "" for the core API; for
// another group the kind is followed by it.
func Annotation(group, kind, name string) string {
	s := strings.ToLower(kind)
	if group != "" {
		s += "_" + group
	}
	return Prefix + shorten(s+"."+name)
}

func shorten(s string) string {
	if len(s) <= maxName || utf8.RuneCountInString(s) <= maxName {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return strings.TrimRight(firstRunes(s, keptName), "-_.") + "-" + hex.EncodeToString(sum[:nameBytes])
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
