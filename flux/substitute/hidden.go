package substitute

import (
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
	var all []secretText
	hidden := render.Hidden{InClear: !ofSecrets}
	other := &substitution{vars: maps.Clone(o.vars), options: o.options}
	standIns := map[string]string{} // equal values have one
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		v := o.vars[name]
		if secret[name] != ofSecrets {
			continue
		}
		hidden.Decrypted = hidden.Decrypted || v.Secrecy == redact.HoldsDecrypted
		if standIns[v.Value] == "" {
			standIns[v.Value] = standIn + strconv.Itoa(len(standIns)+1) + "x"
			all = append(all, secretText{v.Value, standIns[v.Value]})
		}
		other.vars[name] = Var{Value: standIns[v.Value]}
	}
	again := object{substitution: other, text: o.text}
	all = append(all, o.derived(&again)...)
	shown := o.parsed
	if shown == nil {
		shown, _ = manifest.Parse(o.changed)
	}
	var replaced any
	if text, _, err := again.expand(o.known); err == nil {
		replaced = valueOf(text) // nil hides all of it
	}
	f := newFinder(all)
	f.compare(value(shown.Root()), replaced, nil)
	hidden.Values = f.secrets.And(redact.NewValues(f.words...))
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
	secrets  *redact.Values
	standIns map[string]string // for each of them
	places   []render.HiddenPlace
	words    []string // what is hidden besides, because a value is a part of a word in it
}

func newFinder(all []secretText) *finder {
	f := &finder{standIns: map[string]string{}}
	var values []string
	for _, one := range all {
		values, f.standIns[one.shown] = append(values, one.shown), one.replaced
	}
	f.secrets = redact.NewValues(values...)
	return f
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
			f.noteWord(shown)
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
	return f.secrets.Replace(text, func(value string) string { return f.standIns[value] }) == other
}
