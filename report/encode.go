package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// encode writes a value as indented JSON.
func encode(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return nil
}

// layout is how a large value is written as JSON.
type layout struct {
	indent    string // of each level; "" writes one line
	colon     string // after the name of a field
	lineBreak string
	escaped   bool // <, > and & are escapes: no text of the input ends the script of a page
}

// The layouts of a report that people read along, and of the data in a page.
var (
	indented = layout{indent: "  ", colon: ": ", lineBreak: "\n"}
	inPage   = layout{colon: ":", escaped: true}
)

// encoder writes a struct as JSON. Of its lists each item is encoded by itself, with one buffer for all of them, so
// that a large one is not in memory several times over.
type encoder struct {
	out   *bytes.Buffer
	items *json.Encoder
	layout
}

func newEncoder(out *bytes.Buffer, l layout) encoder {
	items := json.NewEncoder(out)
	items.SetEscapeHTML(l.escaped)
	return encoder{out, items, l}
}

// fields writes the struct that v points to, as json.Encoder would.
func (e encoder) fields(v any) error {
	e.out.WriteString("{")
	if err := e.fieldsOf(reflect.ValueOf(v).Elem(), new(bool)); err != nil {
		return err
	}
	e.out.WriteString(e.lineBreak + "}\n")
	return nil
}

// fieldsOf writes the fields of a struct, and of the structs embedded in it. Begun reports whether one was written.
func (e encoder) fieldsOf(all reflect.Value, begun *bool) error {
	for i := range all.NumField() {
		field, about := all.Field(i), all.Type().Field(i)
		if about.Anonymous {
			if err := e.fieldsOf(field, begun); err != nil {
				return err
			}
			continue
		}
		name, options, _ := strings.Cut(about.Tag.Get("json"), ",")
		isEmpty := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0
		if name == "-" || options == "omitempty" && isEmpty {
			continue
		}
		if *begun {
			e.out.WriteByte(',')
		}
		*begun = true
		fmt.Fprintf(e.out, "%s%s%q%s", e.lineBreak, e.indent, name, e.colon)
		if err := e.field(field); err != nil {
			return err
		}
	}
	return nil
}

// field writes the value of a field.
func (e encoder) field(field reflect.Value) error {
	e.items.SetIndent(e.indent, e.indent)
	if field.Kind() != reflect.Slice || field.Len() == 0 {
		return e.value(field)
	}
	const sample = 64 // items, by which the space for all of them is estimated
	within := strings.Repeat(e.indent, 2)
	e.items.SetIndent(within, e.indent)
	separator, start := "[", e.out.Len()
	for i := range field.Len() {
		if i == sample {
			e.out.Grow((e.out.Len() - start) / sample * (field.Len() - sample))
		}
		e.out.WriteString(separator + e.lineBreak + within)
		separator = ","
		if err := e.value(field.Index(i)); err != nil {
			return err
		}
	}
	e.out.WriteString(e.lineBreak + e.indent + "]")
	return nil
}

// value writes a value as a part of the text, without a line end.
func (e encoder) value(v reflect.Value) error {
	if err := e.items.Encode(v.Addr().Interface()); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	e.out.Truncate(e.out.Len() - len("\n"))
	return nil
}
