package convert

import (
	"bytes"

	"github.com/rollstamp/rollstamp/manifest"
)

// plainly returns a mapping as the strict reader reads it, by itself and at its place in the text, where the rest of
// the document has anchors, tags or irregular indentation. It is none where the mapping has some, or where an alias
// shows it in another place.
func plainly(s manifest.Node) manifest.Node {
	if !s.IsMap() || s.IsAliased() || !s.FirstKey().Valid() {
		return manifest.Node{}
	}
	text := s.Document().Text()
	from, end := s.FirstKey().Offset(), 0
	if s.IsFlow() {
		from = s.Offset()
		end = flowEnd(text, from)
	} else {
		end = blockEnd(text, from)
	}
	for d, err := range manifest.Documents(alone(text, from, end), "") {
		if err != nil || !d.Fast() {
			break
		}
		if own := d.Clone().Root(); own.IsFlow() == s.IsFlow() && own.Offset() == from && isSame(own, s) {
			return own
		}
	}
	return manifest.Node{}
}

// alone returns a text up to an offset, with blanks instead of what is before another one: the lines stay.
func alone(text []byte, from, end int) []byte {
	out := bytes.Repeat([]byte(" "), end)
	for i, b := range text[:from] {
		if b == '\n' {
			out[i] = b
		}
	}
	copy(out[from:end], text[from:end])
	return out
}

// blockEnd returns where a mapping in block style ends that begins at an offset: at the first line that begins further
// to the left, and is neither empty nor a comment.
func blockEnd(text []byte, from int) int {
	indent := column(text, from)
	for at := from; ; {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		line = bytes.TrimRight(line, " \r")
		content := bytes.TrimLeft(line, " ")
		if len(content) > 0 && content[0] != '#' && len(line)-len(content) < indent {
			return at
		}
	}
}

// flowEnd returns where what is in brackets ends that begins at an offset. In a text with a comment it may be wrong.
func flowEnd(text []byte, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0:
			if b == '\\' && quote == '"' {
				i++
			} else if b == quote {
				quote = 0
			}
		case b == '"', b == '\'':
			quote = b
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// isSame reports whether two nodes hold the same.
func isSame(a, b manifest.Node) bool {
	switch {
	case a.IsMap() && b.IsMap():
		n := 0
		for key, value := range a.Entries() {
			n++
			k, other := b.OwnEntry(key.Text())
			if !k.Valid() || !isSame(value, other) {
				return false
			}
		}
		return n == b.Len()
	case a.IsSeq() && b.IsSeq():
		n := 0
		for item := range a.Items() {
			if !isSame(item, b.Item(n)) {
				return false
			}
			n++
		}
		return n == b.Len()
	case a.IsScalar() && b.IsScalar():
		return a.Type() == b.Type() && a.Text() == b.Text()
	}
	return false
}
