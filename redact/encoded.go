package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// mostEncodings is how often what is encoded may be encoded again.
const mostEncodings = 3

// encoding is one in which templates write values.
type encoding struct {
	digits string
	group  int // so many digits stand for whole bytes
	decode func(digits string) []byte
}

func encodings() []encoding {
	return []encoding{
		{letters + "0123456789+/-_", 4, func(digits string) []byte {
			out, _ := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(digits))
			return out
		}},
		{letters + "234567", 8, func(digits string) []byte {
			out, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(digits))
			return out
		}},
		{"0123456789abcdefABCDEF", 2, func(digits string) []byte {
			out, _ := hex.DecodeString(digits)
			return out
		}},
	}
}

// hideEncoded returns a text without the words that have a value in them once they are decoded.
func (m *made) hideEncoded(text string, depth int) string {
	if depth == 0 {
		return text
	}
	for _, e := range encodings() {
		text = m.hideWords(text, e, depth)
	}
	return text
}

func (m *made) hideWords(text string, e encoding, depth int) string {
	var out strings.Builder
	from := 0
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && strings.IndexByte(e.digits, text[end]) >= 0 {
			end++
		}
		if end-at >= shortest && m.isEncoded(text[at:end], e, depth) {
			out.WriteString(text[from:at])
			out.WriteString(Mask)
			for end < len(text) && text[end] == '=' {
				end++
			}
			from = end
		}
		at = max(end, at+1)
	}
	return out.String() + text[from:]
}

// isEncoded reports whether a word has a value in it once it is decoded. Other letters may stand before what is,
// so a group of digits may begin with each of the first ones.
func (m *made) isEncoded(word string, e encoding, depth int) bool {
	for start := range min(e.group, len(word)) {
		decoded := string(e.decode(word[start:]))
		if m.hide(decoded) != decoded || m.hideEncoded(decoded, depth-1) != decoded {
			return true
		}
	}
	return false
}
