package manifest

import "bytes"

// Construct returns what of YAML's less usual notation a document has that the strict reader declines, such as "its
// alias *probe", by the first that is found, and at which offset of the text it is; "" of a document that it reads.
func (d *Document) Construct() (what string, offset int) {
	if d.slow == nil {
		return "", d.Start
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.kind == aliasNode && d.text[n.start] == '*' {
			return "its alias " + string(word(d.text[n.start:])), int(n.start)
		}
	}
	for i := range d.nodes {
		start := int(d.nodes[i].start)
		at := d.text[start:]
		if len(at) == 0 {
			continue
		}
		switch at[0] {
		case '&':
			return "its anchor " + string(word(at)), start
		case '!':
			return "its tag " + string(word(at)), start
		case '?':
			return "a key that is written with a question mark", start
		}
	}
	if d.slow.otherBreaks {
		return "line breaks that other programs do not take for such", d.Start
	}
	return "", d.Start
}

// word returns what stands before the next blank, line break or sign of a list in brackets.
func word(text []byte) []byte {
	if end := bytes.IndexAny(text, " \t\r\n,]}"); end >= 0 {
		return text[:end]
	}
	return text
}
