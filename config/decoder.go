package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// maxErrors is how many mistakes in one file are reported at once.
const maxErrors = 10

// decoder reads the nodes of one document, and keeps where fields are given and what is wrong with them.
type decoder struct {
	file  string
	in    Document
	rows  map[string]*Row // that the document may set
	names []string        // of these
	where map[string]diag.Position
	errs  []error
}

// failure returns an error about a line of the file.
func (d *decoder) failure(line int, err error) error {
	at := diag.Position{File: d.file, Line: line}
	return diag.UsageAt(at, err, diag.HintOf(err))
}

// fail records what is wrong with a node.
func (d *decoder) fail(n *yaml.Node, name string, err error) {
	if name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	d.errs = append(d.errs, d.failure(n.Line, err))
}

// failCheck records what a check of a value finds, at the field that it names.
func (d *decoder) failCheck(n *yaml.Node, name string, err error) {
	var m *mistake
	if errors.As(err, &m) {
		n = &yaml.Node{Line: d.where[m.field].Line}
	}
	d.fail(n, name, err)
}

// join returns all mistakes as one error, or nil.
func (d *decoder) join() error {
	if more := len(d.errs) - maxErrors; more > 0 {
		d.errs = append(d.errs[:maxErrors], d.failure(0, fmt.Errorf("%d more mistakes", more)))
	}
	d.addHint()
	if len(d.errs) == 1 {
		return d.errs[0]
	}
	return errors.Join(d.errs...)
}

// addHint says where to look, where one of the mistakes says nothing of what would be right and none has a hint.
func (d *decoder) addHint() {
	isOpen := func(err error) bool { return !strings.Contains(err.Error(), "; did you mean ") }
	hasHint := func(err error) bool { return diag.HintOf(err) != "" }
	var last *diag.Error
	if slices.ContainsFunc(d.errs, isOpen) && !slices.ContainsFunc(d.errs, hasHint) &&
		errors.As(d.errs[len(d.errs)-1], &last) {
		last.Hint = "docs/settings.md has each field, with what it takes."
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

// text decodes a string that its type reads.
func (d *decoder) text(n *yaml.Node, to encoding.TextUnmarshaler, name string) {
	if !d.is(n, yaml.ScalarNode, "!!str", name) {
		return
	}
	if err := to.UnmarshalText([]byte(n.Value)); err != nil {
		d.fail(n, name, err)
	}
}

// kind decodes a value by its kind.
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

// scalar decodes a boolean or a number.
func (d *decoder) scalar(n *yaml.Node, to reflect.Value, tag, name string) {
	if !d.is(n, yaml.ScalarNode, tag, name) {
		return
	}
	if err := n.Decode(to.Addr().Interface()); err != nil {
		d.fail(n, name, fmt.Errorf("%q is out of range", n.Value))
	}
}

// items decodes a list.
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
		place := name + "." + n.Content[i].Value
		d.where[place] = diag.Position{File: d.file, Line: n.Content[i].Line}
		d.value(n.Content[i+1], item, place)
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
			d.fail(key, name, d.unknownField(name, key.Value, known))
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

// unknownField returns the error about a field that there is not: with the one that may be meant or, as a hint, those
// that there are; and with another hint where a configuration file has one that only the operator's policy file may
// have.
func (d *decoder) unknownField(name, field string, known []string) error {
	near := didYouMean(field, known)
	err := fmt.Errorf("unknown field %q%s", field, near)
	policy, _ := rowsIn(InPolicy)
	if _, is := policy[field]; !is || d.in != InFile || name != "" {
		if near != "" {
			return err
		}
		const few = 12 // more of them are no help in a terminal
		if len(known) > few {
			return diag.Usage(err, "docs/settings.md lists what "+cmp.Or(name, "the file")+" takes.")
		}
		return diag.Usage(err, cmp.Or(name, "The file")+" takes "+list(slices.Sorted(slices.Values(known)))+".")
	}
	hint := "What is rendered cannot grant itself anything: this belongs into the operator's policy file, which " +
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
