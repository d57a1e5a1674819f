package manifest

import "bytes"

// parser is the strict reader. Every method that reads returns false where it declines; the YAML library decides then.
// It must never take what the library would refuse, nor read anything differently.
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
	maxDepth   = 200  // deeper nesting is the library's
	maxKey     = 1000 // the library takes keys of less than 1024 characters
	maxOffsets = 1 << 31
)

// document reads the document up to the next marker, where it leaves end. start is the offset of its "---" line, p
// stands after the marker. The text must be readable.
func (r *parser) document(start int) bool {
	if r.end >= maxOffsets {
		return false
	}
	r.ls = r.p
	if r.p > start && r.p >= 3 && r.s[r.p-1] == '-' {
		r.ls = start
		if !r.restOfLine() {
			return false
		}
	}
	if !r.indentation() {
		return false
	}
	if r.col < 0 {
		// A "..." that ends nothing is an error to the library.
		return !bytes.Contains(r.s[start:r.end], []byte("..."))
	}
	return r.blockNode(-1) && r.col < 0
}

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

// restOfLine takes spaces and a comment after a token, to the start of the next line.
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

// blockNode reads the node at p, on a line of its own, below a collection at column parent.
func (r *parser) blockNode(parent int) bool {
	if r.dash(r.p) {
		return r.blockSeq(r.col)
	}
	colon, ok := r.keyEnd()
	if !ok {
		return false
	}
	if colon >= 0 {
		return r.blockMap(r.col, colon)
	}
	return r.inline(parent)
}

func (r *parser) blockMap(col, colon int) bool {
	if r.depth++; r.depth > maxDepth {
		return false
	}
	m := r.push(node{start: int32(r.p), kind: mapNode, style: block})
	for {
		if !r.key(colon) || !r.mapValue(col) {
			return false
		}
		if r.col != col {
			break
		}
		var ok bool
		if colon, ok = r.keyEnd(); !ok || colon < 0 {
			return false
		}
	}
	r.depth--
	r.pop(m, r.ls)
	return r.col < col
}

// keyEnd returns the offset of the ':' after the key that begins at p, or -1 where no key begins there.
func (r *parser) keyEnd() (int, bool) {
	i := r.p
	switch b := r.s[i]; b {
	case '"', '\'':
		end, lines, ok := r.quoted(i)
		if !ok {
			return 0, false
		}
		for r.at(end) == ' ' {
			end++
		}
		if r.at(end) != ':' {
			return -1, true
		}
		return end, !lines && r.blank(end+1) && end-i < maxKey
	case '{', '[', '|', '>':
		return -1, true
	case '-':
		if r.blank(i + 1) {
			return 0, false
		}
	case '?', ':', ',', ']', '}', '#', '&', '*', '!', '%', '@', '`':
		return 0, false
	}
	s := r.s[:r.end]
	for ; i < len(s); i++ {
		switch s[i] {
		case ':':
			if r.blank(i + 1) {
				return i, i-r.p < maxKey
			}
			if s[i+1] == '\t' {
				return 0, false
			}
		case '#':
			if s[i-1] == ' ' {
				return -1, true
			}
		case '\t':
			return 0, false
		case '\n', '\r':
			return -1, true
		}
	}
	return -1, true
}

// key takes the key at p, whose ':' is at colon.
func (r *parser) key(colon int) bool {
	end := colon
	for r.s[end-1] == ' ' {
		end--
	}
	st := plain
	switch r.s[r.p] {
	case '"':
		st = double
	case '\'':
		st = single
	case '<':
		if end-r.p == 2 && r.s[r.p+1] == '<' {
			return false
		}
	}
	r.scalar(r.p, end, st)
	r.p = colon + 1
	return true
}

// mapValue reads the value after the ':' of a key at column col.
func (r *parser) mapValue(col int) bool {
	colon := r.p
	for r.p < r.end && r.s[r.p] == ' ' {
		r.p++
	}
	if !r.lineEnds(r.p) && r.s[r.p] != '#' {
		if r.dash(r.p) {
			return false
		}
		return r.inline(col)
	}
	r.p = colon
	if !r.nextToken() {
		return false
	}
	switch {
	case r.col > col:
		return r.blockNode(col)
	case r.col == col && r.dash(r.p):
		return r.blockSeq(col)
	}
	r.scalar(colon, colon, absent)
	return true
}

func (r *parser) blockSeq(col int) bool {
	if r.depth++; r.depth > maxDepth {
		return false
	}
	m := r.push(node{start: int32(r.p), kind: seqNode, style: block})
	for r.col == col && r.dash(r.p) {
		if !r.seqItem(col) {
			return false
		}
	}
	r.depth--
	r.pop(m, r.ls)
	return r.col <= col
}

func (r *parser) seqItem(col int) bool {
	after := r.p + 1
	r.p = after
	for r.p < r.end && r.s[r.p] == ' ' {
		r.p++
	}
	if !r.lineEnds(r.p) && r.s[r.p] != '#' {
		r.col = r.p - r.ls
		if r.s[r.p] == '\t' {
			return false
		}
		return r.blockNode(col)
	}
	r.p = after
	if !r.nextToken() {
		return false
	}
	if r.col > col {
		return r.blockNode(col)
	}
	r.scalar(after, after, absent)
	return true
}

// inline reads a value that begins at p and is no block collection; its further lines lie right of column parent.
func (r *parser) inline(parent int) bool {
	switch b := r.s[r.p]; b {
	case '|', '>':
		return r.blockScalar(parent)
	case '"', '\'':
		return r.quotedValue(parent)
	case '{', '[':
		return r.flowNode() && r.nextToken()
	case '?', ',', ']', '}', '#', '&', '*', '!', '%', '@', '`', '\t':
		return false
	case '-', ':':
		if r.blank(r.p+1) || r.at(r.p+1) == '\t' {
			return false
		}
	}
	return r.plainValue(parent)
}

// plainLine returns where the plain text of the line ends, and whether a comment ends it.
func (r *parser) plainLine(i int) (end int, comment, ok bool) {
	s, from := r.s[:r.end], i
	for ; i < len(s); i++ {
		switch s[i] {
		case ':':
			if r.blank(i+1) || s[i+1] == '\t' {
				return 0, false, false
			}
		case '#':
			if i > from && s[i-1] == ' ' {
				comment = true
				goto ended
			}
		case '\t':
			return 0, false, false
		case '\n', '\r':
			goto ended
		}
	}
ended:
	r.p = i
	for i > from && s[i-1] == ' ' {
		i--
	}
	return i, comment, true
}

func (r *parser) plainValue(parent int) bool {
	start := r.p
	end, comment, ok := r.plainLine(start)
	if !ok {
		return false
	}
	st := plain
	for {
		// restOfLine wants to see the space before a comment
		r.p = end
		if !r.restOfLine() {
			return false
		}
		line := r.p
		if !r.indentation() {
			return false
		}
		if r.col <= parent {
			break
		}
		if comment || bytes.IndexByte(r.s[line:r.ls], '#') >= 0 {
			return false // text after a comment cannot go on
		}
		st = plainLines
		if end, comment, ok = r.plainLine(r.p); !ok {
			return false
		}
	}
	r.scalar(start, end, st)
	return true
}
