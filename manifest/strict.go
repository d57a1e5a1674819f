package manifest

import "bytes"

// document reads the document up to the next marker, and sets end to it. start is the offset of its "---" line, p is
// after the marker. The text must be readable.
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
		// To the library, a "..." that ends nothing is an error.
		return !bytes.Contains(r.s[start:r.end], []byte("..."))
	}
	return r.blockNode(-1) && r.col < 0
}

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
		end, lines, ok := r.quotedEnd(i)
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
	case '-', ':':
		if r.blank(i + 1) {
			return 0, false
		}
	case '?', ',', ']', '}', '#', '&', '*', '!', '%', '@', '`':
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

// key reads the key at p, whose ':' is at colon.
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
scan:
	for ; i < len(s); i++ {
		switch s[i] {
		case ':':
			if r.blank(i+1) || s[i+1] == '\t' {
				return 0, false, false
			}
		case '#':
			if i > from && s[i-1] == ' ' {
				comment = true
				break scan
			}
		case '\t':
			return 0, false, false
		case '\n', '\r':
			break scan
		}
	}
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
