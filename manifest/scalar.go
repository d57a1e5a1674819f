package manifest

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// lines returns the lines of s without their ends.
func lines(s []byte) [][]byte {
	ls := bytes.Split(s, []byte{'\n'})
	for i, l := range ls[:len(ls)-1] {
		ls[i] = bytes.TrimSuffix(l, []byte{'\r'})
	}
	return ls
}

const blanks = " \t"

// foldPlain joins the lines of a plain scalar: one break is a space, each further one a line feed.
func foldPlain(s []byte) []byte {
	out := make([]byte, 0, len(s))
	breaks := 0
	for i, l := range lines(s) {
		if i > 0 {
			breaks++
		}
		l = bytes.Trim(l, blanks)
		if len(l) == 0 {
			continue
		}
		out = fold(out, breaks)
		breaks = 0
		out = append(out, l...)
	}
	return out
}

func fold(out []byte, breaks int) []byte {
	if breaks == 1 {
		return append(out, ' ')
	}
	for ; breaks > 1; breaks-- {
		out = append(out, '\n')
	}
	return out
}

func decodeSingle(s []byte) []byte {
	if bytes.IndexByte(s, '\n') >= 0 {
		s = foldQuoted(s)
	}
	if bytes.IndexByte(s, '\'') < 0 {
		return s
	}
	return bytes.ReplaceAll(s, []byte("''"), []byte("'"))
}

// foldQuoted folds the lines of a single-quoted scalar; unlike a plain one it may begin or end with a break.
func foldQuoted(s []byte) []byte {
	out := make([]byte, 0, len(s))
	ls := lines(s)
	breaks := 0
	for i, l := range ls {
		if i > 0 {
			breaks++
			l = bytes.TrimLeft(l, blanks)
		}
		if i < len(ls)-1 {
			l = bytes.TrimRight(l, blanks)
			if len(l) == 0 && i > 0 {
				continue
			}
		}
		out = fold(out, breaks)
		breaks = 0
		out = append(out, l...)
	}
	return out
}

func decodeDouble(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '\n') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	keep := 0 // what an escape wrote is not trimmed at the end of the line
	for i := 0; i < len(s); {
		switch b := s[i]; b {
		case '\\':
			out, i = escape(out, s, i)
			keep = len(out)
		case '\n', '\r':
			end := len(out)
			for end > keep && (out[end-1] == ' ' || out[end-1] == '\t') {
				end--
			}
			out, i = foldDouble(out[:end], s, i, 0)
			keep = len(out)
		default:
			out = append(out, b)
			i++
		}
	}
	return out
}

// foldDouble takes the line breaks and indentation from i on; escaped is 1 where the first break was escaped away.
func foldDouble(out, s []byte, i, escaped int) ([]byte, int) {
	breaks := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		if s[i] == '\n' {
			breaks++
		}
		i++
	}
	if escaped == 1 {
		for ; breaks > 0; breaks-- {
			out = append(out, '\n')
		}
		return out, i
	}
	return fold(out, breaks), i
}

func escape(out, s []byte, i int) ([]byte, int) {
	switch b := s[i+1]; b {
	case 'n':
		return append(out, '\n'), i + 2
	case 't':
		return append(out, '\t'), i + 2
	case 'r':
		return append(out, '\r'), i + 2
	case 'b':
		return append(out, '\b'), i + 2
	case 'f':
		return append(out, '\f'), i + 2
	case 'u':
		r := codeUnit(s[i+2 : i+6])
		if utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, utf16.DecodeRune(r, codeUnit(s[i+8:i+12]))), i + 12
		}
		return utf8.AppendRune(out, r), i + 6
	case '\n':
		return foldDouble(out, s, i+2, 1)
	case '\r':
		return foldDouble(out, s, i+3, 1)
	default:
		return append(out, b), i + 2
	}
}

// codeUnit reads four hexadecimal digits.
func codeUnit(s []byte) rune {
	r, _ := strconv.ParseUint(string(s), 16, 32)
	return rune(r)
}

// decodeBlock returns the value of a block scalar from its whole text, header line first. A line of at most indent
// spaces is blank; in a folded one, lines that begin with a blank keep the breaks around them. The value is appended to
// out.
func decodeBlock(out, s []byte, indent int, isFolded bool) []byte {
	head := nextLine(s, 0)
	header := s[:head]
	if n := bytes.IndexByte(header, '#'); n >= 0 {
		header = header[:n]
	}
	strip, keep := bytes.IndexByte(header, '-') >= 0, bytes.IndexByte(header, '+') >= 0
	out = slices.Grow(out, len(s)-head)
	blankLines, broken, wasBlank := 0, false, false
	for i := head; i < len(s); {
		n := nextLine(s, i)
		l := s[i:n]
		i = n
		ended := l[len(l)-1] == '\n'
		if ended {
			l = bytes.TrimSuffix(l[:len(l)-1], []byte{'\r'})
		}
		k := 0
		for k < len(l) && k < indent && l[k] == ' ' {
			k++
		}
		l = l[k:]
		if len(l) == 0 {
			if ended {
				blankLines++
			}
			continue
		}
		isBlank := l[0] == ' ' || l[0] == '\t'
		if broken && (!isFolded || wasBlank || isBlank) {
			out = append(out, '\n')
		} else if broken && blankLines == 0 {
			out = append(out, ' ')
		}
		out = appendBreaks(out, blankLines)
		out = append(out, l...)
		blankLines, broken, wasBlank = 0, ended, isBlank
	}
	if broken && !strip {
		out = append(out, '\n')
	}
	if keep {
		out = appendBreaks(out, blankLines)
	}
	return out
}

func appendBreaks(out []byte, n int) []byte {
	for ; n > 0; n-- {
		out = append(out, '\n')
	}
	return out
}
