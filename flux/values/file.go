package values

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render"
)

// File is what a user says of values that no manifest has: variables, and the content of objects.
type File struct {
	name      string
	variables map[string][]byte
	objects   map[Ref]*Data
	manifests *rendered // nil where it holds none
}

// ReadFile reads a file with lines KEY=VALUE, with a mapping of YAML from variables to values and from
// KIND/NAMESPACE/NAME to mappings, or with ConfigMaps and Secrets.
func ReadFile(system files.System, path string) (*File, error) {
	text, err := files.OrDisk(system).ReadFile(path)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("--vars: read %s: %w", path, files.Cause(err)), "")
	}
	f := &File{name: path, variables: map[string][]byte{}, objects: map[Ref]*Data{}}
	if isLines(text) {
		err = f.readLines(text)
	} else {
		err = f.readYAML(text)
	}
	return f, err
}

// object returns the content of an object that the file has in a mapping; nil where it has none.
func (f *File) object(ref Ref) *Data {
	if f == nil {
		return nil
	}
	return f.objects[ref]
}

// Variables returns the variables as the content of an object that no manifest has; nil where there are none.
func (f *File) Variables(ref Ref) *Data {
	if f == nil || len(f.variables) == 0 {
		return nil
	}
	return &Data{Ref: ref, From: f.name, entries: f.variables, unwritten: ref.Kind == secretKind}
}

// isLines reports whether the first line that says something has the form KEY=VALUE.
func isLines(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		equals, colon := bytes.IndexByte(line, '='), bytes.IndexByte(line, ':')
		return equals > 0 && (colon < 0 || equals < colon)
	}
	return false
}

// readLines reads lines KEY=VALUE.
func (f *File) readLines(text []byte) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, value, ok := bytes.Cut(bytes.TrimPrefix(line, []byte("export ")), []byte("="))
		if !ok || len(key) == 0 {
			return diag.Input(diag.Position{File: f.name, Line: number}, errors.New("--vars: the line is not KEY=VALUE"), "")
		}
		f.variables[string(key)] = unquoted(value)
	}
	return nil
}

// unquoted returns a value without the quotes around it.
func unquoted(value []byte) []byte {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// readYAML reads ConfigMaps and Secrets, or a mapping.
func (f *File) readYAML(text []byte) error {
	all, err := typed.Parse(text, f.name)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return f.readObjects(all, text)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return diag.Input(diag.Position{File: f.name}, errors.New("--vars: the file is no mapping"),
			"It has lines KEY=VALUE, a mapping of YAML, or ConfigMaps and Secrets.")
	}
	for key, value := range values {
		fields, ok := value.(map[string]any)
		if !ok {
			if f.variables[key], err = f.scalar(key, value); err != nil {
				return err
			}
			continue
		}
		parts := strings.Split(key, "/")
		if len(parts) != 3 || !slices.Contains([]string{"ConfigMap", "Secret"}, parts[0]) {
			return f.fail("%s has a mapping and is not KIND/NAMESPACE/NAME of a ConfigMap or Secret", key)
		}
		ref := Ref{parts[0], parts[1], parts[2]}
		data := &Data{Ref: ref, From: f.name, entries: map[string][]byte{}, unwritten: ref.Kind == secretKind}
		for name, value := range fields {
			if data.entries[name], err = f.scalar(key+": "+name, value); err != nil {
				return err
			}
		}
		f.objects[ref] = data
	}
	return nil
}

// scalar returns the text of a value.
func (f *File) scalar(key string, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return []byte(v), nil
	case bool, nil:
		if v == nil {
			return nil, nil
		}
	case float64:
	default:
		return nil, f.fail("%s is neither a string nor a number", key)
	}
	text, err := yaml.Marshal(value)
	return bytes.TrimSpace(text), err
}

// readObjects takes ConfigMaps and Secrets, which may be encrypted. Others may stand beside them.
func (f *File) readObjects(all []typed.Object, text []byte) error {
	hasValues := func(o typed.Object) bool { return o.Kind == "ConfigMap" || o.Kind == "Secret" }
	if first := all[0]; !slices.ContainsFunc(all, hasValues) {
		return diag.Input(first.Pos, fmt.Errorf("--vars: a %s holds no values", first.Kind), "Pass ConfigMaps and Secrets.")
	}
	f.manifests = &rendered{of: f.name, output: &render.Output{Text: text}, isFile: true}
	return nil
}

// fail returns an error about the file.
func (f *File) fail(format string, args ...any) error {
	return diag.Input(diag.Position{File: f.name}, fmt.Errorf("--vars: "+format, args...), "")
}
