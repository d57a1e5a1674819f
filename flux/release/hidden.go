package release

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// scalars adds the strings and numbers of values, as text.
func scalars(all []string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			all = scalars(all, e)
		}
	case []any:
		for _, e := range v {
			all = scalars(all, e)
		}
	case string:
		all = append(all, v)
	case float64:
		all = append(all, strconv.FormatFloat(v, 'f', -1, 64), fmt.Sprint(v)) // templates print a large one as 7.3e+07
	}
	return all
}

// hider notes where a render shows values that came from Secrets.
type hider struct {
	values    *redact.Values
	decrypted bool // one of them was
	disguise  *disguise
}

func newHider(hidden *redact.Values, r *objects.HelmRelease, values []Values) hider {
	isDecrypted := func(v Values) bool { return v.Secrecy == redact.HoldsDecrypted }
	return hider{values: hidden, decrypted: r.Secrets.Decrypted || slices.ContainsFunc(values, isDecrypted)}
}

// transform adds the places to an output.
func (h hider) transform(ctx context.Context, out *render.Output) (*render.Output, error) {
	if h.values.IsEmpty() {
		return out, nil
	}
	hidden := []render.Hidden{{Values: h.values, Anywhere: true, Decrypted: h.decrypted}} // templates may encode them
	for d, err := range manifest.Documents(out.Text, "") {
		if err != nil {
			return nil, err
		}
		if places := h.inDocument(d); len(places) > 0 {
			hidden = append(hidden, render.Hidden{Offset: d.Start, Places: places, Values: h.values, Decrypted: h.decrypted})
		}
	}
	changed := out.WithHidden(hidden)
	if h.disguise == nil {
		return changed, nil
	}
	ctx = context.WithoutCancel(ctx) // it may be asked for after all applications were rendered
	return changed.WithDerived(func() []render.Hidden { return h.disguise.hidden(ctx, out.Text) }), nil
}

func (h hider) inDocument(d *manifest.Document) []render.HiddenPlace {
	var tree any
	if bytes.TrimSpace(d.Body()) == nil || yaml.Unmarshal(d.Body(), &tree) != nil {
		return nil
	}
	return h.find(tree, nil)
}

// find returns the places below a value. Of a short value, which may be a part of other words, only a scalar of its own
// counts.
func (h hider) find(v any, path []any) (places []render.HiddenPlace) {
	at := func(key any) []any { return append(path[:len(path):len(path)], key) }
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			if h.values.In(key) != key {
				places = append(places, render.HiddenPlace{Path: at(key), Key: true, Whole: true})
			}
			places = append(places, h.find(e, at(key))...)
		}
	case []any:
		for i, e := range v {
			places = append(places, h.find(e, at(i))...)
		}
	case string:
		switch {
		case h.isOne(v):
			places = append(places, render.HiddenPlace{Path: path, Whole: true})
		case h.values.In(v) != v:
			places = append(places, render.HiddenPlace{Path: path})
		}
	case float64:
		if h.isOne(strconv.FormatFloat(v, 'f', -1, 64)) {
			places = append(places, render.HiddenPlace{Path: path, Whole: true})
		}
	}
	return places
}

// isOne reports whether a text is one of the values.
func (h hider) isOne(text string) bool {
	return text != "" && h.values.Replace(text, func(string) string { return "" }) == ""
}
