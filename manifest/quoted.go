package manifest

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// quotedValue reads the quoted scalar at p, below a collection at column parent.
func (r *parser) quotedValue(parent int) bool {
	start := r.p
	end, lines, ok := r.quotedEnd(start)
	if !ok {
		return false
	}
	if lines {
		// The library accepts further lines wherever they begin, this reader only those right of the parent.
		for i := r.lineAfter(start); i < end; i = r.lineAfter(i) {
			k := i
			for k < end && r.s[k] == ' ' {
				k++
			}
			if k-i <= parent && !r.lineEnds(k) || r.s[k] == '\t' {
				return false
			}
			r.ls = i
		}
	}
	st := double
	if r.s[start] == '\'' {
		st = single
	}
	r.scalar(start, end, st)
	r.p = end
	return r.nextToken()
}

// quotedEnd returns the offset after the closing quote of the scalar that begins at i, and whether it spans lines.
func (r *parser) quotedEnd(i int) (end int, lines, ok bool) {
	s, quote := r.s[:r.end], r.s[i]
	closing := -1 // a quote on this line that may be the closing one
	for i++; i < len(s); i++ {
		switch b := s[i]; {
		case b == quote:
			if quote == '\'' && r.at(i+1) == '\'' {
				i++
				continue
			}
			return i + 1, lines, true
		case b == '\\' && quote == '"':
			n := escapeLength(s[i:])
			if n == 0 {
				return 0, false, false
			}
			i += n - 1
			if s[i] == '\n' {
				i-- // seen next
			}
		case b == '\n':
			lines = true
			if r.marker(i + 1) {
				return 0, false, false
			}
		case b == '\t' && i > closing:
			// Tabs beside line breaks are the library's.
			n := bytes.IndexByte(s[i:], quote)
			if lines || n < 0 || bytes.IndexByte(s[i:i+n], '\n') >= 0 {
				return 0, false, false
			}
			closing = i + n
		}
	}
	return 0, false, false
}

// escapeLength returns the length of the escape at the start of s, or 0 for those that are rare enough to be the
// library's.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case 'n', 't', 'r', 'b', 'f', '"', '\\', '/', ' ', '\n':
		return 2
	case '\r':
		return 3
	case 'u':
		if len(s) < 6 || !hex(s[2:6]) {
			return 0
		}
		if s[2]|0x20 != 'd' || s[3] < '8' {
			return 6
		}
		// A surrogate is no character, but in JSON a pair of them is one. The library does not accept that, nor
		// "\/".
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' && hex(s[8:12]) &&
			utf16.DecodeRune(codeUnit(s[2:6]), codeUnit(s[8:12])) != utf8.RuneError {
			return 12
		}
	}
	return 0
}

func hex(s []byte) bool {
	for _, b := range s {
		if (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'f') {
			return false
		}
	}
	return true
}
