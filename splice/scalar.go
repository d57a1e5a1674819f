package splice

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/manifest"
)

// SetString returns the edits after which a scalar is a string with this value. It keeps its quotes, and a block scalar
// stays one, where the value can be written so. The error is ErrNotInPlace or a *ShapeError.
func SetString(n manifest.Node, s string) ([]Edit, error) {
	switch {
	case !n.Valid() || !n.Document().Fast():
		return nil, ErrNotInPlace
	case !utf8.ValidString(s):
		return nil, errInvalid
	case !n.IsScalar():
		return nil, &ShapeError{Want: "a scalar"}
	}
	if t, text := n.TypeAndText(); t == manifest.String && text == s {
		return nil, nil
	}
	src := sourceOf(n)
	start, end := n.Offset(), n.End()
	if start == end && start < len(src.text) && strings.IndexByte(",}", src.text[start]) >= 0 {
		return nil, ErrNotInPlace // a key without a value between braces, which may have no colon
	}
	if start == end {
		return []Edit{{start, end, " " + word(s, false)}}, nil
	}
	switch src.text[start] {
	case '"':
		return []Edit{{start, end, quote(s)}}, nil
	case '\'':
		return []Edit{{start, end, singleQuote(s)}}, nil
	case '|', '>':
		return []Edit{src.replaceBlockScalar(start, end, s)}, nil
	}
	return []Edit{{start, end, word(s, n.Type() != manifest.String && src.inBrackets(start))}}, nil
}

// Word returns the edit that replaces a string that is written at offset as it is, in quotes or not, and reports
// whether it is. The new one is written as it is, too.
func Word(text []byte, offset int, old, s string) (Edit, bool) {
	if offset >= len(text) {
		return Edit{}, false
	}
	if q := text[offset]; q == '"' || q == '\'' {
		offset++
		ok := bytes.HasPrefix(text[offset:], []byte(old+string(q)))
		return Edit{offset, offset + len(old), s}, ok
	}
	rest, ok := bytes.CutPrefix(text[offset:], []byte(old))
	ok = ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n,]}"), rest[0]) >= 0)
	return Edit{offset, offset + len(old), s}, ok
}

// inBrackets reports whether a scalar follows a key in double quotes, or is in brackets.
func (s source) inBrackets(offset int) bool {
	before := bytes.TrimRight(s.text[:offset], " \t\r\n")
	if before = bytes.TrimSuffix(before, []byte{':'}); len(before) == 0 {
		return false
	}
	return strings.IndexByte(`"[,`, before[len(before)-1]) >= 0
}

// replaceBlockScalar replaces a literal or folded scalar: with a literal one where that can hold the string, or with
// quotes. A comment after its header and blank lines below it stay.
func (s source) replaceBlockScalar(start, end int, value string) Edit {
	content := s.lineAfter(start)
	header := string(bytes.TrimRight(s.text[start:content], "\r\n"))
	blanks := len(s.text[content:end]) - len(bytes.TrimLeft(s.text[content:end], " \r\n"))
	margin := s.column(min(content+blanks, end))
	last := s.contentEnd(start, end, margin)
	indicators, comment, _ := strings.Cut(header, " ")
	if comment = strings.TrimRight(comment, " "); comment != "" {
		comment = " " + comment
	}
	final := last < len(s.text)
	ended := strings.HasSuffix(value, "\n")
	lines := strings.Split(strings.TrimSuffix(value, "\n"), "\n")
	explicit := strings.ContainsAny(indicators, "123456789")
	if content+blanks >= end || explicit || !final && ended || !literal(value+"\nx") || lines[len(lines)-1] == "" {
		return Edit{start, last, quote(value) + comment}
	}
	var b strings.Builder
	b.WriteByte('|')
	if !ended {
		b.WriteByte('-')
	}
	b.WriteString(comment)
	for _, line := range lines {
		b.WriteString(s.lineBreak(start))
		if line != "" {
			b.WriteString(strings.Repeat(" ", margin) + line)
		}
	}
	return Edit{start, last, b.String()}
}

// contentEnd returns where the last line of a block scalar ends that is no blank one, without its line break. Its
// content is indented by margin columns.
func (s source) contentEnd(start, end, margin int) int {
	last := s.lineEnd(start)
	for at := s.lineAfter(start); at < end; at = s.lineAfter(at) {
		line := s.text[at:s.lineEnd(at)]
		if len(bytes.Trim(line, " ")) > 0 || len(line) > margin {
			last = at + len(line)
		}
	}
	return last
}
