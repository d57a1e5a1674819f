package shape

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// copyFields writes values of ConfigMaps and Secrets into fields of custom resources.
func copyFields(
	ctx context.Context, out *render.Output, s *config.Settings, decrypter sources.Decrypter,
) (*render.Output, error) {
	embedded := out.Embedded
	return apply(out, func(text []byte) (addition, error) {
		f := &filler{out: out, text: text, settings: s,
			values: &values{out: out, text: text, embedded: embedded, settings: s, decrypter: decrypter}}
		embedded = nil // what is known of the text is not known of the second render
		err := eachDocument(ctx, text, func(d *manifest.Document) error { return f.fill(ctx, d) })
		return f.added, err
	})
}

// filler is one text whose resources get values.
type filler struct {
	out      *render.Output
	text     []byte
	settings *config.Settings
	values   *values
	added    addition
}

// filled is a field that gets a value.
type filled struct {
	path  []string
	value string
	mark  string
}

// fill writes what the rules of their kinds copy into the resources of a document.
func (f *filler) fill(ctx context.Context, d *manifest.Document) error {
	items := sync.OnceValue(func() map[int]int { return itemsByOffset(d.Root()) })
	in, err := changeObjects(d, func(o manifest.Object) ([]step, error) {
		var all []filled
		hide := func(path []string, v value) { f.hide(d, o, items, path, v) }
		for _, rule := range f.copiesOf(o) {
			one, err := f.fieldOf(ctx, o, hide, rule)
			if err != nil {
				return nil, err
			}
			if one.mark != "" {
				all = append(all, one)
			}
		}
		return f.steps(o, all), nil
	})
	f.added.take(in)
	return err
}

// steps write fields of a resource, and the mark that says which.
func (f *filler) steps(o manifest.Object, all []filled) (out []step) {
	var marks []string
	at := o.Node.Offset()
	for _, one := range all {
		marks = append(marks, one.mark)
		out = append(out, func(now manifest.Object) ([]splice.Edit, error) {
			edits, err := splice.Set(now.Node, one.path, one.value)
			if err != nil {
				return nil, f.fail(o, at, fmt.Errorf("write %s: %w", strings.Join(one.path, "."), err), "")
			}
			return edits, nil
		})
	}
	if marks == nil {
		return nil
	}
	return append(out, func(now manifest.Object) ([]splice.Edit, error) {
		edits, err := setMark(now.Node, FieldsMark, strings.Join(marks, " "))
		if err != nil {
			return nil, f.fail(o, at, err, "")
		}
		return edits, nil
	})
}

// copiesOf returns what the rule for the kind of a resource copies.
func (f *filler) copiesOf(o manifest.Object) (out []*config.CopyRule) {
	for i := range f.settings.Kinds.Value {
		if k := &f.settings.Kinds.Value[i]; string(k.Kind) == o.Kind && k.Group == o.Group() {
			for j := range k.Copies {
				out = append(out, &k.Copies[j])
			}
		}
	}
	return out
}

// fieldOf returns the field that a rule writes into a resource; one without a mark where it has nothing to write.
func (f *filler) fieldOf(
	ctx context.Context, o manifest.Object, hide func(path []string, v value), rule *config.CopyRule,
) (one filled, err error) {
	path, name := rule.To.Fields(), string(rule.Name)
	if name == "" {
		name = o.Node.At(rule.NameFrom.Fields()...).StringValue()
	}
	parent := o.Node.At(path[:len(path)-1]...)
	if !parent.IsMap() || name == "" {
		return one, nil
	}
	of := manifest.Object{Kind: string(rule.Kind), Namespace: namespaceOf(f.out, f.settings, o), Name: name}
	v, err := f.values.of(ctx, of, string(rule.Key))
	switch {
	case err != nil:
		return one, f.fail(o, parent.Offset(), fmt.Errorf("copy into %s: %w", rule.To, err), "")
	case !utf8.ValidString(v.text):
		return one, f.fail(o, parent.Offset(), fmt.Errorf("copy into %s: the value of key %s of %s is no text", rule.To,
			diag.Quote(string(rule.Key)), of), "")
	}
	before, err := f.before(o, parent.Get(path[len(path)-1]), rule, v.text)
	if err != nil {
		return one, err
	}
	if v.isHidden {
		hide(path, v)
	}
	if before == "" {
		return one, nil
	}
	mark := before + "/" + strings.Join(path, "/") + "=" + strings.Join([]string{of.Kind, name, string(rule.Key)}, "/")
	return filled{path, v.text, mark}, nil
}

// What a field was before it got a value.
const (
	fieldMissing = "+"
	fieldNull    = "~"
	fieldEmpty   = "-"
)

// before returns what a field is before it gets a value; "" where it has that value.
func (f *filler) before(o manifest.Object, field manifest.Node, rule *config.CopyRule, value string) (string, error) {
	switch {
	case !field.Valid():
		return fieldMissing, nil
	case field.Type() == manifest.Null:
		return fieldNull, nil
	case field.Type() == manifest.String && field.StringValue() == value:
		return "", nil
	case field.Type() == manifest.String && field.StringValue() == "":
		return fieldEmpty, nil
	}
	return "", f.fail(o, field.Offset(), fmt.Errorf("copy into %s: the field has another value", rule.To),
		"Delete the field, or the rule under kinds.")
}

// hide hides a value in what is shown of a resource.
func (f *filler) hide(d *manifest.Document, o manifest.Object, items func() map[int]int, path []string, v value) {
	var at []any
	if !o.Node.SameAs(d.Root()) {
		if i, ok := items()[o.Node.Offset()]; ok {
			at = []any{"items", i}
		}
	}
	for _, name := range path {
		at = append(at, name)
	}
	h := render.Hidden{Places: []render.HiddenPlace{{Path: at}}, Values: redact.NewValues(v.text),
		Decrypted: v.isDecrypted}
	f.added.hidden = append(f.added.hidden, hiddenCopy{d.Start, 0, h})
}

func (f *filler) fail(o manifest.Object, offset int, err error, hint string) error {
	var known *diag.Error
	out := diag.Error{Exit: diag.ExitInput, Err: err, Hint: hint}
	if errors.As(err, &known) {
		out.Exit, out.Hint = known.Exit, known.Hint
	}
	out.Object, out.Pos = o.String(), lineAt(f.text, offset)
	return &out
}

// withoutField takes the value that a word of a mark is about out of a resource.
func withoutField(o manifest.Object, word string) ([]splice.Edit, error) {
	before, rest, isPath := strings.Cut(word, "/")
	way, _, isMark := strings.Cut(rest, "=")
	path := strings.Split(way, "/")
	if !isPath || !isMark || !o.Node.At(path...).Valid() {
		return nil, nil
	}
	switch before {
	case fieldMissing:
		return splice.Delete(o.Node, path)
	case fieldNull:
		return splice.Set(o.Node, path, nil)
	case fieldEmpty:
		return splice.Set(o.Node, path, "")
	}
	return nil, nil
}
