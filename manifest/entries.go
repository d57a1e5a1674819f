package manifest

import (
	"iter"
	"slices"
)

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
	n = n.target()
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

// Only returns the values of the keys of a mapping; ok reports whether it has some of these and no other, each once.
// There may be tens of thousands of such mappings: it is one pass without a copy.
func (n Node) Only(values []Node, keys ...string) (ok bool) {
	n = n.target()
	if !n.Valid() || n.raw().kind != mapNode || n.raw().merge {
		return false
	}
	nodes, end := n.d.nodes, n.raw().aux
	for i := n.i + 1; i < end; {
		val := nextIndex(nodes, i)
		at := 0
		for at < len(keys) && (values[at].Valid() || !n.d.keyIs(i, keys[at])) {
			at++
		}
		if at == len(keys) {
			return false
		}
		values[at] = Node{n.d, val}
		i = nextIndex(nodes, val)
	}
	return true
}

func (n Node) entry(key string) (k, v Node) {
	n = n.target()
	if !n.Valid() || n.raw().kind != mapNode {
		return Node{}, Node{}
	}
	nodes, end := n.d.nodes, n.raw().aux
	for i := n.i + 1; i < end; {
		val := nextIndex(nodes, i)
		if n.d.keyIs(i, key) {
			k, v = Node{n.d, i}, Node{n.d, val}
		}
		i = nextIndex(nodes, val)
	}
	if !v.Valid() && n.raw().merge {
		for m := range n.mergeSources() {
			if k, v = m.entry(key); v.Valid() {
				return k, v
			}
		}
	}
	return k, v
}

func (d *Document) keyIs(i int32, key string) bool {
	k := &d.nodes[i]
	if k.style == plain {
		return int(k.end-k.start) == len(key) && string(d.text[k.start:k.end]) == key
	}
	return k.kind == scalarNode && string(d.value(i)) == key
}

// mergeSources returns the mappings of the "<<" keys of n, in order of precedence.
func (n Node) mergeSources() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for k, v := range n.ownEntries() {
			if string(k.d.value(k.i)) != "<<" {
				continue
			}
			if v.IsMap() && !yield(v) {
				return
			}
			for m := range v.Items() {
				if m.IsMap() && !yield(m) {
					return
				}
			}
		}
	}
}

// Fields goes through the entries of a mapping as Entries does, without a function call for each: the finder and the
// decoder of content go through every field of every workload.
type Fields struct {
	Key, Value Node
	next, end  int32
	rest       []Fields
}

// Fields begins to go through the entries.
func (n Node) Fields() Fields {
	m := n.target()
	if !m.Valid() || m.raw().kind != mapNode {
		return Fields{}
	}
	if m.raw().merge {
		var f Fields
		for k, v := range m.Entries() {
			f.rest = append(f.rest, Fields{Key: k, Value: v})
		}
		return f
	}
	return Fields{Key: Node{m.d, 0}, next: m.i + 1, end: m.raw().aux}
}

// Next goes to the next entry, and reports whether there is one.
func (f *Fields) Next() bool {
	if f.next < f.end {
		d := f.Key.d
		v := nextIndex(d.nodes, f.next)
		f.Key, f.Value = Node{d, f.next}, Node{d, v}
		f.next = nextIndex(d.nodes, v)
		return true
	}
	if len(f.rest) == 0 {
		return false
	}
	f.Key, f.Value, f.rest = f.rest[0].Key, f.rest[0].Value, f.rest[1:]
	return true
}

// IsReplaced reports whether the key of the entry is written once more in the mapping, further down: that one counts.
func (f *Fields) IsReplaced() bool {
	d, key := f.Key.d, f.Key.i
	for i := f.next; i < f.end; i = nextIndex(d.nodes, nextIndex(d.nodes, i)) {
		if d.sameKey(&d.nodes[key], &d.nodes[i], key, i) {
			return true
		}
	}
	return slices.ContainsFunc(f.rest, func(other Fields) bool { return other.Key.Text() == f.Key.Text() })
}

// ownEntries returns the entries that are written in the mapping itself, not merged in.
func (n Node) ownEntries() iter.Seq2[Node, Node] {
	return func(yield func(Node, Node) bool) {
		m := n.target()
		if !m.Valid() || m.raw().kind != mapNode {
			return
		}
		nodes, end := m.d.nodes, m.raw().aux
		for i := m.i + 1; i < end; {
			v := nextIndex(nodes, i)
			if !yield(Node{m.d, i}, Node{m.d, v}) {
				return
			}
			i = nextIndex(nodes, v)
		}
	}
}

// Entries returns the keys and values of a mapping in the order in which they are written, twice-written ones twice,
// then merged ones that it does not have itself.
func (n Node) Entries() iter.Seq2[Node, Node] {
	if m := n.target(); !m.Valid() || m.raw().kind != mapNode || !m.raw().merge {
		return n.ownEntries()
	}
	return func(yield func(Node, Node) bool) {
		seen := map[string]bool{}
		for k, v := range n.ownEntries() {
			if key := k.Text(); key != "<<" {
				seen[key] = true
				if !yield(k, v) {
					return
				}
			}
		}
		for m := range n.target().mergeSources() {
			for k, v := range m.Entries() {
				if key := k.Text(); !seen[key] {
					seen[key] = true
					if !yield(k, v) {
						return
					}
				}
			}
		}
	}
}

// Items returns the items of a sequence.
func (n Node) Items() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		s := n.target()
		if !s.Valid() || s.raw().kind != seqNode {
			return
		}
		for i, end := s.i+1, s.raw().aux; i < end; i = nextIndex(s.d.nodes, i) {
			if !yield(Node{s.d, i}) {
				return
			}
		}
	}
}

// Item returns an item of a sequence, counted from 0; the zero Node where there is none.
func (n Node) Item(index int) Node {
	for item := range n.Items() {
		if index == 0 {
			return item
		}
		index--
	}
	return Node{}
}

// Elements goes through the items of a sequence as Items does, without a function call for each.
type Elements struct {
	Item      Node
	next, end int32
}

// Elements begins to go through the items.
func (n Node) Elements() Elements {
	s := n.target()
	if !s.Valid() || s.raw().kind != seqNode {
		return Elements{}
	}
	return Elements{Item: Node{s.d, 0}, next: s.i + 1, end: s.raw().aux}
}

// Next goes to the next item, and reports whether there is one.
func (e *Elements) Next() bool {
	if e.next >= e.end {
		return false
	}
	e.Item.i = e.next
	e.next = nextIndex(e.Item.d.nodes, e.next)
	return true
}

// OwnEntry returns the entry of a key that is written in the mapping itself, not merged in; of a key written twice, the
// last.
func (n Node) OwnEntry(key string) (k, v Node) {
	if !n.IsMap() {
		return Node{}, Node{}
	}
	for a, b := range n.ownEntries() {
		if a.Text() == key {
			k, v = a, b
		}
	}
	return k, v
}

// FirstKey returns the first key that is written in a mapping, not Valid in an empty one.
func (n Node) FirstKey() Node {
	for k := range n.ownEntries() {
		return k
	}
	return Node{}
}
