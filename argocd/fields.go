package argocd

import (
	_ "embed"
	"strings"
	"sync"
)

// fieldTypes lists the fields of Argo CD's objects by kinds and types.
//
//go:embed fields.txt
var fieldTypes string

// Field is a field of a kind or a type. Its Type is the name of another one, of a scalar (text, truth, number), or any;
// behind [] it is that of a list's items, and behind {} that of the values of a mapping whose keys the user chooses.
type Field struct{ Name, Type string }

// FieldTypes returns the fields of all kinds and types, in the order of their names.
var FieldTypes = sync.OnceValue(func() map[string][]Field {
	all, of := map[string][]Field{}, ""
	for line := range strings.Lines(fieldTypes) {
		line = strings.TrimSuffix(line, "\n")
		name, typ, isField := strings.Cut(strings.TrimPrefix(line, " "), " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case !isField:
			of = name
		default:
			all[of] = append(all[of], Field{name, typ})
		}
	}
	return all
})

// SourceFields returns the names of the fields that a source of an Application has, sorted.
var SourceFields = sync.OnceValue(func() (names []string) {
	for _, f := range FieldTypes()["Source"] {
		names = append(names, f.Name)
	}
	return names
})
