package manifest

import (
	"bytes"
	"unsafe"
)

// Node is a place in a document. The zero Node is not Valid, and each of its methods returns an empty value, so
// that a path can be followed without a check at each step.
type Node struct {
	d *Document
	i int32
}

// Root returns the document's top node. It is not Valid where the document holds nothing but comments.
func (d *Document) Root() Node {
	if len(d.nodes) == 0 {
		return Node{}
	}
	return Node{d, 0}
}

// Valid reports whether there is such a node.
func (n Node) Valid() bool { return n.d != nil }

func (n Node) raw() *node { return &n.d.nodes[n.i] }

// target follows an alias to the node that it refers to.
func (n Node) target() Node {
	for n.d != nil && n.raw().kind == aliasNode {
		n.i = n.raw().aux
	}
	return n
}

// IsMap reports whether the node is a mapping.
func (n Node) IsMap() bool { n = n.target(); return n.Valid() && n.raw().kind == mapNode }

// IsSeq reports whether the node is a sequence.
func (n Node) IsSeq() bool { n = n.target(); return n.Valid() && n.raw().kind == seqNode }

// IsScalar reports whether the node is a scalar, null included.
func (n Node) IsScalar() bool { n = n.target(); return n.Valid() && n.raw().kind == scalarNode }

// Document returns the document that the node lies in.
func (n Node) Document() *Document { return n.d }

// Offset returns where the node begins in the text.
func (n Node) Offset() int {
	if !n.Valid() {
		return 0
	}
	return int(n.raw().start)
}

// SameAs reports whether two nodes are the same place in one document.
func (n Node) SameAs(m Node) bool { return n.d == m.d && n.i == m.i }

func (d *Document) value(i int32) []byte {
	k := &d.nodes[i]
	raw := d.text[k.start:k.end]
	switch k.style {
	case plain:
		return raw
	case plainLines:
		return foldPlain(raw)
	case single:
		return decodeSingle(raw[1 : len(raw)-1])
	case double:
		return decodeDouble(raw[1 : len(raw)-1])
	case literal, folded:
		return decodeBlock(nil, raw, int(k.aux), k.style == folded)
	case decoded:
		return d.slow.values[i]
	}
	return nil
}

// Text returns a scalar's value as written, quotes and folds undone, whatever its type; "" for anything else.
// It shares the text's memory, which never changes.
func (n Node) Text() string { return asText(n.Value()) }

func asText(v []byte) string { return unsafe.String(unsafe.SliceData(v), len(v)) }

// AppendValue returns a scalar's value like Value, and writes it to buf where it is no part of the text. It returns the
// grown buf too.
func (n Node) AppendValue(buf []byte) (value, grown []byte) {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return nil, buf
	}
	if k := n.raw(); k.style == literal || k.style == folded {
		from := len(buf)
		buf = decodeBlock(buf, n.d.text[k.start:k.end], int(k.aux), k.style == folded)
		return buf[from:len(buf):len(buf)], buf
	}
	return n.d.value(n.i), buf
}

// Value returns the same as bytes, which must not be changed: they may be a part of the text.
func (n Node) Value() []byte {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return nil
	}
	return n.d.value(n.i)
}

// Raw returns a scalar as it is written, quotes and line breaks included; of one that the YAML library read, its
// value.
func (n Node) Raw() []byte {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return nil
	}
	if k := n.raw(); k.style != decoded {
		return n.d.text[k.start:k.end]
	}
	return n.d.value(n.i)
}

// Span is a piece of a document's text.
type Span struct{ start, end int32 }

// IsEmpty reports whether nothing is in it.
func (s Span) IsEmpty() bool { return s.start == s.end }

// Span returns where in the text a scalar's value is; ok reports whether it is written there just as it is.
func (n Node) Span() (s Span, ok bool) {
	n = n.target()
	if !n.Valid() || n.raw().kind != scalarNode {
		return Span{}, false
	}
	escapes := "\\\r\n"
	switch k := n.raw(); k.style {
	case plain:
		return Span{k.start, k.end}, true
	case single:
		escapes = "'\r\n"
		fallthrough
	case double:
		s = Span{k.start + 1, k.end - 1}
		return s, !bytes.ContainsAny(n.d.text[s.start:s.end], escapes)
	}
	return Span{}, false
}

// Piece returns what is in a span. It shares the text's memory, which never changes.
func (d *Document) Piece(s Span) string { return asText(d.text[s.start:s.end]) }

// In returns the same place in a clone of the node's document.
func (n Node) In(d *Document) Node { return Node{d, n.i} }

// IsFlow reports whether a mapping or sequence is written in brackets.
func (n Node) IsFlow() bool { n = n.target(); return n.Valid() && n.raw().style == flow }

// IsAliased reports whether the node is an alias, or lies in what an alias elsewhere refers to: text put into it would
// show in two places.
func (n Node) IsAliased() bool {
	if !n.Valid() || n.d.slow == nil {
		return false
	}
	if n.raw().kind == aliasNode {
		return true
	}
	return n.d.slow.shared != nil && n.d.slow.shared[n.i]
}

// End returns where the node ends in the text, 0 where the YAML library read the document: it does not report ends.
func (n Node) End() int {
	if !n.Valid() || n.d.slow != nil {
		return 0
	}
	return int(n.raw().end)
}
