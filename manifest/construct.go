package manifest

import "bytes"

// Construct returns what of YAML's less usual notation a document has that the strict reader declines, such as "its
// alias *probe", by the first that is found; "" of a document that it reads.
func (d *Document) Construct() string {
	if d.slow == nil {
		return ""
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.kind == aliasNode && d.text[n.start] == '*' {
			return "its alias " + string(word(d.text[n.start:]))
		}
	}
	for i := range d.nodes {
		at := d.text[d.nodes[i].start:]
		if len(at) == 0 {
			continue
		}
		switch at[0] {
		case '&':
			return "its anchor " + string(word(at))
		case '!':
			return "its tag " + string(word(at))
		case '?':
			return "a key that is written with a question mark"
		}
	}
	if d.slow.otherBreaks {
		return "line breaks that other programs do not take for such"
	}
	return ""
}

// word returns what stands before the next blank, line break or sign of a list in brackets.
func word(text []byte) []byte {
	if end := bytes.IndexAny(text, " \t\r\n,]}"); end >= 0 {
		return text[:end]
	}
	return text
}
