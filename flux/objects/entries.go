package objects

import (
	"fmt"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// Entry is an item of a list in an object's spec, such as postBuild.substituteFrom[1].
type Entry struct {
	List  []string // below spec
	Index int
	// Kind and Name are those of the item. Where a patch changes the list, they say which one of the file it is.
	Kind, Name string
}

// String returns the entry as errors name fields.
func (e Entry) String() string {
	field := "spec"
	for _, key := range e.List {
		field += "." + key
	}
	return fmt.Sprintf("%s[%d]", field, e.Index)
}

// In returns the object as it is known in errors about one of its entries: at the line of that, where the file of the
// object has it.
func (e Entry) In(m Meta, system files.System) Meta {
	m.Pos = m.at(e.in, system)
	return m
}

// in returns the entry of an object as it is written.
func (e Entry) in(o manifest.Node) manifest.Node {
	return e.of(o.At(append([]string{"spec"}, e.List...)...))
}

// of returns the item of a list: the one of the index, if that is what it should be, else the one that is.
func (e Entry) of(list manifest.Node) (item manifest.Node) {
	i := 0
	for n := range list.Items() {
		is := n.Get("kind").Text() == e.Kind && n.Get("name").Text() == e.Name
		if is && (i == e.Index || !item.Valid()) {
			item = n
		}
		i++
	}
	return item
}
