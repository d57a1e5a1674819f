package manifest

// flowNode reads the flow mapping or sequence at p and stops after its closing bracket.
func (r *parser) flowNode() bool {
	if r.depth++; r.depth > maxDepth {
		return false
	}
	kind, closing := mapNode, byte('}')
	if r.s[r.p] == '[' {
		kind, closing = seqNode, ']'
	}
	m := r.push(node{start: int32(r.p), kind: kind, style: flow})
	r.p++
	for {
		r.flowSpace()
		if r.p >= r.end {
			return false
		}
		if r.s[r.p] == closing {
			break
		}
		if kind == mapNode && !r.flowKey() || !r.flowValue(kind) {
			return false
		}
		r.flowSpace()
		if r.at(r.p) == ',' {
			r.p++
		} else if r.at(r.p) != closing {
			return false
		}
	}
	r.p++
	r.depth--
	r.pop(m, r.p)
	return true
}

// flowSpace skips spaces, tabs and line breaks. Comments are declined, since no token begins with '#', and so are lines
// that begin with a tab: the YAML library refuses some of them.
func (r *parser) flowSpace() {
	for r.p < r.end {
		switch r.s[r.p] {
		case '\n':
			if r.p++; r.marker(r.p) || r.startsWithTab(r.p) {
				r.end = r.p // what is open here cannot go on
			}
		case ' ', '\r', '\t':
			r.p++
		default:
			return
		}
	}
}

// startsWithTab reports whether the first character at i that is no space is a tab.
func (r *parser) startsWithTab(i int) bool {
	for r.at(i) == ' ' {
		i++
	}
	return r.at(i) == '\t'
}

// flowKey reads a key and the ':' after it, to the value; or a key without both, to what ends the entry.
func (r *parser) flowKey() bool {
	start := r.p
	quoted := r.s[r.p] == '"' || r.s[r.p] == '\''
	if !r.flowScalar() {
		return false
	}
	for r.at(r.p) == ' ' {
		r.p++
	}
	if k := r.nodes[len(r.nodes)-1]; k.style == plain && string(r.s[k.start:k.end]) == "<<" {
		return false
	}
	if r.endsAfterKey() {
		return r.p-start < maxKey
	}
	if r.at(r.p) != ':' || r.p-start >= maxKey || !quoted && !r.blank(r.p+1) {
		return false
	}
	r.p++
	r.flowSpace()
	return r.p < r.end
}

// flowValue reads an item, or the value of an entry, which may not be written.
func (r *parser) flowValue(of nodeKind) bool {
	switch b := r.s[r.p]; {
	case b == '{' || b == '[':
		return r.flowNode()
	case of == mapNode && r.endsEntry():
		r.scalar(r.p, r.p, absent)
		return true
	}
	return r.flowScalar()
}

// endsAfterKey reports whether an entry ends with its key, and goes to what ends it then.
func (r *parser) endsAfterKey() bool {
	p, end := r.p, r.end
	if r.flowSpace(); r.p < r.end && r.endsEntry() {
		return true
	}
	r.p, r.end = p, end
	return false
}

// endsEntry reports whether what ends an entry of a flow mapping is at p.
func (r *parser) endsEntry() bool { b := r.at(r.p); return b == ',' || b == '}' }

func (r *parser) flowScalar() bool {
	start := r.p
	switch b := r.s[start]; b {
	case '"', '\'':
		end, lines, ok := r.quotedEnd(start)
		if !ok || lines {
			return false
		}
		st := double
		if b == '\'' {
			st = single
		}
		r.scalar(start, end, st)
		r.p = end
		return true
	case '?', ':', ',', ']', '}', '#', '&', '*', '!', '%', '@', '`', '|', '>', '=':
		return false
	case '-':
		if r.blank(start + 1) {
			return false
		}
	}
	i := start
scan:
	for ; i < r.end; i++ {
		switch r.s[i] {
		case ',', '[', ']', '{', '}', '\n', '\r':
			break scan
		case ':':
			if r.blank(i + 1) {
				break scan
			}
			if n := r.at(i + 1); n != '/' && (n < '0' || n > '9') && (n|0x20 < 'a' || n|0x20 > 'z') {
				return false
			}
		case '?', '\t':
			return false
		case '#':
			if r.s[i-1] == ' ' {
				return false
			}
		}
	}
	r.p = i
	for i > start && r.s[i-1] == ' ' {
		i--
	}
	r.scalar(start, i, plain)
	return i > start
}
