// Package schematest holds the JSON schemas in docs to the Go types that they describe.
package schematest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Source is what the code says of its types.
type Source struct {
	Comments map[string]string   // of the fields of structs, by TYPE.FIELD, each as one line
	Words    map[string][]string // the constants of types that are strings, by TYPE
}

// Parse reads the packages in folders, without their tests.
func Parse(t *testing.T, dirs ...string) Source {
	t.Helper()
	s := Source{map[string]string{}, map[string][]string{}}
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no Go files (%v)", dir, err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				s.read(t, name)
			}
		}
	}
	return s
}

func (s Source) read(t *testing.T, name string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if list, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range list.Specs {
				s.add(t, spec)
			}
		}
	}
}

func (s Source) add(t *testing.T, spec ast.Spec) {
	t.Helper()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, f := range fields.Fields.List {
			for _, name := range f.Names {
				words := strings.Fields(f.Doc.Text() + " " + f.Comment.Text())
				s.Comments[spec.Name.Name+"."+name.Name] = strings.Join(words, " ")
			}
		}
	case *ast.ValueSpec:
		kind, ok := spec.Type.(*ast.Ident)
		if !ok || len(spec.Values) != 1 {
			return
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			s.Words[kind.Name] = append(s.Words[kind.Name], text)
		}
	}
}

// Mode is what becomes of a file that is not what it should be.
type Mode int

const (
	// Compare fails the test.
	Compare Mode = iota
	// Update writes the file.
	Update
)

// ModeOf returns the mode that a test's flag -update stands for.
func ModeOf(update *bool) Mode {
	if *update {
		return Update
	}
	return Compare
}

// Check holds a file against a schema.
func Check(t *testing.T, path string, schema map[string]any, mode Mode) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if mode == Update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the types say; run this test with -update", path)
	}
}
