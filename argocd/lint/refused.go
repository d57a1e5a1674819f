package lint

import (
	"encoding/json"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
)

// refused reports what the plugin says to a parameter, at the part of its value that it is about.
func (c *checker) refused(p, name *yaml.Node) {
	var whole any
	if c.isWrong(p) || p.Decode(&whole) != nil {
		return
	}
	text, err := json.Marshal(whole)
	if err != nil || strings.Contains(string(text), "{{") {
		return
	}
	if err := argocd.CheckParameter(text); err != nil {
		f := c.report(diag.SourceParameter, refusedPart(p, name), "%v", err)
		f.Hint = diag.HintOf(err)
	}
}

// refusedPart returns the part of a parameter's value that the plugin refuses also by itself: an item of a list, in it
// the line that has another type than it takes, or an entry of a map; else the value.
func refusedPart(p, name *yaml.Node) *yaml.Node {
	isRefused := func(form string, part any) error {
		text, err := json.Marshal(map[string]any{"name": name.Value, form: part})
		if err != nil {
			return nil
		}
		return argocd.CheckParameter(text)
	}
	for _, item := range items(get(p, "array")) {
		if err := isRefused("array", []string{item.Value}); err != nil {
			return within(item, err)
		}
	}
	entries := get(p, "map").Content
	for i := 0; i+1 < len(entries); i += 2 {
		var value any
		if entries[i+1].Decode(&value) == nil && isRefused("map", map[string]any{entries[i].Value: value}) != nil {
			return entries[i]
		}
	}
	at := name
	for _, form := range []string{"string", "array", "map"} {
		at = orParent(get(p, form), at)
	}
	return at
}

// within returns the line in a text of YAML that has another type than it takes, as a node of the file; the text
// itself where the error is another one, or the text's lines are not the file's.
func within(text *yaml.Node, err error) *yaml.Node {
	var wrong *argocd.WrongType
	var doc yaml.Node
	if text.Style&yaml.LiteralStyle == 0 || !errors.As(err, &wrong) ||
		yaml.Unmarshal([]byte(text.Value), &doc) != nil || len(doc.Content) == 0 {
		return text
	}
	key, at := absent, doc.Content[0]
	for _, field := range strings.Split(wrong.Field, ".") {
		if k, v := entry(at, field); k != absent { // a field of an embedded type has the type's name above it
			key, at = k, v
		}
	}
	if key == absent {
		return text
	}
	return &yaml.Node{Line: text.Line + key.Line} // the text begins on the line after the indicator
}
