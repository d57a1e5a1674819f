package objects

import (
	"errors"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// fieldError is an error about a part of an object.
type fieldError struct {
	of   Meta
	part func(o manifest.Node) manifest.Node // of the object as it is written; not Valid where it is written otherwise
	err  error
}

func (e *fieldError) Error() string { return e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// FailAt is as Fail, for an error about a field: keys, and the numbers of items, from spec on.
func (m Meta) FailAt(err error, hint string, path ...any) error {
	return m.FailWith(diag.ExitInput, err, hint, path...)
}

// FailWith is FailAt with another exit code.
func (m Meta) FailWith(exit diag.Exit, err error, hint string, path ...any) error {
	if len(path) > 0 {
		err = &fieldError{m, m.field(path), err}
	}
	return m.Hide(&diag.Error{Exit: exit, Object: m.String(), Pos: m.Pos, Err: err, Hint: hint})
}

// FieldPos returns the place of a field in the object's file, with a path as that of FailAt; that of the object where
// the file does not have the field.
func (m Meta) FieldPos(system files.System, path ...any) diag.Position {
	return m.at(m.field(path), system)
}

// field returns what finds a field in the object as it is written.
func (m Meta) field(path []any) func(o manifest.Node) manifest.Node {
	return func(o manifest.Node) manifest.Node { return fieldOf(o.Get("spec"), m.fields["spec"], path) }
}

// AtField returns an error about an object at the line of the field that it is about, if it is about one that the file
// of the object has.
func AtField(err error, system files.System) error {
	var of *fieldError
	known, ok := err.(*diag.Error) //nolint:errorlint // what wraps it says more
	if !ok || !errors.As(known.Err, &of) || known.Pos != of.of.Pos {
		return err
	}
	at := *known
	at.Pos = of.of.at(of.part, system)
	return &at
}

// at returns the place of a part of the object in its file; that of the object where it has none there.
func (m Meta) at(part func(o manifest.Node) manifest.Node, system files.System) diag.Position {
	text, err := files.OrDisk(system).ReadFile(m.Pos.File)
	if err != nil {
		return m.Pos
	}
	out, lines, isNamed := m.Pos, manifest.NewLines(text), false
	for d, err := range manifest.Documents(text, m.Pos.File) {
		if err != nil {
			break
		}
		for o := range d.Objects() {
			// The line of an object that was built is that of its kind.
			first, last := lines.At(o.Node.Offset()), lines.At(o.Node.End())
			isIt := o.Name == m.Name
			if o.Kind != m.Kind || first > m.Pos.Line || !isIt && (isNamed || last < m.Pos.Line) {
				continue // without its name, which a kustomization or a variable may change, it is the one in these lines
			}
			isNamed = isNamed || isIt
			out.Line = m.Pos.Line
			if found := part(o.Node); found.Valid() {
				out.Line = lines.At(found.Offset())
			}
		}
	}
	return out
}

// fieldOf returns a field below a node, by its key where the mapping itself has that. It is not Valid where something
// else is written there than the value that the field has: what applies the object may replace it.
func fieldOf(n manifest.Node, value any, path []any) (found manifest.Node) {
	for _, step := range path {
		var next any
		switch at := step.(type) {
		case string:
			found, _ = n.OwnEntry(at)
			n = n.Get(at)
			all, _ := value.(map[string]any)
			next = all[at]
		case int:
			found, n = manifest.Node{}, n.Item(at)
			if all, _ := value.([]any); at < len(all) {
				next = all[at]
			}
		}
		value = next
	}
	switch {
	case !n.Valid() || !mayBecome(n, value):
		return manifest.Node{}
	case !found.Valid():
		return n
	}
	return found
}

// mayBecome reports whether a node becomes a value when variables are substituted in it, and fields added.
func mayBecome(n manifest.Node, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range n.Entries() {
			if inner, ok := value[k.Text()]; !ok || !mayBecome(v, inner) {
				return false
			}
		}
		return n.IsMap()
	case []any:
		i := 0
		for item := range n.Items() {
			if i >= len(value) || !mayBecome(item, value[i]) {
				return false
			}
			i++
		}
		return n.IsSeq()
	case string:
		text := n.StringValue()
		return text == value || strings.Contains(text, "${")
	}
	return true
}
