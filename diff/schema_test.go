package diff_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rollstamp/rollstamp/diff"
)

var update = flag.Bool("update", false, "write the schema of a comparison")

const schemaPath = "../docs/diff.schema.json"

// source is what the code says of its types: comments of fields, and the values of types that are words.
type source struct {
	fields map[string]string   // by TYPE.FIELD
	values map[string][]string // by TYPE
}

func parse(t *testing.T, dirs ...string) source {
	t.Helper()
	s := source{map[string]string{}, map[string][]string{}}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					for _, spec := range g.Specs {
						s.add(t, spec)
					}
				}
			}
		}
	}
	return s
}

func (s source) add(t *testing.T, spec ast.Spec) {
	t.Helper()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if fields, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range fields.Fields.List {
				for _, name := range f.Names {
					s.fields[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
				}
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
			s.values[kind.Name] = append(s.values[kind.Name], text)
		}
	}
}

// schema returns the schema of a type. Fields may be added within a version, so others are allowed.
func (s source) schema(kind reflect.Type) map[string]any {
	switch kind.Kind() {
	case reflect.Pointer:
		return s.schema(kind.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.schema(kind.Elem())}
	case reflect.String:
		out := map[string]any{"type": "string"}
		if values := s.values[kind.Name()]; len(values) > 0 && kind.PkgPath() != "" {
			out["enum"] = values
		}
		return out
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	}
	properties, required := map[string]any{}, []string{}
	s.object(kind, properties, &required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (s source) object(kind reflect.Type, properties map[string]any, required *[]string) {
	for f := range kind.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			s.object(f.Type, properties, required)
			continue
		}
		one := s.schema(f.Type)
		if text := s.fields[kind.Name()+"."+f.Name]; text != "" {
			one["description"] = text
		}
		if kind.Name() == "Quiet" && f.Name == "Reason" {
			one["enum"] = []string{diff.NotConsumed, diff.KeysNotRead, diff.LiveOnly, diff.OptedOut, diff.NoRestart, diff.Unclear}
		}
		if kind.Name() == "Edge" && f.Name == "Keys" {
			one["type"] = []string{"array", "null"}
		}
		properties[name] = one
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}

func TestTheSchemaOfAComparisonIsThatOfItsTypes(t *testing.T) {
	s := parse(t, ".", "../diag")
	schema := s.schema(reflect.TypeFor[diff.Comparison]())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "What rollstamp diff -o json prints"
	schema["properties"].(map[string]any)["schema"] = map[string]any{"const": diff.Schema}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaPath, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the types say; run this test with -update", schemaPath)
	}
}

func TestAComparisonFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
	pod := deployment("", ", envFrom: [{configMapRef: {name: c}}]", "")
	for what, c := range map[string]*diff.Comparison{
		"nothing": compare(t, config, config), "a restart": compare(t, config+pod, strings.Replace(config, "a: b", "a: c", 1)+pod),
		"what is gone": compare(t, config+pod, pod), "what is quiet": compare(t, config, strings.Replace(config, "a: b", "a: c", 1)),
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	bad := compare(t, config+pod, pod)
	bad.Restarts[0].Rollout.Effect = "surprise"
	text, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(value) == nil {
		t.Error("the schema takes any word for an effect")
	}
}
