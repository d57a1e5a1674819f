package hashing

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// DefaultPrefix begins the key of every annotation that holds a digest, where no other prefix is configured.
const DefaultPrefix = "checksum.rollstamp.dev/"

// KeptMark is the annotation on an earlier content of an object, which is printed beside the one in force.
const KeptMark = DefaultPrefix + "kept"

// The names behind a prefix that are of no single object.
const (
	CombinedName = "all"     // one digest of all that a pod template consumes
	RestartName  = "restart" // a restart that somebody asked for
	targetName   = "target-name"
)

// The name of an annotation is at most 63 characters, by Kubernetes' rule. A longer one keeps its beginning, for
// people, and ends in a hash of all of it, for uniqueness.
const (
	maxName   = 63
	keptName  = 54
	nameBytes = 4
)

// Prefix is what the keys of our annotations begin with. The zero value is DefaultPrefix.
type Prefix struct{ configured string } // with its slash; "" for DefaultPrefix

// NewPrefix returns the prefix of a domain, such as ops.example.com; "" is the one of DefaultPrefix.
func NewPrefix(domain string) Prefix {
	if domain == "" || domain+"/" == DefaultPrefix {
		return Prefix{}
	}
	return Prefix{domain + "/"}
}

// String returns the prefix with its slash.
func (p Prefix) String() string {
	if p.configured == "" {
		return DefaultPrefix
	}
	return p.configured
}

// MarshalText returns the domain of the prefix, "" for that of DefaultPrefix.
func (p Prefix) MarshalText() ([]byte, error) {
	return []byte(strings.TrimSuffix(p.configured, "/")), nil
}

// UnmarshalText takes what MarshalText returns.
func (p *Prefix) UnmarshalText(domain []byte) error {
	*p = NewPrefix(string(domain))
	return nil
}

// Annotation returns the key of the annotation that holds the digest of an object. Group is "" for the core API; for
// another group the kind is followed by it.
func (p Prefix) Annotation(group, kind, name string) string {
	s := strings.ToLower(kind)
	if group != "" {
		s += "_" + group
	}
	return p.String() + shorten(s+"."+name)
}

// Combined returns the key of the annotation that holds one digest of all that a pod template consumes.
func (p Prefix) Combined() string { return p.String() + CombinedName }

// Restart returns the key of the annotation of a restart that somebody asked for; its value is when.
func (p Prefix) Restart() string { return p.String() + RestartName }

// TargetName returns the key of the annotation that marks an ExternalSecret which had no target.name.
func (p Prefix) TargetName() string { return p.String() + targetName }

// Name returns what follows the prefix in a key.
func (p Prefix) Name(key string) string { return strings.TrimPrefix(key, p.String()) }

// Has reports whether a key is one of ours. All keys below DefaultPrefix are, whatever is configured. A configured
// domain may have annotations of others; of its keys ours are those with the names that this type makes.
func (p Prefix) Has(key string) bool {
	if strings.HasPrefix(key, DefaultPrefix) {
		return true
	}
	if p.configured == "" {
		return false
	}
	name, found := strings.CutPrefix(key, p.configured)
	return found && isMade(name)
}

// MayBeIn reports whether a text may hold keys of ours. Most do not, and looking costs less than reading.
func (p Prefix) MayBeIn(text []byte) bool {
	return bytes.Contains(text, []byte(DefaultPrefix)) ||
		p.configured != "" && bytes.Contains(text, []byte(p.configured))
}

// isMade reports whether a name behind a configured prefix is one that this package makes: of a kind whose content
// has digests, or of no single object.
func isMade(name string) bool {
	switch name {
	case CombinedName, RestartName, targetName:
		return true
	}
	for _, kind := range [...]string{"configmap.", "secret.", "secretproviderclass_", "vault."} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
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
