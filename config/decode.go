package config

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// decode reads one YAML document strictly into the settings that it may hold, and returns where each field is set,
// by its dotted name. Every mistake has the line of its own; the error holds one *diag.Error with exit code 2 for
// each.
func decode(text []byte, file string, in Document, to *Settings) (map[string]diag.Position, error) {
	d := &decoder{file: file, in: in, where: map[string]diag.Position{}}
	d.rows, d.names = rowsIn(in)
	root, err := d.parse(text)
	if err == nil && root != nil {
		d.section(root, to, "")
		d.check(root, to)
		err = d.join()
	}
	return d.where, err
}

// parse returns the document's root; nil for a file without any content.
func (d *decoder) parse(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, d.syntax(err, text)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, d.failure(more.Line, errors.New("a second document; the file holds one"))
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntax(err, text)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// syntax moves the line out of the YAML library's message into the position.
func (d *decoder) syntax(err error, text []byte) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, cause, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, message = n, cause
		}
	}
	if countsFromZero(message) {
		line = min(line+1, 1+bytes.Count(bytes.TrimSpace(text), []byte("\n"))) // the end is at the last line
	}
	if bytes.Contains(text, []byte(EnvField)) {
		hint := "Between brackets, a text with braces such as " + EnvField + " needs quotes."
		return d.failure(line, diag.Usage(errors.New(message), hint))
	}
	return d.failure(line, diag.Usage(errors.New(message),
		"Look there and just before for a bracket or quote that is not closed, a tab, or another indentation."))
}

// countsFromZero reports whether a message is one of the library's parser, which counts lines from 0, and leaves out
// that one; its scanner counts them from 1.
func countsFromZero(message string) bool {
	return strings.HasPrefix(message, "did not find expected") || strings.HasPrefix(message, "found incompatible")
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
