package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

var textDefaults = []canonical.Default{canonical.DefaultString("valuesDecodingStrategy", "None")}

// externalText is a template from another object, or one that produces keys of its own.
type externalText struct {
	key   string // "" of a literal
	value canonical.Value
	known bool   // the text is at hand
	text  string // if so
}

// textsOf returns the templates of templateFrom, and reports whether some produce keys that are not known.
func (b *builder) textsOf(template manifest.Node) (texts []externalText, unknownKeys bool) {
	for from := range template.Get("templateFrom").Items() {
		target := from.Get("target").StringValue()
		if strings.EqualFold(target, "Annotations") || strings.EqualFold(target, "Labels") {
			continue
		}
		common := canonical.Value{Shape: canonical.Map}.
			With("valuesDecodingStrategy", canonical.Read(from.Get("valuesDecodingStrategy"))).Without(textDefaults)
		if target != "" && !strings.EqualFold(target, "Data") {
			common, unknownKeys = common.With("target", canonical.String(target)), true
		}
		for _, kind := range []string{configMap, secret} {
			ref := from.Get(strings.ToLower(kind[:1]) + kind[1:])
			for item := range ref.Get("items").Items() {
				t := b.textOf(kind, ref.Get("name").StringValue(), item.Get("key").StringValue())
				t.value = t.value.And(common)
				if as := item.Get("templateAs").StringValue(); as == "" || as == "Values" {
					t.value = t.value.With("key", canonical.String(t.key))
				} else {
					t.value, unknownKeys = t.value.With("as", canonical.String("KeysAndValues")), true
				}
				texts = append(texts, t)
			}
		}
		if literal := from.Get("literal"); literal.Type() == manifest.String {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(literal)).
				With("as", canonical.String("literal")).And(common)
			texts, unknownKeys = append(texts, externalText{value: v, known: true, text: literal.Text()}), true
		}
	}
	return texts, unknownKeys
}

// textOf returns the template that lies under a key of a ConfigMap or Secret, or else where it would lie.
func (b *builder) textOf(kind, name, key string) externalText {
	t := externalText{key: key, value: canonical.Value{Shape: canonical.Map}}
	if p, hasKey, isObject := b.environment.value(kind, b.producer.Namespace, name, key, b.depth); isObject {
		b.out.Beyond = true
		if hasKey {
			b.out.Plain = b.out.Plain || !p.StandIn && kind == secret
			b.secrecy = max(b.secrecy, p.Secrecy)
			t.text, t.known = string(p.Value.Reveal()), !p.StandIn
			t.value = t.value.With("template", canonical.String(t.text))
			return t
		}
	}
	t.value = t.value.With("from", canonical.Value{Shape: canonical.Map}.With("kind", canonical.String(kind)).
		With("name", canonical.String(name)).With("key", canonical.String(key)))
	return t
}
