package release

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// disguise finds what of a render templates make of values that came from Secrets, such as a digest or a part of one:
// what differs where the chart is rendered with other values in their place.
type disguise struct {
	helm    render.Engine
	request render.Request   // with the other values
	then    render.Transform // what helm-controller does with the render
}

// disguisedAll returns what spec.valuesFrom refers to with other values instead of those from Secrets.
func disguisedAll(refs []Values) []Values {
	refs = slices.Clone(refs)
	for i, v := range refs {
		if v.Secrecy != redact.Public {
			refs[i] = v.disguised()
		}
	}
	return refs
}

// disguisedRelease returns a release with other values where variables brought those of Secrets into spec.values.
func disguisedRelease(r *objects.HelmRelease) *objects.HelmRelease {
	var table any
	if len(r.Secrets.Paths) == 0 || json.Unmarshal(r.Spec.Values, &table) != nil {
		return r
	}
	for _, path := range r.Secrets.Paths {
		if len(path) > 2 && path[0] == "spec" && path[1] == "values" {
			shiftAt(table, path[2:])
		}
	}
	text, err := json.Marshal(table)
	if err != nil {
		return r
	}
	other := *r
	other.Spec.Values = text
	return &other
}

// shiftAt changes the letters and digits of what is at a path.
func shiftAt(v any, path []any) {
	switch v := v.(type) {
	case map[string]any:
		key, _ := path[0].(string)
		if below, ok := v[key]; ok && len(path) > 1 {
			shiftAt(below, path[1:])
		} else if ok {
			v[key] = shiftAll(below)
		}
	case []any:
		i, is := path[0].(int)
		switch {
		case !is || i >= len(v):
		case len(path) > 1:
			shiftAt(v[i], path[1:])
		default:
			v[i] = shiftAll(v[i])
		}
	}
}

// disguised returns the value with other letters and digits.
func (v Values) disguised() Values {
	var table any
	if v.TargetPath != "" || yaml.Unmarshal(v.Text, &table) != nil {
		v.Text = []byte(shift(string(v.Text)))
		return v
	}
	if text, err := yaml.Marshal(shiftAll(table)); err == nil {
		v.Text = text
	}
	return v
}

// shiftAll returns values with other letters and digits. Keys, nulls and switches stay.
func shiftAll(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, e := range v {
			out[key] = shiftAll(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = shiftAll(e)
		}
		return out
	case string:
		return shift(v)
	case float64:
		if n, err := strconv.ParseFloat(shift(strconv.FormatFloat(v, 'f', -1, 64)), 64); err == nil {
			return n
		}
		return v + 1
	}
	return v
}

// shift returns a text of the same form: each letter and digit is the next one. What templates take for a switch stays.
func shift(text string) string {
	if one := strings.ToLower(strings.Trim(text, `'"`)); one == "true" || one == "false" || one == "null" {
		return text
	}
	next := func(r, first, last rune) rune {
		if r == last {
			return first
		}
		return r + 1
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return next(r, 'a', 'z')
		case 'A' <= r && r <= 'Z':
			return next(r, 'A', 'Z')
		case '0' <= r && r <= '9':
			return next(r, '1', '9') // no number gets a zero before it
		}
		return r
	}, text)
}

// hidden returns the places of a render that differ in one with other values; all of them where the chart cannot be
// rendered with these.
func (d *disguise) hidden(ctx context.Context, text []byte) (hidden []render.Hidden) {
	ours, theirs := objectsIn(text), d.objects(ctx)
	found := make([][]render.HiddenPlace, len(ours))
	var texts []string
	for i, o := range ours {
		c := comparison{}
		if j := o.indexIn(theirs, i); j < 0 {
			c.hideBelow(o.table(), nil)
		} else if !bytes.Equal(o.text, theirs[j].text) {
			c.compare(o.table(), theirs[j].table(), nil)
		}
		found[i], texts = c.places, append(texts, c.texts...)
	}
	values := redact.NewValues(texts...)
	for i, places := range found {
		if len(places) > 0 {
			hidden = append(hidden, render.Hidden{Offset: ours[i].offset, Places: places, Values: values})
		}
	}
	return hidden
}

// objects returns the objects of the render with other values; none where there is no such render.
func (d *disguise) objects(ctx context.Context) []object {
	out, err := d.helm.Render(ctx, d.request)
	if err == nil {
		out, err = d.then(ctx, out)
	}
	if err != nil {
		return nil
	}
	return objectsIn(out.Text)
}

// object is a document of a render.
type object struct {
	offset                int
	text                  []byte
	kind, namespace, name string
}

// objectsIn returns the documents of a render that hold an object.
func objectsIn(text []byte) (out []object) {
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil
		}
		if root := d.Root(); root.IsMap() {
			of := func(field string) string { return strings.Clone(root.Get("metadata").Get(field).StringValue()) }
			kind := strings.Clone(root.Get("kind").StringValue())
			out = append(out, object{d.Start, d.Body(), kind, of("namespace"), of("name")})
		}
	}
	return out
}

// table returns the document; nil where it cannot be read.
func (o object) table() (table map[string]any) {
	if yaml.Unmarshal(o.text, &table) != nil {
		return nil
	}
	return table
}

// indexIn returns which of the objects of another render is this one: that of its name, else that at its position if
// it is of its kind; -1 where none is.
func (o object) indexIn(all []object, i int) int {
	j := slices.IndexFunc(all, func(other object) bool {
		return other.kind == o.kind && other.namespace == o.namespace && other.name == o.name
	})
	if j < 0 && i < len(all) && all[i].kind == o.kind {
		return i
	}
	return j
}

// comparison is what differs between an object and the same one with other values.
type comparison struct {
	places []render.HiddenPlace
	texts  []string // that stand there
}

func (c *comparison) compare(ours, theirs any, path []any) {
	switch v := ours.(type) {
	case map[string]any:
		other, _ := theirs.(map[string]any)
		for key, e := range v {
			if have, ok := other[key]; ok {
				c.compare(e, have, join(path, key))
			} else {
				c.places = append(c.places, render.HiddenPlace{Path: join(path, key), Key: true, Whole: true})
				c.hideBelow(e, join(path, key))
			}
		}
	case []any:
		other, _ := theirs.([]any)
		for i, e := range v {
			if i < len(other) {
				c.compare(e, other[i], join(path, i))
			} else {
				c.hideBelow(e, join(path, i))
			}
		}
	case string:
		if other, ok := theirs.(string); !ok || other != v {
			c.hideText(v, other, path)
		}
	default:
		if ours != theirs {
			c.places = append(c.places, render.HiddenPlace{Path: path, Whole: true})
		}
	}
}

// hideText hides a text, or the lines of it that differ from those of another one.
func (c *comparison) hideText(text, other string, path []any) {
	lines, others := strings.Split(text, "\n"), strings.Split(other, "\n")
	if len(lines) > 1 && len(lines) == len(others) {
		short := false
		var texts []string
		for i, line := range lines {
			if line != others[i] {
				short = short || len(strings.TrimSpace(line)) < wordLength
				texts = append(texts, strings.TrimSpace(line))
			}
		}
		if !short {
			c.places, c.texts = append(c.places, render.HiddenPlace{Path: path}), append(c.texts, texts...)
			return
		}
	}
	c.places = append(c.places, render.HiddenPlace{Path: path, Whole: true})
	if len(text) >= wordLength && len(lines) == 1 {
		c.texts = append(c.texts, text)
	}
}

// wordLength is how long a text is that is hidden wherever it stands.
const wordLength = 8

// hideBelow hides all that stands below a value, but for what says which object it is.
func (c *comparison) hideBelow(v any, path []any) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			if len(path) == 0 && (key == "apiVersion" || key == "kind" || key == "metadata") {
				continue
			}
			c.hideBelow(e, join(path, key))
		}
	case []any:
		for i, e := range v {
			c.hideBelow(e, join(path, i))
		}
	default:
		c.places = append(c.places, render.HiddenPlace{Path: path, Whole: true})
	}
}

// join returns a path with another element.
func join(path []any, element any) []any { return append(path[:len(path):len(path)], element) }
