package output

import (
	"strings"
	"unicode"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// scalarKind is how the value of a scalar is printed.
type scalarKind int

const (
	doubtful scalarKind = iota
	written             // as it is: an integer, a boolean
	null
	text
)

// plainScalarOf returns the value of a scalar where it and its type are beyond doubt, in all of the readers that
// kustomize sends it through.
func plainScalarOf(n manifest.Node, flow bool) (string, scalarKind) {
	raw := n.Raw()
	if len(raw) == 0 {
		if flow {
			return "", doubtful
		}
		return "", null
	}
	s := n.Text()
	switch raw[0] {
	case '"', '\'', '|', '>':
		// keeps what plainValue keeps of a node
		if !roundTrips(&yaml.Node{Style: styles[raw[0]], Value: s}) || strings.HasPrefix(s, "\n") {
			return "", doubtful
		}
		return s, text
	}
	if strings.Contains(s, "\n") || !roundTrips(&yaml.Node{Value: s}) {
		return "", doubtful
	}
	switch {
	case s == "true" || s == "false" || isDecimal(s):
		return s, written
	case s == "null" || s == "~":
		return "", null
	case isCertainText(s):
		return s, text
	default:
		return "", doubtful
	}
}

var styles = [...]yaml.Style{'"': yaml.DoubleQuotedStyle, '\'': yaml.SingleQuotedStyle, '|': yaml.LiteralStyle,
	'>': yaml.FoldedStyle}

// isCertainText reports whether a scalar without quotes is text to all readers.
func isCertainText(s string) bool {
	switch c := s[0]; {
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return !isWord(s)
	case c >= '0' && c <= '9':
		// every number and time is made of these; of numbers, none has two points
		return strings.Trim(s, "0123456789abcdefABCDEFxXoO_.+-:TtZz ") != "" || strings.Count(s, ".") > 1 &&
			!strings.ContainsAny(s, ":_ ")
	case c == '/' || c == '$' || c == '(' || c == '_':
		return true
	case c == '-':
		return len(s) > 1 && (s[1] == '-' && len(s) > 3 && s[2] != '-' || s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z')
	}
	return false
}

// isWord reports whether text without quotes would be something else to some reader.
func isWord(s string) bool {
	if len(s) > len("false") {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

// isEscaped reports whether a text has characters beyond 16 bits, as pictograms are, which go-yaml prints as escapes in
// double quotes. What else is not printable has been refused by then.
func isEscaped(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xF0 { // such a character is four bytes, of which this is the first
			return true
		}
	}
	return false
}

// isBare reports whether a text on one line is certainly printed without quotes.
func isBare(s string) bool {
	if s == "" || !isCertainText(s) {
		return false
	}
	for i := range len(s) {
		switch s[i] {
		case ':':
			if i+1 == len(s) || s[i+1] == ' ' {
				return false
			}
		case '#':
			if s[i-1] == ' ' {
				return false
			}
		case ' ':
			if i+1 == len(s) {
				return false
			}
		}
	}
	return true
}

// appendQuoted appends a text in quotes where it is clear in which: double ones where the text would be something else
// without them, single ones where it could not be read. Words are not clear: go-yaml quotes "True", and tRue it does
// not.
func appendQuoted(buf []byte, s string) ([]byte, bool) {
	switch {
	case s == "" || isDecimal(s):
		return append(append(append(buf, '"'), s...), '"'), true
	case strings.IndexByte(" #,[]{}&*!|>'\"%@`", s[0]) >= 0, isCertainText(s):
		buf = append(buf, '\'')
		for i := range len(s) {
			if s[i] == '\'' {
				buf = append(buf, '\'')
			}
			buf = append(buf, s[i])
		}
		return append(buf, '\''), true
	}
	return buf, false
}

// plainKey returns a key of a mapping where it is one line of text.
func plainKey(n manifest.Node) (string, bool) {
	s, kind := plainScalarOf(n, false)
	if kind != text || s == "" || isEscaped(s) || len(s) > 128 || s == "<<" || strings.Contains(s, "\n") {
		return "", false
	}
	return s, true
}

// compareKeys orders the keys of a mapping: numbers in them by their value, and letters after all else.
func compareKeys(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i == len(a) || i == len(b):
		return len(a) - len(b)
	case a[i] >= 0x80 || b[i] >= 0x80:
		return compareRunes([]rune(a), []rune(b))
	case isLetter(a[i]) && isLetter(b[i]):
		return int(a[i]) - int(b[i])
	}
	return compareRunes([]rune(a), []rune(b))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func compareRunes(a, b []rune) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	switch inA, inB := unicode.IsLetter(a[i]), unicode.IsLetter(b[i]); {
	case inA && inB:
		return int(a[i] - b[i])
	case inA:
		return 1
	case inB:
		return -1
	}
	var seed int64 // zeros count only within a number that has begun
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && unicode.IsDigit(a[j]) && seed == 0; j-- {
			if a[j] != '0' {
				seed = 1
			}
		}
	}
	x, digitsA := number(a[i:], seed)
	y, digitsB := number(b[i:], seed)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case digitsA != digitsB:
		return digitsA - digitsB
	}
	return int(a[i] - b[i])
}

// number reads the digits that a text begins with, behind those that are read already.
func number(s []rune, value int64) (int64, int) {
	n := 0
	for n < len(s) && unicode.IsDigit(s[n]) {
		value = value*10 + int64(s[n]-'0')
		n++
	}
	return value, n
}
