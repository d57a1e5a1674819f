package splice

import (
	"bytes"
	"strings"
)

// Claim says what may become of an entry that is in the text.
type Claim uint8

const (
	// Foreign entries stay.
	Foreign Claim = iota
	// Removable entries may be removed, and stay where they are written in a way that cannot be cut out.
	Removable
	// Owned entries may be removed and changed. One that is written in a way that cannot be cut out makes the slot
	// ErrNotInPlace.
	Owned
)

// Existing is a claimed entry that is in the text.
type Existing struct {
	Key, Value string
	Claim      Claim

	start, end int // of the value
	keyStart   int
	quote      string
}

// Entry is a key with a string value that is to be in the text.
type Entry struct {
	Key, Value string
	Quoted     bool // in double quotes; a value that is there keeps its style
}

// bounds finds the end of a value: a word, in quotes or not, or a block scalar with one line.
func (e *Existing) bounds(text []byte) bool {
	if e.start < e.keyStart || e.start > len(text) || !follows(text[e.keyStart:e.start]) {
		return false
	}
	rest := text[e.start:]
	if len(rest) > 0 && (rest[0] == '|' || rest[0] == '>') {
		return e.blockBounds(rest)
	}
	quoted := rest[:min(len(rest), len(e.Value)+2)]
	if len(quoted) == len(e.Value)+2 && (quoted[0] == '"' || quoted[0] == '\'') {
		e.quote = string(quoted[:1])
		e.end = e.start + len(quoted)
		return string(quoted) == e.quote+e.Value+e.quote
	}
	e.end = e.start + len(e.Value)
	return e.Value != "" && bytes.HasPrefix(rest, []byte(e.Value)) && !strings.ContainsAny(e.Value, "\r\n")
}

// follows reports whether a value comes right after its key and colon: on the line of the key, or with nothing but
// blanks before it on the next ones.
func follows(key []byte) bool {
	end := bytes.IndexByte(key, '\n')
	if end < 0 {
		return true
	}
	return bytes.HasSuffix(bytes.TrimRight(key[:end], " \t\r"), []byte(":")) && len(bytes.TrimSpace(key[end:])) == 0
}

// blockBounds finds the end of a block scalar that holds the value on one line, without the break of that line.
func (e *Existing) blockBounds(rest []byte) bool {
	header, body, ok := bytes.Cut(rest, []byte("\n"))
	value := strings.TrimRight(e.Value, "\n")
	if !ok || bytes.IndexByte(header, '#') >= 0 || value == "" || strings.Contains(value, "\n") {
		return false
	}
	line := body
	if i := bytes.IndexByte(body, '\n'); i >= 0 {
		line = body[:i]
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	e.end = e.start + len(header) + len("\n") + len(line)
	return string(bytes.TrimLeft(line, " ")) == value
}

// inQuotes writes a value in the quotes of the one that it replaces.
func (e *Existing) inQuotes(value string) string {
	if e.quote == "'" {
		return singleQuote(value)
	}
	return word(value, e.quote != "")
}
