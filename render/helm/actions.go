package helm

import (
	"cmp"
	"slices"
	"strings"
)

// tokenKind tells the tokens of template actions apart, as far as they matter here.
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

// actions calls visit for the tokens of each action of a template, in order. Comments are left out; quoted text is looked
// into where it is a template itself, as tpl may get it.
func actions(text string, visit func(token)) {
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return
		}
		at = action(text, at+i+2, visit)
	}
}

// action goes through one action, from behind its braces, and returns the offset behind it.
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
			emit(literalToken, quoted(text, i))
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

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// span returns the offset behind the letters, digits and bytes of more from i on.
func span(text string, i int, more string) int {
	for i < len(text) && (letter(text[i]) || text[i] >= '0' && text[i] <= '9' || strings.IndexByte(more, text[i]) >= 0) {
		i++
	}
	return i
}

func after(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(text)
}

// quoted returns the offset behind the quoted text that begins at i.
func quoted(text string, i int) int {
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

// edit puts text in the place of what lies between two offsets.
type edit struct {
	start, end int
	text       string
}

func apply(text string, edits []edit) string {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// laterNow is what anotherTime puts for now.
const laterNow = "((now.AddDate 3 4 4).Add 45449000000000)"

// anotherTime returns a template whose clock is ahead by an amount that changes year, month, day, weekday, hour, minute and
// second, so that formats as coarse as a date come out differently too. It may stand in quotes, so it has none itself.
func anotherTime(text string) string {
	var edits []edit
	actions(text, func(t token) {
		if t.kind != wordToken {
			return
		}
		switch t.text {
		case "now":
			edits = append(edits, edit{t.start, t.end, laterNow})
		case "ago":
			edits = append(edits, edit{t.start, t.end, "list"})
		}
	})
	return apply(text, edits)
}

// withKey names, for a function that makes an RSA key and a certificate, the one that takes a key as its last argument.
var withKey = map[string]string{
	"genCA": "genCAWithKey", "genSelfSignedCert": "genSelfSignedCertWithKey", "genSignedCert": "genSignedCertWithKey",
}

// quickKeys returns a template that makes keys of elliptic curves in place of RSA's, which take seconds. What comes out is another key in
// any case. A template in quotes, and one that fails with such a key, is left to be rendered as it is.
func quickKeys(text string) string {
	if !strings.Contains(text, "gen") {
		return text
	}
	var edits []edit
	actions(text, func(t token) {
		if t.kind != wordToken || !t.first {
			return
		}
		const rsa, ecdsa = `"rsa"`, `"ecdsa"`
		if other := withKey[t.text]; other != "" {
			end := commandEnd(text, t.end)
			edits = append(edits, edit{t.start, t.end, other}, edit{end, end, " (genPrivateKey " + ecdsa + ")"})
		} else if t.text == "genPrivateKey" {
			if at := t.end + strings.Index(text[t.end:], rsa); strings.TrimSpace(text[t.end:max(at, t.end)]) == "" && at > t.end {
				edits = append(edits, edit{at, at + len(rsa), ecdsa})
			}
		}
	})
	return apply(text, edits)
}

// sortedKeys returns a template in which what "keys" lists is sorted. The language gives it in an order that changes from
// render to render, so the sorted one is as good as any, and the same each time.
func sortedKeys(text string) string {
	if !strings.Contains(text, "keys") {
		return text
	}
	var edits []edit
	actions(text, func(t token) {
		if t.kind != wordToken || t.text != "keys" || !t.first {
			return
		}
		end := commandEnd(text, t.end)
		rest, _, _ := strings.Cut(text[end:], "}}")
		if !strings.Contains(rest, "sortAlpha") {
			edits = append(edits, edit{end, end, " | sortAlpha"})
		}
	})
	return apply(text, edits)
}

// commandEnd returns where the command that i lies in ends: at a "|", at the ")" that closes it, or at the action's end.
func commandEnd(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '`':
			i = quoted(text, i)
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
