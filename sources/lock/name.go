package lock

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// names returns what a reference may stand under: with its property, which matters for digests of values, and, last,
// without. Neither says what the store is and where it lies, so the lock is the same whether the store is in the render
// or not.
func names(ref sources.Ref) []string {
	if ref.Find != nil || ref.Property == "" {
		return []string{ref.ID()}
	}
	return []string{ref.ID(), whole(ref).ID()}
}

// whole returns the reference to all of what lies under the key.
func whole(ref sources.Ref) sources.Ref {
	ref.Property = ""
	return ref
}

// Whole returns the name of the entry that holds a version of a reference.
func Whole(ref sources.Ref) string { return whole(ref).ID() }

// withoutNamespace returns the name of an entry of a store in a namespace as it is where that is not known.
func withoutNamespace(name string) (string, bool) {
	kind, rest, _ := strings.Cut(name, "/")
	if !(sources.Store{Kind: kind}).InNamespace() {
		return "", false
	}
	store, _, _ := strings.Cut(rest, " ")
	i := strings.IndexByte(store, '/')
	if i < 0 {
		return "", false
	}
	return kind + rest[i:], true
}

// escape writes what is not one visible word as %XX.
func escape(s string) string {
	if !strings.ContainsFunc(s, isEscaped) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if isEscaped(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isEscaped(c rune) bool { return c <= ' ' || c == 0x7f || c == '%' }

// unescape reads what escape wrote, and nothing else.
func unescape(s string) (string, bool) {
	if s != "" && !strings.ContainsFunc(s, isEscaped) {
		return s, true // nearly all
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		var c byte
		if i+3 > len(s) {
			return "", false
		}
		if n, err := fmt.Sscanf(s[i+1:i+3], "%02X", &c); n != 1 || err != nil {
			return "", false
		}
		b.WriteByte(c)
		i += 2
	}
	return b.String(), s != "" && escape(b.String()) == s
}
