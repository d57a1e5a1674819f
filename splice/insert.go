package splice

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// place is where new entries go and how they are written there.
type place struct {
	source
	at      int
	missing []string // the keys of the mappings that are made around the entries, outermost first
	eol     string
	indent  int // of a block: the column of the keys next to the new text
	null    int // length of the null that the new text replaces
	form    form
	json    bool // keys and values are quoted
	void    bool // a flow mapping without entries
	mark    bool // braces are empty, and could not be distinguished later from those that an insertion makes
}

// form is how new text joins the old.
type form uint8

const (
	beforeKey form = iota // a block mapping: before its first key
	// a key without a value: on the lines below it, deeper than below a key that an insertion makes
	afterColon
	inFlow        // a flow mapping: after its opening brace
	beforeNull    // an explicit null in block style: before it, and it becomes a comment
	insteadOfNull // an explicit null in flow style: instead of it
)

// inMap prepares for new text in a mapping.
func (p *place) inMap(n manifest.Node, around surroundings, missing []string) bool {
	p.missing = missing
	first := n.FirstKey()
	if n.IsFlow() {
		p.form, p.at, p.void = inFlow, n.Offset()+1, !first.Valid()
		if !p.void {
			p.at = p.afterBlanks(p.at)
		}
		p.json = p.inJSON(n, first)
		p.mark = p.void && around.firstInFlow() && p.at < len(p.text) && p.text[p.at] == '}'
		return n.Offset() < len(p.text) && p.text[n.Offset()] == '{'
	}
	if !first.Valid() {
		return false
	}
	p.form, p.at = beforeKey, first.Offset()
	return p.indentFrom(first.Offset())
}

// inJSON reports whether a flow mapping is JSON: its first key is in double quotes, or, without entries, that of the
// document. Where that has none either, in braces, it could be, and YAML takes JSON.
func (p *place) inJSON(n, first manifest.Node) bool {
	if !first.Valid() {
		root := n.Document().Root()
		if first = root.FirstKey(); !first.Valid() && root.IsFlow() {
			return true
		}
	}
	return first.Valid() && first.Offset() < len(p.text) && p.text[first.Offset()] == '"'
}

// indentFrom takes the indentation from the key at offset, which only spaces and dashes may precede on its line.
func (p *place) indentFrom(offset int) bool {
	if !p.afterDashes(offset) || !p.oneLine(offset) {
		return false
	}
	p.indent, p.eol = p.column(offset), p.lineBreak(offset)
	return true
}

// inNull prepares for new text instead of a value that is null; its key is in the mapping parent.
func (p *place) inNull(parent, key, n manifest.Node, missing []string) bool {
	p.missing = missing
	if !key.Valid() {
		return false
	}
	if length := n.NullLen(); length > 0 {
		p.at, p.null = n.Offset(), length
		p.form = beforeNull
		// Braces and commas may follow on the line: nothing there can become a comment.
		if parent.IsFlow() || !p.indentFrom(key.Offset()) {
			p.form, p.json = insteadOfNull, p.text[key.Offset()] == '"'
		}
		return true
	}
	if parent.IsFlow() {
		return false
	}
	end := len(p.text)
	if i := bytes.IndexByte(p.text[key.Offset():], '\n'); i >= 0 {
		end = key.Offset() + i
	}
	line := p.text[key.Offset():end]
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !p.indentFrom(key.Offset()) {
		return false
	}
	if rest := bytes.TrimSpace(line[colon+1:]); len(rest) > 0 && rest[0] != '#' {
		return false // an anchor or a tag
	}
	p.form, p.at = afterColon, end-len(line)+len(bytes.TrimRight(line, "\r"))
	p.indent += bareIndent
	return true
}

// replaces returns how many bytes the new text replaces.
func (p *place) replaces() int {
	if p.form == insteadOfNull {
		return p.null
	}
	return 0
}

// entries returns the new text for entries.
func (p *place) entries(entries []Entry) string {
	var b strings.Builder
	b.Grow(p.sizeOf(entries))
	p.begin(&b)
	if p.inBlock() {
		p.block(&b, entries)
	} else {
		p.flow(&b, entries)
	}
	p.end(&b)
	return b.String()
}

// sizeOf returns about how long the new text for entries is: shorter only where a key or value is written in another
// way than it is.
func (p *place) sizeOf(entries []Entry) int {
	const punctuation = 8 // quotes, colon, comma or line break, braces
	size, around := 0, p.indent+newIndent*len(p.missing)+punctuation
	for _, key := range p.missing {
		size += len(key) + around
	}
	for _, e := range entries {
		size += len(e.Key) + len(e.Value) + around
	}
	return size + p.indent + punctuation
}

// field returns the new text for a field.
func (p *place) field(f field) string {
	for _, key := range slices.Backward(p.missing) {
		f = field{key, value{kind: manifest.Other, isMap: true, fields: []field{f}}}
	}
	if !p.inBlock() {
		return p.wrap(f.flow(p.json))
	}
	if p.form == afterColon && (p.lineAfter(p.at) == len(p.text) && p.noFinalBreak() ||
		p.deeper(p.lineAfter(p.at), p.indent)) {
		f.value = f.value.withoutLiterals()
	}
	return p.wrap(p.lines(f.lines(), p.indent, p.eol))
}

// inBlock reports whether new text is a block, and not between braces.
func (p *place) inBlock() bool { return p.form == beforeKey || p.form == afterColon }

// wrap returns new text with what joins it to the old.
func (p *place) wrap(text string) string {
	var b strings.Builder
	p.begin(&b)
	b.WriteString(text)
	p.end(&b)
	return b.String()
}

// begin writes what joins new text to the old before it.
func (p *place) begin(b *strings.Builder) {
	switch {
	case p.form == afterColon:
		p.lineBreakTo(b, p.indent)
	case p.form == beforeNull:
		b.WriteByte('{')
	case p.form == insteadOfNull:
		b.WriteByte('{')
		b.WriteString(blanksFor(string(p.text[p.at : p.at+p.null])))
	case p.mark:
		b.WriteByte(' ')
	}
}

// blanksFor returns the blanks for a spelling, or "" for one that is not known.
func blanksFor(null string) string {
	i := slices.Index(nulls, null)
	if i < 0 {
		return ""
	}
	return strings.Repeat(" ", fewestBlanks+i)
}

// end writes what joins new text to the old after it.
func (p *place) end(b *strings.Builder) {
	switch p.form {
	case beforeKey:
		p.lineBreakTo(b, p.indent)
	case beforeNull:
		b.WriteString("} # ")
	case insteadOfNull:
		b.WriteByte('}')
	case inFlow:
		switch {
		case p.mark || p.void:
		case p.json || strings.IndexByte(" \r\n", p.text[p.at]) >= 0:
			b.WriteByte(',')
		default:
			b.WriteString(", ")
		}
	}
}

// lineBreakTo ends a line, and indents the next.
func (p *place) lineBreakTo(b *strings.Builder, indent int) {
	b.WriteString(p.eol)
	b.WriteString(strings.Repeat(" ", indent))
}

// block writes the lines of a block, the first without its indentation, the last without its line break.
func (p *place) block(b *strings.Builder, entries []Entry) {
	for i, key := range p.missing {
		if i > 0 {
			p.lineBreakTo(b, p.indent+newIndent*i)
		}
		b.WriteString(key)
		b.WriteByte(':')
	}
	for i, e := range entries {
		if i > 0 || len(p.missing) > 0 {
			p.lineBreakTo(b, p.indent+newIndent*len(p.missing))
		}
		b.WriteString(p.key(e.Key))
		b.WriteString(": ")
		b.WriteString(word(e.Value, e.Quoted))
	}
}

// flow writes what is between braces.
func (p *place) flow(b *strings.Builder, entries []Entry) {
	quote, comma := "", ", "
	if p.json {
		quote, comma = `"`, ","
	}
	for _, key := range p.missing {
		b.WriteString(quote + key + quote + p.colon() + "{")
	}
	for i, e := range entries {
		if i > 0 {
			b.WriteString(comma)
		}
		b.WriteString(p.key(e.Key))
		b.WriteString(p.colon())
		b.WriteString(word(e.Value, p.json || e.Quoted))
	}
	b.WriteString(strings.Repeat("}", len(p.missing)))
}

// key writes the key of an entry, which may hold anything.
func (p *place) key(key string) string {
	if !p.json && strings.IndexFunc(key, special) < 0 {
		return key
	}
	if strings.IndexFunc(key, func(r rune) bool { return r >= 0x7f && mustEscape(r) }) >= 0 {
		return quote(key)
	}
	quoted, _ := json.Marshal(key) // of a string, which cannot fail
	return string(quoted)
}

func (p *place) colon() string {
	if p.json {
		return ":"
	}
	return ": "
}
