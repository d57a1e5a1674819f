package substitute

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// standIn is a value for a secret variable that no text holds by chance. YAML reads it as a string.
const standIn = "xRollstampHiddenx"

// hide finds where the object shows the values of hidden variables, those of Secrets or the others: where it becomes
// another one when these have other values.
func (o *object) hide(secret map[string]bool, ofSecrets bool) {
	if !slices.Contains(slices.Collect(maps.Values(secret)), ofSecrets) {
		return
	}
	var values []string
	hidden := render.Hidden{InClear: !ofSecrets}
	other := &substitution{vars: map[string]Var{}, options: o.options}
	for name, v := range o.vars {
		if isSecret, is := secret[name]; is && isSecret == ofSecrets {
			values = append(values, v.Value)
			hidden.Decrypted = hidden.Decrypted || v.Secrecy == redact.HoldsDecrypted
			v = Var{Value: standIn + strconv.Itoa(len(values)) + "x"}
		}
		other.vars[name] = v
	}
	hidden.Values = redact.NewValues(values...)
	shown := o.parsed
	if shown == nil {
		shown, _ = manifest.Parse(o.changed)
	}
	again := object{substitution: other, text: o.text}
	var replaced any
	if text, _, err := again.expand(o.known); err == nil {
		replaced = valueOf(text) // nil hides all of it
	}
	f := finder{values: values, secrets: hidden.Values}
	f.compare(value(shown.Root()), replaced, nil)
	if hidden.Places = f.places; len(f.places) > 0 {
		o.hidden = append(o.hidden, hidden)
	}
}

// valueOf returns what a text holds; nil where that cannot be read.
func valueOf(text string) any {
	doc, err := manifest.Parse([]byte(text))
	if err != nil {
		return nil
	}
	return value(doc.Root())
}

// finder compares two values, and notes the places where they differ.
type finder struct {
	values  []string
	secrets *redact.Values
	places  []render.HiddenPlace
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
	return f.secrets.Replace(text, func(value string) string {
		return standIn + fmt.Sprint(slices.Index(f.values, value)+1) + "x"
	}) == other
}
