package manifest

import "bytes"

// fewKeys is how many keys can be compared one by one at less cost than a map's.
const fewKeys = 64

// duplicate returns the second of two entries of the mapping that have one key, or an invalid Node. The caller passes
// memory for the keys that were seen: it runs over every mapping that matters. A bit for each key seen spares most of
// the comparing.
func (n Node) duplicate(keys []int32) Node {
	if !n.Valid() || n.raw().kind != mapNode {
		return Node{}
	}
	var seen uint64
	nodes, end := n.d.nodes, n.raw().aux
	for i := n.i + 1; i < end; i = nextIndex(nodes, nextIndex(nodes, i)) {
		if len(keys) == cap(keys) {
			return n.duplicateOfMany()
		}
		if bit := n.d.keyBit(i); seen&bit == 0 {
			seen |= bit
		} else {
			for _, k := range keys {
				if n.d.sameKey(&nodes[k], &nodes[i], k, i) {
					return Node{n.d, i}
				}
			}
		}
		keys = append(keys, i)
	}
	return Node{}
}

// keyBit returns one of 64 bits for a key; two keys that are the same have the same.
func (d *Document) keyBit(i int32) uint64 {
	b := d.value(i)
	if len(b) == 0 {
		return 1
	}
	return 1 << ((uint(len(b))*7 + uint(b[0]) + uint(b[len(b)-1])*5 + uint(b[len(b)/2])*11) & 63)
}

func (n Node) duplicateOfMany() Node {
	seen := map[string]struct{}{}
	for k := range n.ownEntries() {
		t := k.Text()
		if _, twice := seen[t]; twice {
			return k
		}
		seen[t] = struct{}{}
	}
	return Node{}
}

func (d *Document) sameKey(x, y *node, i, k int32) bool {
	if x.style == plain && y.style == plain {
		return x.end-x.start == y.end-y.start && d.text[x.start] == d.text[y.start] &&
			bytes.Equal(d.text[x.start:x.end], d.text[y.start:y.end])
	}
	a, b := Node{d, i}, Node{d, k}
	return a.IsScalar() && b.IsScalar() && bytes.Equal(a.Value(), b.Value())
}

// Duplicates returns, for each mapping of the document in which a key is written twice, the second of the two.
func (d *Document) Duplicates() []Node {
	var out []Node
	var buf [fewKeys]int32
	for i := range d.nodes {
		if d.nodes[i].kind == mapNode {
			if n := (Node{d, int32(i)}).duplicate(buf[:0]); n.Valid() {
				out = append(out, n)
			}
		}
	}
	return out
}
