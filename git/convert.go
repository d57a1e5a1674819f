package git

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
)

// ends is how the lines of a file end where it is checked out.
type ends int

const (
	asStored  ends = iota
	ofMachine      // as this machine's settings say
	carriage       // all with CR LF
)

// ends returns how lines end, and whether that is only for what looks like text.
func (a attributes) ends() (end ends, onlyText bool) {
	text := a["text"]
	if text == noAttribute {
		text = a["crlf"] // its older name
	}
	onlyText = text == "auto" || text == noAttribute && a["eol"] != "crlf"
	switch {
	case text == attributeUnset, a["eol"] == "lf":
		return asStored, false
	case a["eol"] == "crlf":
		return carriage, onlyText
	case text == "input":
		return asStored, false
	}
	return ofMachine, onlyText
}

// withCarriage returns text with CR LF at the ends of its lines. OnlyText leaves alone what is no text, or what has
// such ends already, as Git does where nobody says that a file is text.
func withCarriage(b []byte, end ends, onlyText bool) []byte {
	switch {
	case end != carriage, bytes.IndexByte(b, '\n') < 0, onlyText && (bytes.IndexByte(b, '\r') >= 0 || isBinary(b)):
		return b
	}
	out := make([]byte, 0, len(b)+bytes.Count(b, []byte{'\n'}))
	for i, c := range b {
		if c == '\n' && (i == 0 || b[i-1] != '\r') {
			out = append(out, '\r')
		}
		out = append(out, c)
	}
	return out
}

// isBinary reports whether Git takes what has no CR for something else than text: it has a NUL, or more than one in 128
// bytes is for no printer.
func isBinary(b []byte) bool {
	printable, other := 0, 0
	for i, c := range b {
		switch {
		case c == 0:
			return true
		case c == '\n':
		case c == 0x7f, c < 0x20 && c != '\b' && c != '\t' && c != 0x1b && c != '\f':
			if c != 0x1a || i != len(b)-1 { // DOS ended texts with it
				other++
			}
		default:
			printable++
		}
	}
	return printable>>7 < other
}

// idKeyword is what Git expands where the attribute ident is set.
var idKeyword = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$Id(:[^\n$]*)?\$`)
})

// withID returns text with the name of its content at each keyword. A keyword that another system expanded stays.
func withID(b []byte, hash string) []byte {
	return idKeyword().ReplaceAllFunc(b, func(old []byte) []byte {
		words := strings.TrimSuffix(strings.TrimPrefix(string(old), "$Id:"), "$")
		if strings.HasPrefix(words, " ") && strings.Contains(strings.TrimSuffix(words[1:], " "), " ") {
			return old
		}
		return fmt.Appendf(nil, "$Id: %s $", hash)
	})
}

// encode returns UTF-8 in the encoding of a work tree; not ok for those that are not known here.
func encode(b []byte, encoding string) (out []byte, ok bool) {
	switch strings.ToUpper(encoding) {
	case noAttribute, "TRUE", "FALSE", "UTF-8", "UTF8":
		return b, true
	case "UTF-16LE":
		return inUTF16(b, binary.LittleEndian, false), true
	case "UTF-16BE":
		return inUTF16(b, binary.BigEndian, false), true
	case "UTF-16LE-BOM":
		return inUTF16(b, binary.LittleEndian, true), true
	case "UTF-16BE-BOM":
		return inUTF16(b, binary.BigEndian, true), true
	}
	return nil, false // UTF-16 alone has either order, by the machine
}

// inUTF16 returns UTF-8 in UTF-16, where asked with a mark of the byte order in front.
func inUTF16(b []byte, order binary.AppendByteOrder, mark bool) (out []byte) {
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(string(b))) {
		out = order.AppendUint16(out, u)
	}
	return out
}
