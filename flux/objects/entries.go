package objects

import (
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
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
	text, err := files.OrDisk(system).ReadFile(m.Pos.File)
	if err != nil {
		return m
	}
	lines, line := manifest.NewLines(text), m.Pos.Line
	for d, err := range manifest.Documents(text, m.Pos.File) {
		if err != nil {
			break
		}
		for o := range d.Objects() {
			// The line of an object that was built is that of its kind.
			if o.Kind != m.Kind || o.Name != m.Name || lines.At(o.Node.Offset()) > m.Pos.Line {
				continue
			}
			if item := e.of(o.Node.At(append([]string{"spec"}, e.List...)...)); item.Valid() {
				line = lines.At(item.Offset())
			}
		}
	}
	m.Pos.Line = line
	return m
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

// entryError is an error about an entry of an object.
type entryError struct {
	entry Entry
	of    Meta
	err   error
}

func (e *entryError) Error() string { return e.err.Error() }

func (e *entryError) Unwrap() error { return e.err }

// AtEntry returns an error of reading an object at the line of the entry that it is about, if it is about one.
func AtEntry(err error, system files.System) error {
	var of *entryError
	known, ok := err.(*diag.Error) //nolint:errorlint // what wraps it says more
	if !ok || !errors.As(err, &of) {
		return err
	}
	at := *known
	at.Pos = of.entry.In(of.of, system).Pos
	return &at
}
