package manifest

import (
	"bytes"
	"unsafe"
)

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mapNode
	seqNode
	aliasNode
)

type style uint8

const (
	plain      style = iota // one line, the bytes are the value
	plainLines              // over several lines
	single
	double
	literal
	folded
	absent // a value that is not written
	flow   // of maps and sequences
	block
	decoded // the YAML library's: the value is in library.values
)

// node is one node of a document, in document order: a map's children are key, value, key, value. There are many, so
// they are small.
type node struct {
	start, end int32 // of a scalar, with its quotes; of a flow collection, with its brackets; of a block one, from its first key or dash
	// Of a map or sequence, the index after the node and all below it; of an alias, that of its target; of a literal or
	// folded scalar, the indentation of the content; of one that the YAML library read, 1 where its type follows from
	// its text.
	aux   int32
	kind  nodeKind
	style style
	merge bool // a map with a "<<" key
}

// Node is a place in a document. The zero Node is not Valid, and every question to it has an empty answer, so that
// a path can be followed without asking at each step.
type Node struct {
	d *Document
	i int32
}

// Valid reports whether there is such a node.
func (n Node) Valid() bool { return n.d != nil }

// nextIndex returns the index after a node and all nodes below it.
func nextIndex(nodes []node, i int32) int32 {
	if n := &nodes[i]; n.kind == mapNode || n.kind == seqNode {
		return n.aux
	}
	return i + 1
}

func (n Node) raw() *node { return &n.d.nodes[n.i] }

// resolved follows an alias to what it stands for.
func (n Node) resolved() Node {
	for n.d != nil && n.raw().kind == aliasNode {
		n.i = n.raw().aux
	}
	return n
}

// IsMap reports whether the node is a mapping.
func (n Node) IsMap() bool { n = n.resolved(); return n.Valid() && n.raw().kind == mapNode }

// IsSeq reports whether the node is a sequence.
func (n Node) IsSeq() bool { n = n.resolved(); return n.Valid() && n.raw().kind == seqNode }

// IsScalar reports whether the node is a scalar, null included.
func (n Node) IsScalar() bool { n = n.resolved(); return n.Valid() && n.raw().kind == scalarNode }

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

// Get returns the value of a key of a mapping; of a key that is written twice, the last. Merged keys ("<<") count where
// the mapping itself lacks the key.
func (n Node) Get(key string) Node {
	_, v := n.entry(key)
	return v
}

// At follows keys from mapping to mapping.
func (n Node) At(path ...string) Node {
	for _, k := range path {
		n = n.Get(k)
	}
	return n
}

// Len counts the entries of a mapping or the items of a sequence, as written.
func (n Node) Len() int {
	n = n.resolved()
	if !n.Valid() || n.raw().kind != mapNode && n.raw().kind != seqNode {
		return 0
	}
	count := 0
	for i := n.i + 1; i < n.raw().aux; i = nextIndex(n.d.nodes, i) {
		count++
	}
	if n.raw().kind == mapNode {
		count /= 2 // keys and values
	}
	return count
}

// Text returns a scalar's value as written, quotes and folds undone, whatever its type; "" for anything else.
// It shares the text's memory, which never changes.
func (n Node) Text() string { return asText(n.Value()) }

func asText(v []byte) string { return unsafe.String(unsafe.SliceData(v), len(v)) }

// AppendValue returns a scalar's value like Value, and writes it to buf where it is no part of the text. It returns the
// grown buf too.
func (n Node) AppendValue(buf []byte) (value, grown []byte) {
	n = n.resolved()
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
	n = n.resolved()
	if !n.Valid() || n.raw().kind != scalarNode {
		return nil
	}
	return n.d.value(n.i)
}

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

// Raw returns a scalar as it stands in the text, quotes and line breaks and all; of one that the YAML library read, its
// value.
func (n Node) Raw() []byte {
	n = n.resolved()
	if !n.Valid() || n.raw().kind != scalarNode {
		return nil
	}
	if k := n.raw(); k.style != decoded {
		return n.d.text[k.start:k.end]
	}
	return n.d.value(n.i)
}

// In returns the same place in a clone of the node's document.
func (n Node) In(d *Document) Node { return Node{d, n.i} }

// IsFlow reports whether a mapping or sequence is written in brackets.
func (n Node) IsFlow() bool { n = n.resolved(); return n.Valid() && n.raw().style == flow }

// IsAliased reports whether the node is an alias, or lies in what an alias elsewhere stands for: text put into it would
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

// NullLen returns the length of a null that is spelled out ("null", "~"), 0 for any other value and for a null that is
// not written.
func (n Node) NullLen() int {
	if n.Type() != Null || n.raw().style == absent {
		return 0
	}
	text := n.d.text[n.raw().start:]
	for _, w := range []string{"null", "Null", "NULL", "~"} {
		if bytes.HasPrefix(text, []byte(w)) {
			return len(w)
		}
	}
	return 0
}
