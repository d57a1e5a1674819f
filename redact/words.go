package redact

import "strings"

// hideWords hides the values in a text that follow a name that reads like a secret's and a colon or an equals
// sign, or such a name that is itself a value, as in name: TOKEN, value: x. It looks at each character a fixed number
// of times: names end where the ones before them begin.
func hideWords(text string, hide func(any) string) string {
	var out strings.Builder
	from, pair := 0, pair{}
	for at := 0; at < len(text); at++ {
		if text[at] != ':' && text[at] != '=' {
			continue
		}
		name := nameBefore(text[from:at])
		if pair.read(text, at, name) {
			continue
		}
		inPair := pair.isValue(text, at, name)
		if inPair {
			name = pair.name
		}
		if !mayNameSecret(name) || isHostOrPlaceholder(text, at, name) || closesQuote(text, at, name) {
			continue
		}
		start, end := valueAfter(text, afterSign(text, at))
		if inPair {
			end = wholeLine(text, at, start, end)
		}
		if start == end || isPlainButClosed(name, text[start:end]) {
			continue
		}
		out.WriteString(text[from:start])
		out.WriteString(hide(text[start:end]))
		from, at = end, end-1
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// isPlainButClosed reports whether a value is no secret once what closes a table, a call or a quote behind it is cut.
func isPlainButClosed(name, value string) bool {
	for isNamed(name, value) {
		last := len(value) - 1
		if strings.IndexByte("}])`\\,\"'", value[last]) < 0 {
			return false
		}
		if value = value[:last]; value == "" {
			return true
		}
	}
	return true
}

// closesQuote reports whether a text between quotes ends with a name and a sign, such as "token:".
func closesQuote(text string, at int, name string) bool {
	start := at - len(name)
	if start < 1 || text[start:at] != name || at+1 == len(text) {
		return false
	}
	quote := text[start-1]
	return (quote == '"' || quote == '\'') && text[at+1] == quote
}

// afterSign returns the position behind a sign of assignment or of a comparison, which has two characters in some
// languages.
func afterSign(text string, at int) int {
	if strings.HasPrefix(text[at+1:], "=") {
		at++
	}
	return at + 1
}

// nameBefore returns the name that a text ends with, but for a quote and blanks; "" where it is part of another word.
func nameBefore(text string) string {
	text = strings.TrimRight(text, " \t")
	if n := len(text); n > 0 && (text[n-1] == '"' || text[n-1] == '\'') {
		text = strings.TrimSuffix(text[:n-1], `\`)
	}
	start := len(text)
	for start > 0 && isNameByte(text[start-1]) {
		start--
	}
	if start > 0 && strings.IndexByte(" \t\r\n\f\"'?&;,{([\\:=/#|<>@", text[start-1]) < 0 {
		return ""
	}
	return text[start:]
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// valueAfter returns where the value from a position on is: between quotes, or up to a blank, a quote or what separates
// parameters. Of a scheme such as Bearer the word behind it belongs to it. It is empty where none begins there.
func valueAfter(text string, at int) (start, end int) {
	at = skipBlanks(text, at)
	if strings.HasPrefix(text[at:], `\`) {
		at++
	}
	if at == len(text) || strings.IndexByte("\r\n\f&;|>{[(", text[at]) >= 0 {
		return at, at
	}
	if quote := text[at]; quote == '"' || quote == '\'' {
		if three := strings.Repeat(text[at:at+1], 3); strings.HasPrefix(text[at:], three) { // of TOML
			if n := strings.Index(text[at+3:], three); n >= 0 {
				return at + 3, at + 3 + n
			}
		}
		if n := strings.IndexByte(text[at+1:], quote); n >= 0 {
			return at + 1, at + 1 + n
		}
		return at, at
	}
	start, end = at, wordEnd(text, at)
	if next := skipBlanks(text, end); isScheme(text[start:end]) && next > end && next < len(text) &&
		strings.IndexByte("|>{[(", text[next]) < 0 {
		end = wordEnd(text, next)
	}
	return start, end
}

func skipBlanks(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

func wordEnd(text string, at int) int {
	if n := strings.IndexAny(text[at:], " \t\r\n\f\"'&;"); n >= 0 {
		return at + n
	}
	return len(text)
}
