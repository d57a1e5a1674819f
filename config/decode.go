package config

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// maxErrors is how many mistakes in one file are told at once.
const maxErrors = 10

// decode reads one YAML document strictly into the settings that it may give, and returns where each field was given,
// by its dotted name. Every mistake has the line of its own; the error holds one *diag.Error with exit code 2 for
// each.
func decode(text []byte, file string, in Document, to *Settings) (map[string]diag.Position, error) {
	d := &decoder{file: file, in: in, where: map[string]diag.Position{}}
	d.rows, d.names = rowsIn(in)
	root, err := d.parse(text)
	if err == nil && root != nil {
		d.section(root, to, "")
		d.check(root, to)
		err = d.joined()
	}
	return d.where, err
}

type decoder struct {
	file  string
	in    Document
	rows  map[string]*Row // that the document may give
	names []string        // of these
	where map[string]diag.Position
	errs  []error
}

// parse returns the document's root; nil for a file without any content.
func (d *decoder) parse(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, d.syntax(err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, d.failure(more.Line, errors.New("a second document; the file holds one"))
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntax(err)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// syntax moves the line out of the YAML library's message into the position.
func (d *decoder) syntax(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, cause, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, message = n, cause
		}
	}
	return d.failure(line, errors.New(message))
}

func (d *decoder) failure(line int, err error) error {
	at := diag.Position{File: d.file, Line: line}
	return &diag.Error{Exit: diag.ExitUsage, Pos: at, Err: err, Hint: diag.HintOf(err)}
}

func (d *decoder) fail(n *yaml.Node, name string, err error) {
	if name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	d.errs = append(d.errs, d.failure(n.Line, err))
}

// mistake is what a check finds in a field below the value that it looks at.
type mistake struct {
	field string
	err   error
}

func (m *mistake) Error() string { return m.field + ": " + m.err.Error() }

func (d *decoder) failCheck(n *yaml.Node, name string, err error) {
	var m *mistake
	if errors.As(err, &m) {
		n = &yaml.Node{Line: d.where[m.field].Line}
	}
	d.fail(n, name, err)
}

func (d *decoder) joined() error {
	if more := len(d.errs) - maxErrors; more > 0 {
		d.errs = append(d.errs[:maxErrors], d.failure(0, fmt.Errorf("%d more mistakes", more)))
	}
	if len(d.errs) == 1 {
		return d.errs[0]
	}
	return errors.Join(d.errs...)
}

// section decodes a mapping of settings: the document itself, or one of its sections.
func (d *decoder) section(n *yaml.Node, to *Settings, name string) {
	if d.isShared(n, name) || !d.is(n, yaml.MappingNode, "!!map", name) {
		return
	}
	var known []string
	for _, row := range d.names {
		if field, ok := strings.CutPrefix(row, strings.TrimPrefix(name+".", ".")); ok && !strings.Contains(field, ".") {
			known = append(known, field)
		}
	}
	d.members(n, name, known, func(_ string, value *yaml.Node, place string) {
		if row := d.rows[place]; row.field != nil {
			d.value(value, reflect.ValueOf(row.field.pointer(to)).Elem(), place)
		} else {
			d.section(value, to, place)
		}
	})
}

// check looks for what is wrong with the values of a document that could be read.
func (d *decoder) check(root *yaml.Node, to *Settings) {
	for _, name := range d.names {
		if row := d.rows[name]; row.check != nil && len(d.errs) == 0 {
			if err := row.check(to); err != nil {
				d.failCheck(root, "", err)
			}
		}
	}
}

// isShared reports whether a node is an alias or can have some, which nothing here needs.
func (d *decoder) isShared(n *yaml.Node, name string) bool {
	if n.Kind != yaml.AliasNode && n.Anchor == "" {
		return false
	}
	d.fail(n, name, errors.New("anchors and aliases are not allowed here"))
	return true
}

// value decodes a node into to. Name is the dotted name of the place, for messages.
func (d *decoder) value(n *yaml.Node, to reflect.Value, name string) {
	if d.isShared(n, name) {
		return
	}
	before := len(d.errs)
	switch to := to.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		d.text(n, to, name)
	case interface{ fromNode(*yaml.Node) error }:
		if err := to.fromNode(n); err != nil {
			d.fail(n, name, err)
		}
	default:
		d.kind(n, reflect.ValueOf(to).Elem(), name)
	}
	if c, ok := to.Addr().Interface().(interface{ check() error }); ok && len(d.errs) == before {
		if err := c.check(); err != nil {
			d.failCheck(n, name, err)
		}
	}
}

func (d *decoder) text(n *yaml.Node, to encoding.TextUnmarshaler, name string) {
	if !d.is(n, yaml.ScalarNode, "!!str", name) {
		return
	}
	if err := to.UnmarshalText([]byte(n.Value)); err != nil {
		d.fail(n, name, err)
	}
}

func (d *decoder) kind(n *yaml.Node, to reflect.Value, name string) {
	switch to.Kind() {
	case reflect.Struct:
		if d.is(n, yaml.MappingNode, "!!map", name) {
			d.fields(n, to, name)
		}
	case reflect.Slice:
		if d.is(n, yaml.SequenceNode, "!!seq", name) {
			d.items(n, to, name)
		}
	case reflect.Map:
		if d.is(n, yaml.MappingNode, "!!map", name) {
			d.entries(n, to, name)
		}
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		d.value(n, to.Elem(), name)
	case reflect.String:
		if d.is(n, yaml.ScalarNode, "!!str", name) {
			to.SetString(n.Value)
		}
	case reflect.Bool:
		d.scalar(n, to, "!!bool", name)
	case reflect.Int:
		d.scalar(n, to, "!!int", name)
	default:
		panic("no decoder for " + to.Type().String())
	}
}

func (d *decoder) scalar(n *yaml.Node, to reflect.Value, tag, name string) {
	if !d.is(n, yaml.ScalarNode, tag, name) {
		return
	}
	if err := n.Decode(to.Addr().Interface()); err != nil {
		d.fail(n, name, fmt.Errorf("%q is out of range", n.Value))
	}
}

func (d *decoder) items(n *yaml.Node, to reflect.Value, name string) {
	to.Set(reflect.MakeSlice(to.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		place := fmt.Sprintf("%s[%d]", name, i)
		d.where[place] = diag.Position{File: d.file, Line: item.Line}
		d.value(item, to.Index(i), place)
	}
}

// entries decodes a mapping whose keys are free, into a map with strings for keys.
func (d *decoder) entries(n *yaml.Node, to reflect.Value, name string) {
	to.Set(reflect.MakeMap(to.Type()))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, item := reflect.ValueOf(n.Content[i].Value), reflect.New(to.Type().Elem()).Elem()
		if !d.is(n.Content[i], yaml.ScalarNode, "!!str", name) {
			continue
		}
		if to.MapIndex(key).IsValid() {
			d.fail(n.Content[i], name, fmt.Errorf("key %q is given twice", n.Content[i].Value))
			continue
		}
		d.value(n.Content[i+1], item, name+"."+n.Content[i].Value)
		to.SetMapIndex(key, item)
	}
}

// fields decodes a mapping into a struct.
func (d *decoder) fields(n *yaml.Node, to reflect.Value, name string) {
	if s, ok := to.Addr().Interface().(interface{ defaults() }); ok {
		s.defaults()
	}
	names, index, required := fieldsOf(to.Type())
	seen := d.members(n, name, names, func(key string, value *yaml.Node, place string) {
		d.value(value, to.Field(index[key]), place)
	})
	for _, r := range required {
		if _, given := seen[r]; !given {
			d.fail(n, name, fmt.Errorf("field %q is missing", r))
		}
	}
}

// members goes over the entries of a mapping whose keys are known, and returns the line of each.
func (d *decoder) members(
	n *yaml.Node, name string, known []string, decode func(key string, value *yaml.Node, place string),
) map[string]int {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch first, twice := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode || !slices.Contains(known, key.Value):
			d.fail(key, name, d.unknown(name, key.Value, known))
			continue
		case twice:
			d.fail(key, name, fmt.Errorf("field %q is given twice, first in line %d", key.Value, first))
			continue
		}
		seen[key.Value] = key.Line
		place := strings.TrimPrefix(name+"."+key.Value, ".")
		d.where[place] = diag.Position{File: d.file, Line: key.Line}
		decode(key.Value, value, place)
	}
	return seen
}

// unknown returns the error about a field that there is not, with a hint where a configuration file has one that only
// the operator's policy file may have.
func (d *decoder) unknown(name, field string, known []string) error {
	err := fmt.Errorf("unknown field %q%s", field, didYouMean(field, known))
	policy, _ := rowsIn(InPolicy)
	if _, is := policy[field]; !is || d.in != InFile || name != "" {
		return err
	}
	hint := "What is rendered cannot give itself anything: this belongs into the operator's policy file, which " +
		EnvPolicy + " names."
	if field == "allow" {
		hint += " For one run there is --allow, too."
	}
	return diag.Usage(err, hint)
}

// fieldsOf lists a struct's fields as files spell them, where they are, and which must be given.
func fieldsOf(t reflect.Type) (names []string, index map[string]int, required []string) {
	index = map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		names = append(names, name)
		index[name] = i
		if f.Tag.Get("schema") == "required" {
			required = append(required, name)
		}
	}
	return names, index, required
}

// is reports whether a node has a kind and type, and says what it is instead.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, tag, name string) bool {
	if n.Kind == kind && n.ShortTag() == tag {
		return true
	}
	want, found := typeNames[tag], typeNames[n.ShortTag()]
	if found == "" {
		found = n.ShortTag()
	}
	err := fmt.Errorf("want %s, found %s", want, found)
	if tag == "!!str" && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		err = fmt.Errorf("%w; put it in quotes", err)
	}
	d.fail(n, name, err)
	return false
}

var typeNames = map[string]string{
	"!!str": "a string", "!!bool": "true or false", "!!int": "a whole number", "!!float": "a number",
	"!!null": "nothing", "!!seq": "a list", "!!map": "a map", "!!timestamp": "a date",
}
