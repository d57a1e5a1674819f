package redact

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Values are secret values that were written into texts, and that nothing shows which is made of these. Nil holds none.
type Values struct{ all []Secret }

// Values of fewer bytes than shortest are hidden only where they were written: anywhere else they are a part of a word
// or number. Those of fewer than wordLength are hidden where they stand by themselves, longer ones in other words, too.
const shortest, wordLength = 4, 8

// NewValues returns values, without the empty ones.
func NewValues(all ...string) *Values {
	v := &Values{}
	for _, one := range all {
		if one != "" {
			v.all = append(v.all, New([]byte(one)))
		}
	}
	// One may be a part of another.
	slices.SortStableFunc(v.all, func(a, b Secret) int { return cmp.Or(b.n-a.n, bytes.Compare(a.bytes(), b.bytes())) })
	v.all = slices.CompactFunc(v.all, func(a, b Secret) bool { return bytes.Equal(a.bytes(), b.bytes()) })
	return v
}

// And returns the values of both.
func (v *Values) And(more *Values) *Values {
	switch {
	case more.IsEmpty():
		return v
	case v.IsEmpty():
		return more
	}
	var all []string
	for _, one := range slices.Concat(v.all, more.all) {
		all = append(all, one.text())
	}
	return NewValues(all...)
}

// Forms returns the values in the forms in which templates print them: as they are, without blanks around them, in
// upper or lower case, in a URL, as hexadecimal digits, and as base64 or base32.
func (v *Values) Forms() *Values {
	if v.IsEmpty() {
		return v
	}
	var forms []string
	for _, secret := range v.all {
		s := secret.text()
		for _, one := range []string{s, strings.TrimSpace(s), strings.ToUpper(s), strings.ToLower(s)} {
			b := []byte(one)
			forms = append(forms, one, url.QueryEscape(one), url.PathEscape(one), hex.EncodeToString(b),
				base64.StdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b),
				base32.StdEncoding.EncodeToString(b))
		}
	}
	return NewValues(forms...)
}

// IsEmpty reports whether there are none.
func (v *Values) IsEmpty() bool { return v == nil || len(v.all) == 0 }

// In returns a text with the mask instead of the values, but for short ones (see shortest).
func (v *Values) In(text string) string {
	return v.replace(text, func(at, n int) bool {
		return n >= wordLength || n >= shortest && !joins(text, at) && !joins(text, at+n)
	}, func(string) string { return Mask })
}

// Replace returns a text with a stand-in for each of the values, however short.
func (v *Values) Replace(text string, standIn func(value string) string) string {
	return v.replace(text, func(int, int) bool { return true }, standIn)
}

// replace goes through the text once, so that nothing is looked for in what it writes.
func (v *Values) replace(text string, counts func(at, n int) bool, standIn func(string) string) string {
	if v.IsEmpty() || !slices.ContainsFunc(v.all, func(s Secret) bool { return strings.Contains(text, s.text()) }) {
		return text
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		i := slices.IndexFunc(v.all, func(s Secret) bool {
			return strings.HasPrefix(text[at:], s.text()) && counts(at, s.n)
		})
		if i < 0 {
			out.WriteByte(text[at])
			at++
			continue
		}
		out.WriteString(standIn(v.all[i].text()))
		at += v.all[i].n
	}
	return out.String()
}

// joins reports whether the bytes before and at an offset belong to one word.
func joins(text string, at int) bool {
	return at > 0 && at < len(text) && isOfWord(text[at-1]) && isOfWord(text[at])
}

func isOfWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func (s Secret) text() string { return unsafe.String(s.p, s.n) }

func (s Secret) bytes() []byte { return unsafe.Slice(s.p, s.n) }
