package determinism

import "strings"

// tokenKind is the sort of a token, as far as it matters here.
type tokenKind uint8

const (
	wordToken    tokenKind = iota // a function or keyword
	fieldToken                    // ".a.b", "$x.y", "$", "."
	literalToken                  // quoted text, with its quotes
	openToken                     // "("
)

// token is a part of a template action. It lies at text[start:end] of the template.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	lead       bool // it is the action's first
	first      bool // it begins a command: at most keywords stand between it and the action's start, "(", "|" or "="
}

// actions calls visit for the tokens of each action of a template, in order. Comments are left out. Tokens of quoted
// text follow it where it is a template itself, as tpl may get it.
func actions(text string, visit func(token)) {
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return
		}
		at = action(text, at+i+2, visit)
	}
}

// action reads one action from the offset after its braces, and returns the offset after the action.
func action(text string, i int, visit func(token)) int {
	lead, first := true, true
	emit := func(kind tokenKind, end int) {
		t := token{kind: kind, text: text[i:end], start: i, end: end, lead: lead, first: first}
		lead, first = false, kind == openToken || kind == wordToken && first && keywords[t.text]
		i = end
		visit(t)
	}
	for i < len(text) {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "}}"):
			return i + 2
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
		case c == '"' || c == '\'' || c == '`':
			start := i + 1
			emit(literalToken, quotedEnd(text, i))
			actions(text[start:max(start, i-1)], func(t token) {
				t.start, t.end, t.lead, t.first = t.start+start, t.end+start, false, false
				visit(t)
			})
		case letter(c):
			emit(wordToken, span(text, i, ""))
		case c == '.' || c == '$':
			emit(fieldToken, span(text, i, ".$"))
		case c == '(':
			emit(openToken, i+1)
		case c == '|' || c == '=':
			i, first = i+1, true
		case strings.IndexByte(" \t\r\n-", c) >= 0:
			i++
		default:
			i, first = i+1, false
		}
	}
	return i
}

// keywords may stand before the first word of a command.
var keywords = map[string]bool{"if": true, "else": true, "range": true, "with": true}

// letter reports whether a name can begin with c.
func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// span returns the offset after the letters, digits and bytes of more from i on.
func span(text string, i int, more string) int {
	for i < len(text) && (letter(text[i]) || text[i] >= '0' && text[i] <= '9' || strings.IndexByte(more, text[i]) >= 0) {
		i++
	}
	return i
}

// after returns the offset after the next end at or after i, or the end of the text.
func after(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(text)
}

// quotedEnd returns the offset after the quoted text that begins at i.
func quotedEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// commandEnd returns where the command that i lies in ends: at a "|", at the ")" that closes it, or at the action's
// end.
func commandEnd(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '`':
			i = quotedEnd(text, i)
			continue
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case strings.HasPrefix(text[i:], "}}"), depth == 0 && (c == ')' || c == '|'):
			if c == '}' && text[i-1] == '-' {
				i--
			}
			return len(strings.TrimRight(text[:i], " \t\r\n"))
		}
		i++
	}
	return len(text)
}
