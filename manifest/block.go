package manifest

// blockScalar reads a literal or folded scalar whose '|' or '>' is at p, below a collection at column parent.
func (r *parser) blockScalar(parent int) bool {
	start := r.p
	st := literal
	if r.s[start] == '>' {
		st = folded
	}
	i, indent, chomped := start+1, 0, false
	for k := 0; k < 2; k++ {
		switch b := r.at(i); {
		case (b == '+' || b == '-') && !chomped:
			chomped = true
			i++
		case b >= '1' && b <= '9' && indent == 0:
			indent = max(parent, 0) + int(b-'0')
			i++
		}
	}
	r.p = i
	if !r.restOfLine() {
		return false
	}
	first := r.p
	if indent == 0 {
		var ok bool
		if indent, ok = r.contentIndent(first, parent); !ok {
			return false
		}
	}
	end, ok := r.blockEnd(first, indent)
	if !ok {
		return false
	}
	r.push(node{start: int32(start), end: int32(end), aux: int32(indent), style: st})
	r.p = end
	return r.indentation()
}

// contentIndent finds the indentation of a block scalar's first line that is not blank. Blank lines before it that are
// longer make the library think otherwise, so they are declined.
func (r *parser) contentIndent(i, parent int) (int, bool) {
	longest := 0
	for i < r.end {
		ls := i
		for i < r.end && r.s[i] == ' ' {
			i++
		}
		switch {
		case i == r.end || r.lineEnds(i):
			longest = max(longest, i-ls)
			i = r.lineAfter(i)
		case r.s[i] == '\t':
			return 0, false
		default:
			indent := max(i-ls, parent+1, 1)
			return indent, longest <= indent
		}
	}
	return max(longest, parent+1, 1), true
}

// blockEnd returns the start of the first line that is not the block scalar's.
func (r *parser) blockEnd(i, indent int) (int, bool) {
	for i < r.end {
		ls := i
		for i < r.end && i-ls < indent && r.s[i] == ' ' {
			i++
		}
		if i-ls < indent && i < r.end && !r.lineEnds(i) {
			return ls, r.s[i] != '\t'
		}
		i = r.lineAfter(i)
	}
	return r.end, true
}
