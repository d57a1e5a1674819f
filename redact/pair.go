package redact

import "strings"

// pair is a name that a text has as a value, such as that of a variable, a parameter, a property or an attribute: what
// follows under "value" is called so.
type pair struct {
	name string
	end  int // of the name in the text
}

// read takes the name that follows a colon or an equals sign, where the word before that is "name" or "key".
func (p *pair) read(text string, at int, word string) bool {
	if !strings.EqualFold(word, "name") && !strings.EqualFold(word, "key") {
		return false
	}
	start, end := valueAfter(text, at+1)
	p.name, p.end = strings.TrimSuffix(strings.TrimRight(text[start:end], ",}"), `\`), end
	return true
}

// isValue reports whether a word is "value", and belongs to the name that was read last.
func (p *pair) isValue(text string, at int, word string) bool {
	if p.name == "" || at < p.end || !strings.EqualFold(word, "value") {
		return false
	}
	const farthest = 200
	between := text[p.end:at]
	return len(between) < farthest && !strings.ContainsAny(between, "<>{}[]") && !strings.Contains(between, "\n-") &&
		!strings.Contains(between, "\n\n")
}

// wholeLine returns the end of an unquoted value that is all that a line has behind its first word, and else its end as
// it is.
func wholeLine(text string, at, start, end int) int {
	before := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	if start == end || strings.IndexByte(`"'`, text[start-1]) >= 0 ||
		strings.ContainsAny(strings.Trim(before, " \t-"), " \t") {
		return end
	}
	return start + len(strings.TrimRight(text[start:lineEnd(text, start)], " \t\r\n"))
}
