// Package manifest reads streams of Kubernetes documents and changes none of their bytes: where each document lies,
// what it is, and what its fields hold.
//
// Two readers return one answer. The strict reader takes the block and flow style that charts and kustomizations print,
// in one pass and without allocating for each node. What it does not fully understand (anchors, tags, irregular
// indentation) it declines, and the YAML library reads that document; a fuzz test holds the two together.
package manifest

import "slices"

// Document is one document of a stream. Offsets are into the text that a Reader or Parse reads.
type Document struct {
	// Start is the offset of the document's first byte: its "---" line where it has one.
	Start int
	// End is the offset after its last byte: the next separator, or the end of the text.
	End int

	text  []byte
	nodes []node
	slow  *library // set where the YAML library read the document
}

// Fast reports whether the strict reader read the document.
func (d *Document) Fast() bool { return d.slow == nil }

// HasOtherLineBreaks reports whether some line ends with neither LF nor CR LF but a lone CR, NEL, LS or PS, as YAML 1.1
// allows.
func (d *Document) HasOtherLineBreaks() bool { return d.slow != nil && d.slow.otherBreaks }

// Bytes returns the document's bytes, its "---" line included. They must not be changed.
func (d *Document) Bytes() []byte { return d.text[d.Start:d.End] }

// Body returns the document's bytes without a byte order mark and what precedes that.
func (d *Document) Body() []byte { return d.Bytes()[skipMark(d.Bytes()):] }

// Text returns the whole text that the document lies in. It must not be changed.
func (d *Document) Text() []byte { return d.text }

// Clone returns a copy of d that stays valid when the Reader moves on to the next document.
func (d *Document) Clone() *Document {
	c := *d
	c.nodes = slices.Clone(d.nodes)
	return &c
}

// CloneWithout is Clone, with nothing in one mapping or sequence. Nodes up to that one are at the same place in both.
// It is for documents that the strict reader has read.
func (d *Document) CloneWithout(n Node) *Document {
	from, to := n.i+1, n.raw().aux
	c := *d
	c.nodes = make([]node, 0, len(d.nodes)-int(to-from))
	c.nodes = append(append(c.nodes, d.nodes[:from]...), d.nodes[to:]...)
	for i := range c.nodes {
		if k := &c.nodes[i]; (k.kind == mapNode || k.kind == seqNode) && k.aux >= to {
			k.aux -= to - from
		}
	}
	return &c
}
