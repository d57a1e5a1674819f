package patches

import (
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// list is a list of patches with those of its items that are ours.
type list struct {
	parent manifest.Node // the list is below it
	path   []string
	node   manifest.Node // the list
	length int
	ours   []*entry
}

// entry is an item that is ours.
type entry struct {
	index   int
	patch   manifest.Node // its text
	stamps  *Stamps
	becomes *Stamps // what it is to be; nil for none
}

func readList(prefix hashing.Prefix, parent manifest.Node, path ...string) *list {
	l := &list{parent: parent, path: path, node: parent.At(path...)}
	for item := range l.node.Items() {
		text, isOurs := item.Get("patch"), item.IsMap()
		for k := range item.Entries() {
			isOurs = isOurs && (k.Text() == "patch" || k.Text() == "target")
		}
		if isOurs {
			if s, ok := readItem(item, prefix); ok {
				l.ours = append(l.ours, &entry{index: l.length, patch: text, stamps: s})
			}
		}
		l.length++
	}
	return l
}

// assign lets the items that are ours become what is wanted, and returns what none of them does. A new patch takes the
// place of one that goes, so that nothing around them moves.
func assign(lists []*list, wanted []Stamps) (fresh []*Stamps) {
	byID := map[string]*Stamps{}
	for i := range wanted {
		byID[wanted[i].id()] = &wanted[i]
	}
	var all []*entry
	for _, l := range lists {
		all = append(all, l.ours...)
	}
	for _, e := range all {
		id := e.stamps.id()
		if s := byID[id]; s != nil {
			e.becomes = s.after(e.stamps)
			delete(byID, id)
		}
	}
	for i := range wanted {
		if byID[wanted[i].id()] == &wanted[i] {
			fresh = append(fresh, &wanted[i])
		}
	}
	for _, e := range all {
		if e.becomes == nil && len(fresh) > 0 {
			e.becomes, fresh = fresh[0], fresh[1:]
		}
	}
	return fresh
}

// isLeftEmpty reports whether nothing stays in a list that has items, all of which are ours.
func (l *list) isLeftEmpty() bool {
	gone := func(e *entry) bool { return e.becomes == nil }
	return l.length > 0 && len(l.ours) == l.length && !slices.ContainsFunc(l.ours, func(e *entry) bool { return !gone(e) })
}

// edits changes the items that are ours into what they become.
func (l *list) edits() (out []splice.Edit, err error) {
	for i := 0; i < len(l.ours); i++ {
		e := l.ours[i]
		var edits []splice.Edit
		switch {
		case e.becomes == nil:
			run := 1
			for i+1 < len(l.ours) && l.ours[i+1].becomes == nil && l.ours[i+1].index == e.index+run {
				i, run = i+1, run+1
			}
			edits, err = splice.EditItems(l.parent, l.path, splice.ItemChange{At: e.index, Remove: run})
		case e.stamps.equal(e.becomes):
		case e.stamps.id() == e.becomes.id() && !e.stamps.isLoose:
			var body string
			if body, err = e.becomes.body(); err == nil {
				edits, err = splice.SetString(e.patch, body)
			}
		default:
			edits, err = l.edit(splice.ItemChange{At: e.index, Remove: 1}, e.becomes)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, edits...)
	}
	return out, nil
}

// add returns the edits that add patches at the end of the list.
func (l *list) add(fresh []*Stamps) ([]splice.Edit, error) {
	all, err := items(fresh)
	if err != nil {
		return nil, err
	}
	return splice.AppendItems(l.parent, l.path, all)
}

// edit changes the list, with patches as the items that are inserted.
func (l *list) edit(c splice.ItemChange, insert ...*Stamps) ([]splice.Edit, error) {
	var err error
	if c.Insert, err = items(insert); err != nil {
		return nil, err
	}
	return splice.EditItems(l.parent, l.path, c)
}

// items returns patches as the items of a list.
func items(all []*Stamps) (out []any, err error) {
	for _, s := range all {
		item, err := s.item()
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}
