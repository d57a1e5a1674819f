package substitute

import (
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// standIn is a value for a secret variable that no text holds by chance. YAML reads it as a string.
const standIn = "xRollstampHiddenx"

// hide finds where the object shows values of Secrets: where it becomes another one when these have other values.
func (o *object) hide(tree []byte, asked questions) {
	var values []string
	other := &substitution{vars: map[string]Var{}, options: o.options}
	for name, v := range o.vars {
		if asked.secret[name] {
			values = append(values, v.Value)
			v = Var{Value: standIn + strconv.Itoa(len(values)) + "x"}
		}
		other.vars[name] = v
	}
	o.secrets = redact.NewValues(values...)
	shown, err := decode(tree)
	if err != nil {
		return
	}
	twin := object{substitution: other, text: o.text}
	var replaced any
	text, _, err := twin.expand(string(o.text))
	if err == nil {
		err = yaml.Unmarshal([]byte(text), &replaced)
	}
	if err != nil {
		replaced = nil // then all of it is hidden
	}
	f := finder{values: values}
	f.compare(shown, replaced, nil)
	o.places = f.places
}

// finder compares two values, and notes the places where they differ.
type finder struct {
	values []string
	places []render.HiddenPlace
}

func (f *finder) compare(shown, replaced any, path []any) {
	switch shown := shown.(type) {
	case map[string]any:
		other, _ := replaced.(map[string]any)
		for key, below := range shown {
			at := append(slices.Clone(path), key)
			if with, ok := other[key]; ok {
				f.compare(below, with, at)
				continue
			}
			f.places = append(f.places, render.HiddenPlace{Path: at, Key: true, Whole: true})
			f.compare(below, nil, at)
		}
	case []any:
		other, _ := replaced.([]any)
		for i, below := range shown {
			at := append(slices.Clone(path), i)
			if len(other) == len(shown) {
				f.compare(below, other[i], at)
			} else {
				f.compare(below, nil, at)
			}
		}
	default:
		if shown != replaced {
			f.places = append(f.places, render.HiddenPlace{Path: path, Whole: !f.holds(shown, replaced)})
		}
	}
}

// holds reports whether the values stand in a text as they are, and nothing else of it depends on them.
func (f *finder) holds(shown, replaced any) bool {
	text, is := shown.(string)
	other, also := replaced.(string)
	if !is || !also {
		return false
	}
	values := redact.NewValues(f.values...)
	return values.Replace(text, func(value string) string {
		return standIn + fmt.Sprint(slices.Index(f.values, value)+1) + "x"
	}) == other
}
