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

// bounds finds the end of a value: a word on the line of its key, in quotes or not.
func (e *Existing) bounds(text []byte) bool {
	if e.start < e.keyStart || e.start > len(text) || bytes.IndexByte(text[e.keyStart:e.start], '\n') >= 0 {
		return false
	}
	rest := text[e.start:]
	quoted := rest[:min(len(rest), len(e.Value)+2)]
	if len(quoted) == len(e.Value)+2 && (quoted[0] == '"' || quoted[0] == '\'') {
		e.quote = string(quoted[:1])
		e.end = e.start + len(quoted)
		return string(quoted) == e.quote+e.Value+e.quote
	}
	e.end = e.start + len(e.Value)
	return e.Value != "" && bytes.HasPrefix(rest, []byte(e.Value)) && !strings.ContainsAny(e.Value, "\r\n")
}

// inQuotes writes a value in the quotes of the one that it replaces.
func (e *Existing) inQuotes(value string) string {
	if e.quote == "'" {
		return singleQuote(value)
	}
	return word(value, e.quote != "")
}
