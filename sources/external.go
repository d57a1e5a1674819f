package sources

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// The External Secrets Operator: what an ExternalSecret, or the one in a ClusterExternalSecret, says of each key. The types are those of
// its API v1; v1beta1 differs in nothing that counts here.
const externalGroup = "external-secrets.io"

var (
	remoteDefaults = []preset{word("conversionStrategy", "Default"), word("decodingStrategy", "None"), word("metadataPolicy", "None"),
		word("nullBytePolicy", "Ignore")}
	mergeDefaults     = []preset{word("merge.priorityPolicy", "Strict"), word("merge.conflictPolicy", "Error"), word("merge.strategy", "Extract")}
	generatorDefaults = []preset{number("length", "24"), no("noUpper"), no("allowRepeat"), word("encoding", "raw"), word("keyType", "rsa"),
		word("resultType", "Data"), no("allowEmptyResponse"), word("environmentType", "PublicCloud")}
	textDefaults = []preset{word("valuesDecodingStrategy", "None")}
)

// metadataMoves are providers whose version moves with the metadata too, or whose values are read.
var metadataMoves = map[string]bool{"kubernetes": true, "fake": true, "webhook": true}

// mergesInto reports whether the object lays its keys over what is there.
func mergesInto(path string) func(producer, own manifest.Object) strategy {
	return func(producer, _ manifest.Object) strategy {
		switch producer.Node.At(fields(path)...).At("target", "creationPolicy").StringValue() {
		case "Merge", "CreateOrMerge":
			return overlay
		}
		return ignore
	}
}

// external makes the content of the spec at path.
func external(path ...string) func(*making) {
	return func(k *making) {
		e := externalSecret{making: k, spec: k.producer.node.At(path...)}
		e.template = e.spec.At("target", "template")
		e.store, e.where = e.storeOf(e.spec.Get("secretStoreRef"))
		e.make()
	}
}

type externalSecret struct {
	*making
	spec     manifest.Node
	template manifest.Node
	store    value // that of parts which name none
	where    Store
	texts    []externalText
}

// externalText is a template from another object, or one that makes keys of its own.
type externalText struct {
	key   string // "" of a literal
	value value
	known bool   // the text is at hand
	text  string // if so
}

func (e *externalSecret) make() {
	// Two questions decide: are there templates for the data, and can their keys be told?
	templates := e.template.Get("data").Len()+e.template.Get("templateFrom").Len() > 0
	merge := e.template.Get("mergePolicy").StringValue() == "Merge"
	untold := e.collectTexts()
	if !templates || merge && !untold {
		e.values()
	}
	if untold {
		e.put(Anything, classSpec, func() value {
			all := list()
			for _, t := range e.texts {
				all.items = append(all.items, t.value)
			}
			return e.inputs(value{shape: mapping}.with("templates", all))
		})
	} else {
		for _, t := range e.texts {
			e.put(t.key, classSpec, func() value {
				v := t.value.set("key", value{}).set("as", value{})
				if t.known && !templated([]byte(t.text)) {
					return v
				}
				return e.inputs(v)
			})
		}
	}
	for f := e.template.Get("data").Fields(); f.Next(); {
		t := f.Value.Text()
		e.put(f.Key.Field(), classSpec, func() value {
			v := value{shape: mapping}.with("template", read(f.Value))
			if !templated([]byte(t)) {
				return v
			}
			return e.inputs(v)
		})
	}
}

// values makes what there is without a template.
func (e *externalSecret) values() {
	if from := e.spec.Get("dataFrom"); from.Len() > 0 {
		e.put(Anything, classSpec, func() value { return value{shape: mapping}.with("dataFrom", e.partsOf(from)) })
	}
	for it := e.spec.Get("data").Elements(); it.Next(); {
		if key := it.Item.Get("secretKey").StringValue(); key != "" && !e.skip(key) {
			e.begin(key, classSpec)
			e.end(e.part(it.Item))
		}
	}
}

// inputs adds to a template all that it can take in.
func (e *externalSecret) inputs(v value) value {
	data := value{shape: mapping}
	for entry := range e.spec.Get("data").Items() {
		if key := entry.Get("secretKey").StringValue(); key != "" {
			data = data.set(key, value{}).with(key, e.part(entry))
		}
	}
	return v.with("data", data).with("dataFrom", e.partsOf(e.spec.Get("dataFrom")))
}

func (e *externalSecret) partsOf(entries manifest.Node) value {
	out := list()
	for entry := range entries.Items() {
		out.items = append(out.items, e.part(entry))
	}
	return out
}

// part returns an entry of data or dataFrom.
func (e *externalSecret) part(entry manifest.Node) value {
	out := e.reader.mapping(6)
	store, where := e.store, &e.where
	var source string
	var generator, at manifest.Node
	for f := entry.Fields(); f.Next(); {
		switch name := f.Key.Text(); name {
		case "remoteRef", "extract", "find":
			if f.Value.IsMap() {
				source, at = name, f.Value
				if !e.wants.asked {
					out.add(name, e.reader.read(f.Value, false, remoteDefaults))
				}
			}
		case "rewrite":
			rewrite := list()
			for r := range f.Value.Items() {
				rewrite.items = append(rewrite.items, read(r).without(mergeDefaults))
			}
			out.add(name, rewrite)
		case "sourceRef":
			generator = f.Value.Get("generatorRef")
			if ref := f.Value.Get("storeRef"); ref.IsMap() {
				own, at := e.storeOf(ref)
				store, where = own, &at
			}
		}
	}
	if generator.IsMap() {
		e.unversioned(Made)
		out.add("generator", e.generator(generator))
		return out
	}
	out.add("store", store)
	e.ask(&out, source, where, at)
	return out
}

// ask adds what the lock or the store says of a part, whose source stands at a node.
func (e *externalSecret) ask(part *value, source string, where *Store, at manifest.Node) {
	ref := Ref{Store: *where}
	switch source {
	case "":
		return
	case "find":
		ref.Find = searchOf(read(at))
		e.answered(part, source, ref, manifest.Node{})
		return
	}
	written := false // a version is, if only as nothing
	for f := at.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "key":
			ref.Key = scalar(f.Value).text
		case "property":
			ref.Property = scalar(f.Value).text
		case "version":
			ref.Version, written = scalar(f.Value).text, true
		case "metadataPolicy":
			if f.Value.StringValue() == "Fetch" && !metadataMoves[where.Provider] {
				e.unversioned(Metadata)
			}
		}
	}
	if written {
		at = manifest.Node{}
	}
	e.answered(part, source, ref, at)
}

func searchOf(v value) *Find {
	find := &Find{Path: v.get("path").text, Name: v.at("name.regexp").text}
	if tags := v.get("tags"); len(tags.names) > 0 {
		find.Tags = map[string]string{}
		for i, name := range tags.names {
			find.Tags[name] = tags.items[i].text
		}
	}
	return find
}

// storeOf returns a store as it counts, and with what its object says, where that is at hand.
func (e *externalSecret) storeOf(ref manifest.Node) (value, Store) {
	s := Store{Kind: "SecretStore", Name: ref.Get("name").StringValue()}
	if kind := ref.Get("kind").StringValue(); kind != "" {
		s.Kind = kind
	}
	out := e.reader.mapping(2)
	if s.Kind == "SecretStore" {
		s.Namespace = e.producer.Namespace
	} else {
		out.add("kind", text(s.Kind))
	}
	out.add("name", text(s.Name))
	s.Provider, s.Fields = e.index.store(s)
	if e.index.shared.addresses && len(s.Fields) > 0 {
		where := value{shape: mapping}
		for _, field := range slices.Sorted(maps.Keys(s.Fields)) {
			where = where.with(field, text(s.Fields[field]))
		}
		out = out.with("address", where)
	}
	return out.written(), s
}

// generator returns a generator, with its spec where that is at hand.
func (e *externalSecret) generator(ref manifest.Node) value {
	kind, name := ref.Get("kind").StringValue(), ref.Get("name").StringValue()
	out := value{shape: mapping}.with("kind", text(kind)).with("name", text(name))
	if n := e.index.lookup(kind, e.producer.Namespace, name); n.Valid() {
		e.out.Beyond = true
		out = out.with("spec", read(n.Get("spec")).set("controller", value{}).without(generatorDefaults))
	}
	return out
}

// collectTexts gathers the templates of templateFrom, and reports whether some make keys that cannot be told.
func (e *externalSecret) collectTexts() (untold bool) {
	for from := range e.template.Get("templateFrom").Items() {
		target := from.Get("target").StringValue()
		if strings.EqualFold(target, "Annotations") || strings.EqualFold(target, "Labels") {
			continue
		}
		common := value{shape: mapping}.with("valuesDecodingStrategy", read(from.Get("valuesDecodingStrategy"))).without(textDefaults)
		if target != "" && !strings.EqualFold(target, "Data") {
			common, untold = common.with("target", text(target)), true
		}
		for _, kind := range []string{configMap, secret} {
			ref := from.Get(strings.ToLower(kind[:1]) + kind[1:])
			for item := range ref.Get("items").Items() {
				t := e.textOf(kind, ref.Get("name").StringValue(), item.Get("key").StringValue())
				t.value = t.value.and(common)
				if as := item.Get("templateAs").StringValue(); as == "" || as == "Values" {
					t.value = t.value.with("key", text(t.key))
				} else {
					t.value, untold = t.value.with("as", text("KeysAndValues")), true
				}
				e.texts = append(e.texts, t)
			}
		}
		if literal := from.Get("literal"); literal.Type() == manifest.String {
			v := value{shape: mapping}.with("template", read(literal)).with("as", text("literal")).and(common)
			e.texts, untold = append(e.texts, externalText{value: v, known: true, text: literal.Text()}), true
		}
	}
	return untold
}

// textOf returns the template that lies under a key of a ConfigMap or Secret, or else where it would lie.
func (e *externalSecret) textOf(kind, name, key string) externalText {
	t := externalText{key: key, value: value{shape: mapping}}
	object, _ := e.index.Find(kind, e.producer.Namespace, name)
	if object != nil && e.depth < maxMade {
		e.out.Beyond = true
		var c Content
		object.decode(&c, e.depth+1, wanted{keys: func(k string) bool { return k == key }})
		for _, p := range c.Pairs {
			if p.Key == key {
				e.out.Plain = e.out.Plain || !p.StandIn && kind == secret
				t.text, t.known = string(p.Value.Reveal()), !p.StandIn
				t.value = t.value.with("template", text(t.text))
				return t
			}
		}
	}
	t.value = t.value.with("from", value{shape: mapping}.with("kind", text(kind)).with("name", text(name)).with("key", text(key)))
	return t
}
