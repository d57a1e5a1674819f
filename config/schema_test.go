package config

import (
	"flag"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/schematest"
)

var update = flag.Bool("update", false, "write the JSON schema")

var schemaPath = filepath.Join("..", "docs", "rollstamp.schema.json")

type object = map[string]any

// extra is what the checks ask for beyond types, as far as a schema can say it.
var extra = map[reflect.Type]object{
	reflect.TypeFor[HelmVersion]():  {"enum": []HelmVersion{Helm3, Helm4}},
	reflect.TypeFor[Level]():        {"minimum": 1, "maximum": MaxLevel},
	reflect.TypeFor[NonEmpty]():     {"minLength": 1},
	reflect.TypeFor[Glob]():         {"minLength": 1},
	reflect.TypeFor[KubeVersion]():  {"pattern": `^v?[0-9]+\.[0-9]`},
	reflect.TypeFor[Path]():         {"type": "string"},
	reflect.TypeFor[NameTemplate](): {"type": "string"},
	reflect.TypeFor[Scalar]():       {"type": []string{"string", "number", "boolean"}},
	reflect.TypeFor[Tree]():         {"type": "object"},
	reflect.TypeFor[Count]():        {"type": []string{"integer", "string"}},
	reflect.TypeFor[Selector]():     {"type": "string", "minLength": 1},
	reflect.TypeFor[Match]():        {"minProperties": 1},
	reflect.TypeFor[ContentMatch](): {"minProperties": 1},
	reflect.TypeFor[KindRule](): {"anyOf": []object{
		{"required": []string{"template"}}, {"required": []string{"podSpec"}}, {"required": []string{"references"}},
		{"required": []string{"copies"}},
	}},
}

// ofSeverities is what the check of severities asks for: codes of the table, or retired ones, and a word for each.
func ofSeverities() object {
	return object{
		"propertyNames":        object{"enum": append(diag.Codes(), diag.RetiredCodes()...)},
		"additionalProperties": object{"enum": Severities()},
	}
}

// schemaOf returns the schema of a type of the configuration file.
func schemaOf(t *testing.T, typ reflect.Type, docs map[string]string) object {
	out := object{}
	choices, isChoice := reflect.Zero(typ).Interface().(interface{ Choices() []string })
	switch {
	case isChoice:
		return object{"enum": choices.Choices()}
	case typ.Kind() == reflect.Pointer:
		return schemaOf(t, typ.Elem(), docs)
	case typ.Kind() == reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t, typ.Elem(), docs)}
	case extra[typ]["type"] != nil:
	case typ.Kind() == reflect.Slice:
		return object{"type": "array", "items": schemaOf(t, typ.Elem(), docs)}
	case typ.Kind() == reflect.Struct:
		properties := object{}
		names, index, required := fieldsOf(typ)
		for _, name := range names {
			f := typ.Field(index[name])
			property := schemaOf(t, f.Type, docs)
			property["description"] = docs[typ.Name()+"."+f.Name]
			if property["description"] == "" {
				t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
			}
			properties[name] = property
		}
		out = object{"type": "object", "additionalProperties": false, "properties": properties}
		if required != nil {
			out["required"] = required
		}
	default:
		names := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Int: "integer", reflect.String: "string"}
		out["type"] = names[typ.Kind()]
	}
	for k, v := range extra[typ] {
		out[k] = v
	}
	return out
}

// fileSchema returns the schema of the configuration file: the rows of the table that it may set.
func fileSchema(t *testing.T) object {
	docs, all := schematest.Parse(t, ".").Comments, object{}
	_, names := rowsIn(InFile)
	for _, name := range names {
		section, field, deep := strings.Cut(name, ".")
		properties := all
		if deep {
			properties = all[section].(object)["properties"].(object)
		} else {
			field = name
		}
		row := fileRow(name)
		property := object{"type": "object", "additionalProperties": false, "properties": object{}}
		if row.field != nil {
			property = schemaOf(t, row.valueType(), docs)
			property["examples"] = []any{exampleOf(t, row)}
		}
		property["description"] = row.About
		if name == "severities" {
			maps.Copy(property, ofSeverities())
		}
		properties[field] = property
	}
	return object{"type": "object", "additionalProperties": false, "properties": all}
}

// exampleOf returns the value of a row's example.
func exampleOf(t *testing.T, row *Row) (value any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(row.Example), &value); err != nil || value == nil {
		t.Errorf("%s has no example: %v", row.Name, err)
	}
	return value
}

func fileRow(name string) *Row {
	rows, _ := rowsIn(InFile)
	return rows[name]
}

func TestTheSchemaForEditorsSaysWhatTheTableSays(t *testing.T) {
	schema := fileSchema(t)
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "Configuration of rollstamp (" + FileName + ")"
	schematest.Check(t, schemaPath, schema, schematest.ModeOf(update))
}

// validate returns what is wrong with a text by the schema.
func validate(t *testing.T, text []byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestTheExampleHoldsEveryFieldAndIsValid(t *testing.T) {
	if err := validate(t, []byte(Example())); err != nil {
		t.Errorf("by the schema: %v", err)
	}
	f := load(t, filepath.Join(tree(t, map[string]string{
		".git/": "", "app/" + FileName: Example(), "app/team.yaml": "namespace: team\nfailOn: error\n",
	}), "app"))
	if f.given.Namespace.Value != "shop" || filepath.Base(f.Path()) != FileName {
		t.Errorf("another file was loaded: %s", f.Path())
	}
	given := map[string]bool{}
	index := regexp.MustCompile(`\[\d+\]`)
	for place := range f.where {
		given[index.ReplaceAllString(place, "")] = true
	}
	var walk func(typ reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		if path != "" && !given[path] {
			t.Errorf("%s is not in the example", path)
		}
		for typ.Kind() == reflect.Slice && typ != reflect.TypeFor[Tree]() || typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		names, index, _ := fieldsOf(typ)
		for _, name := range names {
			walk(typ.Field(index[name]).Type, strings.TrimPrefix(path+"."+name, "."))
		}
	}
	_, rows := rowsIn(InFile)
	for _, name := range rows {
		if row := fileRow(name); row.field != nil {
			walk(row.valueType(), name)
		}
	}
	for _, name := range strings.Fields("workloads.match.kind kinds.references.key render.recursive") {
		if !given[name] {
			t.Errorf("the walk does not see %s", name)
		}
	}
}

func TestTheSchemaRefusesWhatTheDecoderRefuses(t *testing.T) {
	for _, text := range []string{
		"namspace: x", "namespace: 12", "namespace: ''", "kubeVersion: 1.30", "kubeVersion: latest", "level: 0",
		"level: 2", "level: one",
		"liveVolumes: 'true'", "apiVersions: v1", "render: []", "- a", "hashKey: requird", "failOn: warn",
		"deny: [exec]", "allow: [network]",
		"workloads:\n- mode: on", "workloads:\n- match: {}", "workloads:\n- match: {name: x}\n  mode: always",
		"ignore:\n- {}",
		"ignore:\n- kind: Deployment", "kinds:\n- group: a.io", "kinds:\n- kind: A",
		"kinds:\n- kind: A\n  stamp: false\n  references: [{path: a, kind: Pod}]", "render:\n  exclude: ['']",
		"argocd:\n  helm: {valueFile: [a]}", "argocd:\n  helm: {valueFiles: a}",
		"argocd:\n  helm: {values: {a: b}}", "argocd:\n  helm: {valuesObject: text}",
		"argocd:\n  kustomize: {commonLabels: {a: 1}}", "argocd:\n  kustomize: {replicas: [{name: a, count: 1.5}]}",
		"argocd:\n  refs: [a]",
	} {
		if _, err := decodeFile(text); err == nil {
			t.Errorf("%q: the decoder takes it", text)
		}
		if err := validate(t, []byte(text)); err == nil {
			t.Errorf("%q: the schema takes it", text)
		}
	}
}
