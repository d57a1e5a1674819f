package manifest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// readable reports whether s holds only characters that YAML allows and no line break but LF and CR LF. The other
// breaks of YAML 1.1 (lone CR, NEL, LS, PS) are the library's.
func readable(s []byte) bool {
	i, wide := 0, uint64(0)
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		wide |= w & highs
		control := ^((w | highs) - 0x20*ones) & ^w & highs
		if (control&^is(w, '\n')|is(w, 0x7f)) != 0 && !printable(s, i, i+8) {
			return false
		}
	}
	if !printable(s, i, len(s)) {
		return false
	}
	for _, b := range s[i:] {
		wide |= uint64(b & 0x80)
	}
	return wide == 0 || utf8.Valid(s) && !hasOtherRunes(s)
}

// is marks the bytes of a word that are b, each by its highest bit. No byte changes the mark of another, so that the
// word before the spaces of the next line passes.
func is(w uint64, b byte) uint64 {
	const lows = ^uint64(highs)
	w ^= uint64(b) * ones
	return ^(((w & lows) + lows) | w) & highs
}

func printable(s []byte, i, end int) bool {
	for ; i < end; i++ {
		switch b := s[i]; {
		case b >= 0x20 && b != 0x7f, b == '\n', b == '\t':
		case b == '\r' && i+1 < len(s) && s[i+1] == '\n':
		default:
			return false
		}
	}
	return true
}

// hasOtherRunes reports whether valid UTF-8 holds C1 controls, NEL, LS, PS, byte order marks or non-characters.
func hasOtherRunes(s []byte) bool {
	return has(s, 0xc2, func(t []byte) bool { return t[1] < 0xa0 }) ||
		has(s, 0xe2, func(t []byte) bool { return t[1] == 0x80 && (t[2] == 0xa8 || t[2] == 0xa9) }) ||
		has(s, 0xef, func(t []byte) bool {
			return t[1] == 0xbb && t[2] == 0xbf || t[1] == 0xbf && (t[2] == 0xbe || t[2] == 0xbf)
		})
}

func has(s []byte, lead byte, matches func([]byte) bool) bool {
	for {
		n := bytes.IndexByte(s, lead)
		if n < 0 {
			return false
		}
		s = s[n:]
		if matches(s) {
			return true
		}
		s = s[1:]
	}
}
