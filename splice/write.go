package splice

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rollstamp/rollstamp/manifest"
)

// What an insertion makes is indented by newIndent columns from its key, and below a key that was there without a value
// by bareIndent: so a removal can see which of them goes with the entries.
const newIndent, bareIndent = 2, 4

// indentation is what indents a line by newIndent.
const indentation = "  "

// withoutLiterals returns the value with all strings in one line.
func (v value) withoutLiterals() value {
	v.inline = true
	v.fields, v.items = slices.Clone(v.fields), slices.Clone(v.items)
	for i := range v.fields {
		v.fields[i].value = v.fields[i].value.withoutLiterals()
	}
	for i := range v.items {
		v.items[i] = v.items[i].withoutLiterals()
	}
	return v
}

// flow writes a value in one line, as JSON or in YAML's flow style.
func (v value) flow(asJSON bool) string {
	comma := ", "
	if asJSON {
		comma = ","
	}
	var b strings.Builder
	switch {
	case v.isMap:
		b.WriteByte('{')
		for i, f := range v.fields {
			if i > 0 {
				b.WriteString(comma)
			}
			b.WriteString(f.flow(asJSON))
		}
		b.WriteByte('}')
	case v.kind == manifest.Other:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(comma)
			}
			b.WriteString(item.flow(asJSON))
		}
		b.WriteByte(']')
	case v.kind == manifest.String:
		return word(v.text, asJSON)
	default:
		return v.text
	}
	return b.String()
}

func (f field) flow(asJSON bool) string {
	colon := ": "
	if asJSON {
		colon = ":"
	}
	return word(f.key, asJSON) + colon + f.value.flow(asJSON)
}

// block writes a value below a key or dash: what goes on the line of that, and the lines below it, indented from the
// key or dash.
func (v value) block() (inline string, below []string) {
	lines := v.appendBelow(nil, "", "")
	return strings.TrimPrefix(lines[0], " "), lines[1:]
}

// lines writes an entry as a block.
func (f field) lines() []string { return f.appendLines(nil, "", "") }

// item writes a value as an item of a block.
func (v value) item() []string { return v.appendItem(nil, "", "") }

// appendLines writes a mapping or sequence with something in it as a block, behind other lines: the first line after
// head, the others after a margin.
func (v value) appendLines(out []string, head, margin string) []string {
	for _, f := range v.fields {
		out, head = f.appendLines(out, head, margin), margin
	}
	for _, item := range v.items {
		out, head = item.appendItem(out, head, margin), margin
	}
	return out
}

func (f field) appendLines(out []string, head, margin string) []string {
	return f.value.appendBelow(out, head+word(f.key, false)+":", margin)
}

func (v value) appendItem(out []string, head, margin string) []string {
	if v.kind != manifest.Other || v.empty() {
		return v.appendBelow(out, head+"-", margin)
	}
	return v.appendLines(out, head+"- ", margin+indentation)
}

// appendBelow writes a value below a key or dash, with the line of that.
func (v value) appendBelow(out []string, head, margin string) []string {
	switch {
	case v.kind == manifest.String && !v.inline && literal(v.text):
		header := "|-"
		if strings.HasSuffix(v.text, "\n") {
			header = "|"
		}
		out = append(out, onLine(head, header))
		for line := range strings.SplitSeq(strings.TrimSuffix(v.text, "\n"), "\n") {
			if line != "" {
				line = margin + indentation + line
			}
			out = append(out, line)
		}
		return out
	case v.kind != manifest.Other || v.empty():
		return append(out, onLine(head, v.flow(false)))
	}
	margin += indentation
	return v.appendLines(append(out, head), margin, margin)
}

// onLine writes what goes on the line of a key or dash.
func onLine(head, inline string) string {
	if inline == "" {
		return head
	}
	return head + " " + inline
}

// literal reports whether a string of several lines can be written as a literal block that needs no indicator but that
// of its end.
func literal(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	return strings.Contains(body, "\n") && !strings.HasSuffix(body, "\n") && s[0] != ' ' && s[0] != '\n' && s[0] != '\t' &&
		strings.IndexFunc(body, func(r rune) bool { return r != '\n' && r != '\t' && mustEscape(r) }) < 0
}

// word writes a string in one line: plain where that cannot mean something else, or in double quotes.
func word(s string, asJSON bool) string {
	if !asJSON && plain(s) {
		return s
	}
	return quote(s)
}

// plain reports whether a string can be written without quotes, in a block as well as between brackets.
func plain(s string) bool {
	if s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || s[0] == '-' || strings.HasPrefix(s, "...") {
		return false
	}
	for i, r := range s {
		switch {
		case !special(r):
		case i == 0:
			return false
		case r == ' ' || r == '+' || r == '=' || r == '@' || r == '%' || r == '~':
		case r == ':' && !special(rune(s[i+1])) && s[i+1] != '-' && s[i+1] != '.' && s[i+1] != '_':
		default:
			return false
		}
	}
	const longest = len("false") // of the words that are no strings to YAML
	if c := s[0]; len(s) > longest && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
		return true
	}
	if strings.IndexFunc(s, isNoLetter) < 0 && !slices.Contains(noStrings, strings.ToLower(s)) {
		return true
	}
	d, err := manifest.Parse([]byte(s))
	if err != nil {
		return false
	}
	t, text := d.Root().TypeAndText()
	return t == manifest.String && text == s
}

// noStrings are the words of letters alone that are no strings to YAML, in lower case: in some spellings, and to some
// readers.
var noStrings = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

func isNoLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

// quote writes a string in double quotes, as both JSON and YAML read it.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(`""`))
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case mustEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// mustEscape reports whether a character may not be in YAML as it is, or ends a line there.
func mustEscape(r rune) bool {
	return r <= 0xffff && (unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff)
}

// special reports whether a character could mean something to YAML.
func special(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' && r != '/'
}

// singleQuote writes a string in single quotes, or in double ones where these cannot hold it.
func singleQuote(s string) string {
	if strings.IndexFunc(s, mustEscape) >= 0 {
		return quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
