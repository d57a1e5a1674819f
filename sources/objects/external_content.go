package objects

import (
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

var (
	remoteDefaults = []canonical.Default{
		canonical.DefaultString("conversionStrategy", "Default"), canonical.DefaultString("decodingStrategy", "None"),
		canonical.DefaultString("metadataPolicy", "None"), canonical.DefaultString("nullBytePolicy", "Ignore"),
	}
	mergeDefaults = []canonical.Default{
		canonical.DefaultString("merge.priorityPolicy", "Strict"), canonical.DefaultString("merge.conflictPolicy", "Error"),
		canonical.DefaultString("merge.strategy", "Extract"),
	}
	generatorDefaults = []canonical.Default{
		canonical.DefaultNumber("length", "24"), canonical.DefaultFalse("noUpper"), canonical.DefaultFalse("allowRepeat"),
		canonical.DefaultString("encoding", "raw"), canonical.DefaultString("keyType", "rsa"),
		canonical.DefaultString("resultType", "Data"), canonical.DefaultFalse("allowEmptyResponse"),
		canonical.DefaultString("environmentType", "PublicCloud"),
	}
)

// external builds the content of the spec at path.
func external(path ...string) func(*builder) {
	return func(b *builder) {
		e := externalSecret{builder: b, spec: b.producer.node.At(path...)}
		e.template = e.spec.At("target", "template")
		e.store, e.where = e.storeOf(e.spec.Get("secretStoreRef"))
		e.build()
	}
}

type externalSecret struct {
	*builder
	spec     manifest.Node
	template manifest.Node
	store    canonical.Value // that of parts which name none
	where    sources.Store
}

func (e *externalSecret) build() {
	// Two questions decide: are there templates for the data, and are their keys known?
	templates := e.template.Get("data").Len()+e.template.Get("templateFrom").Len() > 0
	merge := e.template.Get("mergePolicy").StringValue() == "Merge"
	texts, unknownKeys := e.textsOf(e.template)
	if !templates || merge && !unknownKeys {
		e.values()
	}
	if unknownKeys {
		e.put(Anything, canonical.ClassSpec, func() canonical.Value {
			all := canonical.List()
			for _, t := range texts {
				all.Items = append(all.Items, t.value)
			}
			return e.inputs(canonical.Value{Shape: canonical.Map}.With("templates", all), allInputs())
		})
	} else {
		for _, t := range texts {
			e.put(t.key, canonical.ClassSpec, func() canonical.Value {
				v := t.value.Set("key", canonical.Value{}).Set("as", canonical.Value{})
				if !t.known {
					return e.inputs(v, allInputs())
				}
				return e.inputs(v, inputsOf([]byte(t.text)))
			})
		}
	}
	for f := e.template.Get("data").Fields(); f.Next(); {
		e.put(f.Key.Field(), canonical.ClassSpec, func() canonical.Value {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(f.Value))
			return e.inputs(v, inputsOf([]byte(f.Value.Text())))
		})
	}
}

// values adds what there is without a template.
func (e *externalSecret) values() {
	if from := e.spec.Get("dataFrom"); from.Len() > 0 {
		e.put(Anything, canonical.ClassSpec,
			func() canonical.Value { return canonical.Value{Shape: canonical.Map}.With("dataFrom", e.partsOf(from)) })
	}
	for i := range e.producer.keys {
		if k := &e.producer.keys[i]; !e.skip(e.text(k.key)) {
			e.addKey(e.text(k.key), e.text(k.remoteKey), e.text(k.property))
		}
	}
	for it := e.spec.Get("data").Elements(); it.Next(); {
		if key := it.Item.Get("secretKey").StringValue(); key != "" && !e.skip(key) {
			e.begin(key, canonical.ClassSpec)
			e.end(e.part(it.Item))
		}
	}
}

// text returns a piece of the producer's text.
func (e *externalSecret) text(s manifest.Span) string { return e.spec.Document().Piece(s) }

// addKey adds a key whose place in the store of the spec is all that shapes it.
func (e *externalSecret) addKey(key, remoteKey, property string) {
	e.begin(key, canonical.ClassSpec)
	answer, _ := e.answerTo(&sources.Ref{Store: e.where, Key: remoteKey, Property: property}, manifest.Node{})
	if e.request.onlyRefs {
		return
	}
	var inner [256]byte
	remote := canonical.AppendText(append(inner[:0], byte(canonical.Map)), "key", remoteKey)
	if property != "" {
		remote = canonical.AppendText(remote, "property", property)
	}
	from := len(e.out.buf)
	out := append(append(e.out.buf, e.class...), 0)
	out = canonical.AppendItem(canonical.AppendItem(out, "remoteRef"), remote)
	if e.store.Text != "" {
		out = canonical.AppendItem(canonical.AppendItem(out, "store"), e.store.Text)
	}
	switch {
	case answer.Version == sources.Lease:
	case answer.Version != "":
		out = canonical.AppendText(out, "version", answer.Version)
	case answer.Digest != "":
		out = canonical.AppendText(out, "value", answer.Digest)
	}
	e.out.buf = out
	e.pairs = append(e.pairs, Pair{Key: key, Value: redact.New(out[from:len(out):len(out)]), StandIn: true})
}

// inputs adds to a template what it takes in. Of one name in data and in dataFrom, that in data counts.
func (e *externalSecret) inputs(v canonical.Value, in inputNames) canonical.Value {
	data := canonical.Value{Shape: canonical.Map}
	for entry := range e.spec.Get("data").Items() {
		if key := entry.Get("secretKey").StringValue(); key != "" && in.needs(key) {
			data = data.Set(key, canonical.Value{}).With(key, e.part(entry))
		}
	}
	v = v.With("data", data)
	if from := e.spec.Get("dataFrom"); in.needsOther(e.spec.Get("data")) {
		v = v.With("dataFrom", e.partsOf(from))
	}
	return v
}

func (e *externalSecret) partsOf(entries manifest.Node) canonical.Value {
	out := canonical.List()
	for entry := range entries.Items() {
		out.Items = append(out.Items, e.part(entry))
	}
	return out
}

// part returns an entry of data or dataFrom.
func (e *externalSecret) part(entry manifest.Node) canonical.Value {
	out := e.reader.Mapping(6)
	store, where := e.store, &e.where
	var source string
	var generator, at manifest.Node
	for f := entry.Fields(); f.Next(); {
		switch name := f.Key.Text(); name {
		case "remoteRef", "extract", "find":
			if f.Value.IsMap() {
				source, at = name, f.Value
				if !e.request.onlyRefs {
					out.Add(name, e.reader.Read(f.Value, canonical.SchemaKeys, remoteDefaults))
				}
			}
		case "rewrite":
			rewrite := canonical.List()
			for r := range f.Value.Items() {
				rewrite.Items = append(rewrite.Items, canonical.Read(r).Without(mergeDefaults))
			}
			out.Add(name, rewrite)
		case "sourceRef":
			generator = f.Value.Get("generatorRef")
			if ref := f.Value.Get("storeRef"); ref.IsMap() {
				named, at := e.storeOf(ref)
				store, where = named, &at
			}
		}
	}
	if generator.IsMap() {
		e.addUnversioned(Made)
		out.Add("generator", e.generator(generator))
		return out
	}
	out.Add("store", store)
	e.ask(&out, source, where, at)
	return out
}

// ask adds what the lock or the store says of a part, whose source is at a node.
func (e *externalSecret) ask(part *canonical.Value, source string, where *sources.Store, at manifest.Node) {
	ref := sources.Ref{Store: *where}
	switch source {
	case "":
		return
	case "find":
		ref.Find = searchOf(canonical.Read(at))
		e.addRef(part, source, ref, manifest.Node{})
		return
	}
	written := false // a version is, if only as nothing
	for f := at.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "key":
			ref.Key = canonical.Scalar(f.Value).Text
		case "property":
			ref.Property = canonical.Scalar(f.Value).Text
		case "version":
			ref.Version, written = canonical.Scalar(f.Value).Text, true
		case "metadataPolicy":
			if p := sources.ProviderOf(where.Provider); f.Value.StringValue() == "Fetch" && (p == nil || !p.MetadataMoves) {
				e.addUnversioned(Metadata)
			}
		}
	}
	if written {
		at = manifest.Node{}
	}
	e.addRef(part, source, ref, at)
}

func searchOf(v canonical.Value) *sources.Find {
	find := &sources.Find{Path: v.Get("path").Text, Name: v.At("name.regexp").Text}
	if tags := v.Get("tags"); len(tags.Names) > 0 {
		find.Tags = map[string]string{}
		for i, name := range tags.Names {
			find.Tags[name] = tags.Items[i].Text
		}
	}
	return find
}

// generator returns a generator, with its spec where that is at hand.
func (e *externalSecret) generator(ref manifest.Node) canonical.Value {
	kind, name := ref.Get("kind").StringValue(), ref.Get("name").StringValue()
	out := canonical.Value{Shape: canonical.Map}.With("kind", canonical.String(kind)).With("name", canonical.String(name))
	if n := e.environment.lookup(kind, e.producer.Namespace, name); n.Valid() {
		e.out.Beyond = true
		out = out.With("spec", canonical.Read(n.Get("spec")).Set("controller", canonical.Value{}).Without(generatorDefaults))
	}
	return out
}
