package lock

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// names gives what a reference may stand under: with its property, which matters for digests of values, and, last, without. Neither
// says what the store is and where it lies, so the lock is the same whether the store is in the render or not.
func names(ref sources.Ref) []string {
	whole := ref
	whole.Property = ""
	if ref.Find != nil || ref.Property == "" {
		return []string{whole.ID()}
	}
	return []string{ref.ID(), whole.ID()}
}

// Whole gives the name of the entry that holds a version of a reference.
func Whole(ref sources.Ref) string {
	all := names(ref)
	return all[len(all)-1]
}

// escape writes what is not one visible word as %XX.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c == 0x7f || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// unescape reads what escape wrote, and nothing else.
func unescape(s string) (string, bool) {
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
