package splice

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// source is the text that a document is in, with questions about its lines.
type source struct {
	text      []byte
	oddBreaks bool // lines may end in other ways than with LF and CR LF
}

func sourceOf(n manifest.Node) source {
	return source{n.Document().Text(), n.Document().HasOtherLineBreaks()}
}

// lineStart returns where the line of an offset begins.
func (s source) lineStart(offset int) int { return bytes.LastIndexByte(s.text[:offset], '\n') + 1 }

// lineEnd returns where the line of an offset ends, without its line break.
func (s source) lineEnd(offset int) int {
	end := len(s.text)
	if i := bytes.IndexByte(s.text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	if end > offset && s.text[end-1] == '\r' {
		end--
	}
	return end
}

// lineAfter returns where the line after that of an offset begins.
func (s source) lineAfter(offset int) int {
	if i := bytes.IndexByte(s.text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(s.text)
}

// column returns how far an offset is from the beginning of its line.
func (s source) column(offset int) int { return offset - s.lineStart(offset) }

// isIndented reports whether nothing but spaces precedes an offset on its line.
func (s source) isIndented(offset int) bool {
	return len(bytes.Trim(s.text[s.lineStart(offset):offset], " ")) == 0
}

// afterDashes reports whether nothing but spaces and dashes precedes an offset on its line.
func (s source) afterDashes(offset int) bool {
	return len(bytes.Trim(s.text[s.lineStart(offset):offset], " -")) == 0
}

// lineBreak returns how the line of an offset ends: "\n" also for one without an end.
func (s source) lineBreak(offset int) string {
	if end := bytes.IndexByte(s.text[offset:], '\n'); end > 0 && s.text[offset+end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lines joins lines, the first without its indentation, the last without its line break.
func (s source) lines(lines []string, indent int, eol string) string {
	margin := strings.Repeat(" ", indent)
	size := 0
	for _, line := range lines {
		size += len(line) + len(margin) + len(eol)
	}
	var b strings.Builder
	b.Grow(size)
	for i, line := range lines {
		if i > 0 {
			b.WriteString(eol)
			if line != "" {
				b.WriteString(margin)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// oneLine reports whether what is between two line feeds around offset is one line to YAML too.
func (s source) oneLine(offset int) bool {
	if !s.oddBreaks {
		return true
	}
	const most = 64 << 10 // a longer line is not searched for each entry
	from := bytes.LastIndexByte(s.text[max(offset-most, 0):offset], '\n')
	if from < 0 && offset > most {
		return false
	}
	line := s.text[max(offset-most, 0)+from+1:]
	if end := bytes.IndexByte(line[:min(len(line), 2*most)], '\n'); end >= 0 {
		line = line[:end]
	} else if len(line) > 2*most {
		return false
	}
	return !bytes.ContainsAny(bytes.TrimSuffix(line, []byte{'\r'}), "\r\u0085\u2028\u2029")
}

// inBraces reports whether an opening brace is the last thing before an offset.
func (s source) inBraces(offset int) bool {
	before := bytes.TrimRight(s.text[:offset], " \t\r\n")
	return len(before) > 0 && before[len(before)-1] == '{'
}

// afterComma returns the offset after a comma that follows, across blanks, line breaks and comments, or else offset.
func (s source) afterComma(offset int) int {
	for i := offset; i < len(s.text); i++ {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n':
		case '#':
			n := bytes.IndexByte(s.text[i:], '\n')
			if n < 0 || s.oddBreaks {
				return offset
			}
			i += n
		case ',':
			return i + 1
		default:
			return offset
		}
	}
	return offset
}

// afterBrace returns the offset after the closing brace that follows, across what afterComma crosses and a comma, or 0.
func (s source) afterBrace(offset int) int {
	for i := s.afterComma(offset); i < len(s.text); i++ {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n':
		case '#':
			n := bytes.IndexByte(s.text[i:], '\n')
			if n < 0 || s.oddBreaks {
				return 0
			}
			i += n
		case '}':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// afterBlanks returns the offset after blanks, before which nothing can be put that a removal would take for its own;
// where a comment or the end of the line follows them, offset.
func (s source) afterBlanks(offset int) int {
	at := offset
	for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t') {
		at++
	}
	if at == len(s.text) || strings.IndexByte("#\r\n", s.text[at]) >= 0 {
		return offset
	}
	return at
}

// removeLine removes the line of the key at offset, with its line break; after the dash of a list item, only from the
// key on.
func (s source) removeLine(offset int) Edit {
	return s.removeEntry(offset, offset)
}

// removeEntry removes the lines from that of the key at offset to that of end, as removeLine does.
func (s source) removeEntry(offset, end int) Edit {
	start := s.lineStart(offset)
	if !s.isIndented(offset) {
		start = offset
	}
	return Edit{start, s.lineAfter(end), ""}
}

// removeFlow removes an entry or item between brackets with the comma after it, or else the one before it.
func (s source) removeFlow(start, end int) Edit {
	if i := s.afterComma(end); i > end {
		if i < len(s.text) && s.text[i] == ' ' && s.afterBlanks(i) > i {
			i++
		}
		return Edit{start, i, ""}
	}
	before := bytes.TrimRight(s.text[:start], " \t\r\n")
	if len(before) > 0 && before[len(before)-1] == ',' {
		start = len(before) - 1
	}
	return Edit{start, end, ""}
}

// after returns where the line after a node begins. Comments and blank lines below the node are not its own.
func (s source) after(n manifest.Node) int {
	last := leaf(n)
	if s.isBlockScalar(last) {
		return last.End()
	}
	return s.lineAfter(last.End())
}

// leaf returns the last node that is written within n, or n itself.
func leaf(n manifest.Node) manifest.Node {
	for !n.IsFlow() && n.Len() > 0 {
		last := n
		for _, v := range n.Entries() {
			last = v
		}
		for item := range n.Items() {
			last = item
		}
		n = last
	}
	return n
}

func (s source) isBlockScalar(n manifest.Node) bool {
	return n.IsScalar() && n.Offset() < n.End() && (s.text[n.Offset()] == '|' || s.text[n.Offset()] == '>')
}

// endsOpen reports whether a node ends the text without a line break: one that is put after it would belong to a block
// scalar.
func (s source) endsOpen(n manifest.Node) bool {
	return s.noFinalBreak() && s.after(n) == len(s.text) && s.isBlockScalar(leaf(n))
}

func (s source) noFinalBreak() bool { return len(s.text) > 0 && s.text[len(s.text)-1] != '\n' }

// deeper reports whether the next line from offset on that is not empty holds only a comment or blanks, more than
// column columns in: a block scalar that ends at offset would take it for its own.
func (s source) deeper(offset, column int) bool {
	for offset < len(s.text) {
		line := s.text[offset:s.lineEnd(offset)]
		rest := bytes.TrimLeft(line, " ")
		switch indent := len(line) - len(rest); {
		case len(rest) == 0 && indent <= column:
			offset = s.lineAfter(offset)
		case len(rest) == 0 || rest[0] == '#':
			return indent > column
		default:
			return false
		}
	}
	return false
}
