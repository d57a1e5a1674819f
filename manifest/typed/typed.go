// Package typed decodes documents as kubectl and the engines' controllers do, for what reads its own kinds of objects.
package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// Object is one Kubernetes object, decoded as kubectl does.
type Object struct {
	Fields      map[string]any
	Kind, Group string
	Pos         diag.Position
	Repeated    *Repeated // the first key that its document has twice in one mapping; nil where it has none

	text  []byte // of the file
	start int    // of the document in it
	items []int  // the way through Lists to the object
}

// Repeated is a key that is written twice in one mapping. The later one counts where that is no error.
type Repeated struct {
	Key string
	Pos diag.Position // of the later one
}

// Fail returns the error of a key where it is one, about an object.
func (r Repeated) Fail(object string) error {
	return &diag.Error{Exit: diag.ExitInput, Object: object, Pos: r.Pos,
		Err: fmt.Errorf("read: key %s is written twice in one mapping", diag.Quote(r.Key)), Hint: "Remove one of the two."}
}

// FindRepeated returns the first key of a document, in a file with these lines, that is written twice in one mapping;
// nil where none is.
func FindRepeated(d *manifest.Document, file string, lines *manifest.Lines) *Repeated {
	for _, n := range d.Duplicates() {
		return &Repeated{Key: n.Text(), Pos: diag.Position{File: file, Line: lines.At(n.Offset())}}
	}
	return nil
}

// Wanted reports whether the objects of a kind are decoded.
type Wanted func(group, kind string) bool

// Read returns the objects of a file.
func Read(system files.System, path string) ([]Object, error) {
	text, err := files.OrDisk(system).ReadFile(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return Parse(text, path)
}

// Parse returns the objects of a text. Their positions have the name as their file.
func Parse(text []byte, name string) ([]Object, error) { return ParseOnly(text, name, nil) }

// ParseOnly is Parse for the documents that hold an object of a wanted kind; the others are not decoded, and what is
// wrong in them is no error unless it hides what they are. Nil wants all.
func ParseOnly(text []byte, name string, isWanted Wanted) ([]Object, error) {
	var out []Object
	lines := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		if !d.Root().Valid() || isWanted != nil && !holds(d, isWanted) {
			continue
		}
		pos := diag.Position{File: name, Line: lines.At(d.Root().Offset())}
		whole, err := decodeYAML(d, name)
		if err != nil {
			return nil, err
		}
		document := Object{Pos: pos, Repeated: FindRepeated(d, name, lines), text: text, start: d.Start}
		for _, o := range items(whole, document) {
			if item := o.in(d); len(o.items) > 0 && item.Valid() {
				o.Pos.Line = lines.At(item.Offset())
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// holds reports whether a document holds an object of a wanted kind.
func holds(d *manifest.Document, isWanted Wanted) bool {
	for o := range d.Objects() {
		if isWanted(o.Group(), o.Kind) {
			return true
		}
	}
	return false
}

// decodeYAML decodes a document by the rules of YAML 1.1, and then as JSON. Kubernetes' library refuses some that our
// reader takes, as one with a tab before a comment within a list.
func decodeYAML(d *manifest.Document, name string) (any, error) {
	b, err := yaml.YAMLToJSON(d.Body())
	if err != nil {
		return nil, d.LibraryError(name, err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		pos := diag.Position{File: name, Line: manifest.NewLines(d.Text()).At(d.Root().Offset())}
		return nil, diag.Input(pos, errors.New("parse YAML: it cannot be read as JSON"), "")
	}
	return out, nil
}

// items returns a document's objects: itself, or the items of a List. Each is like the document, which is one.
func items(value any, document Object) []Object {
	m, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	kind, _ := m["kind"].(string)
	version, _ := m["apiVersion"].(string)
	if list, ok := m["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		return itemsOf(list, document)
	}
	if kind == "" {
		return nil
	}
	document.Fields, document.Kind = m, kind
	document.Group, _, _ = strings.Cut(version, "/")
	return []Object{document}
}

// itemsOf returns the objects of a List.
func itemsOf(list []any, document Object) (out []Object) {
	for i, value := range list {
		item := document
		item.items = append(slices.Clip(document.items), i)
		out = append(out, items(value, item)...)
	}
	return out
}

// CheckName refuses names and namespaces that no Kubernetes object can have and that could be another path. The
// namespace may be empty.
func CheckName(name, namespace string) error {
	switch {
	case name == "":
		return errors.New("metadata.name is empty")
	case isPath(name):
		return fmt.Errorf("metadata.name %q is not the name of an object", name)
	case isPath(namespace):
		return fmt.Errorf("metadata.namespace %q is not the name of a namespace", namespace)
	}
	return nil
}

func isPath(name string) bool {
	return strings.ContainsAny(name, "/\\\x00 \n") || name == "." || name == ".."
}
