package redact

import (
	"crypto/sha1" //nolint:gosec // what templates make of a value
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// InMade returns a text that a program made, such as the words that a template fails with, with the mask also instead
// of what it may have made of the values: another case, a part of wordLength bytes or more, one of shortest or more
// that stands by itself, an escaped form, a hash, and base64, base32 or hexadecimal digits that have one of these in
// them. Where only a part or another case of a value is in the text, it stays if isPublic reports that it is known
// from elsewhere.
func (v *Values) InMade(text string, isPublic func(part string) bool) string {
	if v.IsEmpty() || text == "" {
		return text
	}
	m := newMade(v, isPublic)
	return m.hide(m.hideEncoded(v.In(text), mostEncodings))
}

// made finds what was made of values.
type made struct {
	parts    map[string]struct{} // each part of wordLength bytes
	pieces   map[string]struct{} // each part of shortest bytes
	short    []string            // shorter values
	isPublic func(string) bool
}

func newMade(v *Values, isPublic func(string) bool) *made {
	m := &made{parts: map[string]struct{}{}, pieces: map[string]struct{}{}, isPublic: isPublic}
	for _, secret := range v.all {
		s := secret.text()
		m.add(s)
		for i, value := 0, lower(s); i+shortest <= len(value); i++ {
			m.pieces[value[i:i+shortest]] = struct{}{}
		}
		if secret.n < shortest {
			continue
		}
		asJSON, _ := json.Marshal(s)
		for _, form := range []string{
			strconv.Quote(s), strconv.QuoteToASCII(s), string(asJSON), strings.ReplaceAll(s, "'", "''"),
		} {
			m.add(strings.Trim(form, `"`))
		}
		m.add(url.QueryEscape(s))
		m.add(url.PathEscape(s))
		old := sha1.Sum(secret.bytes()) //nolint:gosec // templates have it
		m.add(hex.EncodeToString(old[:]))
		short, long := sha256.Sum256(secret.bytes()), sha512.Sum512(secret.bytes())
		m.add(hex.EncodeToString(short[:]))
		m.add(hex.EncodeToString(long[:]))
	}
	return m
}

func (m *made) add(value string) {
	value = lower(value)
	if n := len(value); n < wordLength {
		if n >= shortest {
			m.short = append(m.short, value)
		}
		return
	}
	for i := range len(value) - wordLength + 1 {
		m.parts[value[i:i+wordLength]] = struct{}{}
	}
}

// lower returns a text in lower case, with each byte where it was.
func lower(text string) string {
	if out := strings.ToLower(text); len(out) == len(text) {
		return out
	}
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		return r
	}, text)
}

// hide returns a text without parts of values.
func (m *made) hide(text string) string {
	var out strings.Builder
	from := 0
	folded := lower(text)
	for at := 0; at < len(folded); {
		end := m.end(folded, at)
		if end == at {
			at++
			continue
		}
		if part := text[at:end]; strings.ContainsFunc(part, isWordRune) && !m.isPublic(part) {
			out.WriteString(text[from:at])
			out.WriteString(Mask)
			from = end
		}
		at = end
	}
	return out.String() + text[from:]
}

// end returns where what was made of a value and begins at a position ends: there, where none does.
func (m *made) end(folded string, at int) int {
	end := at
	for i := at; i+wordLength <= len(folded) && i <= end; i++ {
		if _, is := m.parts[folded[i:i+wordLength]]; !is {
			break
		}
		end = i + wordLength
	}
	for _, s := range m.short {
		if n := at + len(s); n > end && strings.HasPrefix(folded[at:], s) && !joins(folded, at) && !joins(folded, n) {
			end = n
		}
	}
	if end == at && !joins(folded, at) {
		end = m.endOfPiece(folded, at)
	}
	return end
}

// endOfPiece is end for a part that is shorter than wordLength, and stands by itself: in other letters it may be a part
// of any word.
func (m *made) endOfPiece(folded string, at int) int {
	end := at
	for i := at; i+shortest <= len(folded); i++ {
		if _, is := m.pieces[folded[i:i+shortest]]; !is {
			break
		}
		if n := i + shortest; !joins(folded, n) {
			end = n
		}
	}
	return end
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
