package plain

import (
	"bytes"
	"encoding/json"
)

// jsonValues finds where the second and each further value begins in text that is JSON objects one after another, as jq
// prints them and kubectl takes them. It returns nothing for any other text; the check is exact, because flow-style
// YAML may look like JSON for a while.
func jsonValues(text []byte) []int {
	var starts []int
	start := skipBlank(text, 0)
	for start < len(text) && text[start] == '{' {
		end := objectEnd(text, start)
		next := skipBlank(text, end)
		if len(starts) == 0 && (next == len(text) || text[next] != '{') {
			return nil
		}
		if !json.Valid(text[start:end]) {
			return nil
		}
		if next < len(text) {
			starts = append(starts, next)
		}
		start = next
	}
	if start < len(text) {
		return nil
	}
	return starts
}

func skipBlank(text []byte, i int) int {
	for i < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[i]) >= 0 {
		i++
	}
	return i
}

// objectEnd returns the offset after the brace that closes the one at start.
func objectEnd(text []byte, start int) int {
	depth, quoted := 0, false
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
