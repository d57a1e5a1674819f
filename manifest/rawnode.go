package manifest

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
	decoded // read by the YAML library: the value is in library.values
)

// node is one node of a document, in document order: a map's children are key, value, key, value. There are many, so
// they are small.
type node struct {
	// Of a scalar, with its quotes; of a flow collection, with its brackets; of a block one, from its first key or
	// dash.
	start, end int32
	// Of a map or sequence, the index after the node and all below it; of an alias, that of its target; of a literal or
	// folded scalar, the indentation of the content; of one that the YAML library read, 1 where its type follows from
	// its text.
	aux   int32
	kind  nodeKind
	style style
	merge bool // a map with a "<<" key
}

// maxOffsets is what the length of a text must be below for its offsets to fit into a node.
const maxOffsets = 1 << 31

// nextIndex returns the index after a node and all nodes below it.
func nextIndex(nodes []node, i int32) int32 {
	if n := &nodes[i]; n.kind == mapNode || n.kind == seqNode {
		return n.aux
	}
	return i + 1
}

// isUntyped reports whether the type of a scalar follows from its text.
func (k *node) isUntyped() bool {
	return k.style == plain || k.style == plainLines || k.style == absent || k.style == decoded && k.aux == 1
}
