package manifest

import "bytes"

// parser is the strict reader. Every method that reads returns false where it declines; the YAML library decides then.
// It must never accept what the library would refuse, nor read anything differently.
type parser struct {
	s     []byte
	p     int // the next byte
	end   int // the end of the text; of the document, as soon as its end has been met
	ls    int // where the line of p begins
	col   int // the column of the token at p; -1 at the end of the document
	depth int
	nodes []node
}

const (
	maxDepth = 200  // deeper nesting is left to the library
	maxKey   = 1000 // the library accepts keys of less than 1024 characters
)

func (r *parser) push(n node) int {
	r.nodes = append(r.nodes, n)
	return len(r.nodes) - 1
}

func (r *parser) pop(i int, end int) {
	r.nodes[i].end = int32(end)
	r.nodes[i].aux = int32(len(r.nodes))
}

func (r *parser) scalar(start, end int, s style) {
	r.push(node{start: int32(start), end: int32(end), style: s})
}

// at returns the byte at i, or a line feed at the end of the document.
func (r *parser) at(i int) byte {
	if i < r.end {
		return r.s[i]
	}
	return '\n'
}

// lineEnds reports whether the line ends at i.
func (r *parser) lineEnds(i int) bool { b := r.at(i); return b == '\n' || b == '\r' }

// blank reports whether a space or the end of the line is at i. Tabs are declined where they are met.
func (r *parser) blank(i int) bool { b := r.at(i); return b == ' ' || b == '\n' || b == '\r' }

// dash reports whether a block sequence's "- " is at i.
func (r *parser) dash(i int) bool { return r.at(i) == '-' && r.blank(i+1) }

// indentation goes from the start of a line to the next token, over blank lines and comments.
func (r *parser) indentation() bool {
	i, s, end := r.p, r.s, r.end
	for i < end {
		ls := i
		for i < end && s[i] == ' ' {
			i++
		}
		if i == end {
			break
		}
		switch s[i] {
		case '\n':
			i++
		case '\r':
			i += 2
		case '\t':
			return false
		case '#':
			i = r.lineAfter(i)
		case '-', '.':
			if i == ls && separator(s, i, s[i]) {
				return r.finish(i)
			}
			fallthrough
		default:
			r.p, r.ls, r.col = i, ls, i-ls
			return true
		}
	}
	r.p, r.ls, r.col = end, end, -1
	return true
}

// finish ends the document at a marker: before a "---", after the line of a "...".
func (r *parser) finish(i int) bool {
	for i < r.end && r.s[i] == '.' && separator(r.s, i, '.') {
		r.p = i + 3
		if !r.restOfLine() {
			return false
		}
		i = r.p
	}
	r.p, r.ls, r.end, r.col = i, i, i, -1
	return true
}

// marker reports whether the line that starts at i is a document marker.
func (r *parser) marker(i int) bool {
	return i < r.end && (r.s[i] == '-' || r.s[i] == '.') && separator(r.s, i, r.s[i])
}

func (r *parser) lineAfter(i int) int {
	if n := bytes.IndexByte(r.s[i:r.end], '\n'); n >= 0 {
		return i + n + 1
	}
	return r.end
}

// restOfLine skips spaces and a comment after a token, to the start of the next line.
func (r *parser) restOfLine() bool {
	i := r.p
	for i < r.end && r.s[i] == ' ' {
		i++
	}
	switch r.at(i) {
	case '\n':
		r.p = min(i+1, r.end)
		return true
	case '\r':
	case '#':
		if i == r.p {
			return false
		}
	default:
		return false
	}
	r.p = r.lineAfter(i)
	return true
}

func (r *parser) nextToken() bool { return r.restOfLine() && r.indentation() }
