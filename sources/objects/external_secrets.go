package objects

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// The External Secrets Operator.
var externalSecrets = operator{
	rows: map[string][]row{
		"ExternalSecret": {{
			group: externalGroup, kind: secret, name: names("spec.target.name"), ownName: true,
			kindAt: fields("spec.target.manifest.kind"), policyAt: fields("spec.target.creationPolicy"),
			content: external("spec"), problems: externalProblems("spec"), merge: mergesInto("spec"),
			copiedBy: fields("spec.target.template.metadata.annotations"), refresh: fields("metadata.annotations"),
			stale: externalStale("spec"),
		}},
		"ClusterExternalSecret": {{
			group: externalGroup, kind: secret, ownName: true, anywhere: true,
			name:     names("spec.externalSecretSpec.target.name", "spec.externalSecretName"),
			kindAt:   fields("spec.externalSecretSpec.target.manifest.kind"),
			policyAt: fields("spec.externalSecretSpec.target.creationPolicy"),
			content:  external("spec", "externalSecretSpec"), problems: externalProblems("spec", "externalSecretSpec"),
			merge:    mergesInto("spec.externalSecretSpec"),
			copiedBy: fields("spec.externalSecretSpec.target.template.metadata.annotations"),
			refresh:  fields("spec.externalSecretMetadata.annotations"),
			stale:    externalStale("spec", "externalSecretSpec"), chooses: choosesNamespace,
		}},
	},
	refersTo: map[string]string{
		"SecretStore": externalGroup, "ClusterSecretStore": externalGroup,
		"ACRAccessToken": generators, "BeyondtrustWorkloadCredentialsDynamicSecret": generators,
		"ClusterGenerator": generators, "CloudsmithAccessToken": generators, "ECRAuthorizationToken": generators,
		"Fake": generators, "GCRAccessToken": generators, "GithubAccessToken": generators,
		"GitlabDeployToken": generators, "Grafana": generators, "MFA": generators, "Password": generators,
		"QuayAccessToken": generators, "SSHKey": generators, "STSSessionToken": generators, "UUID": generators,
		"VaultDynamicSecret": generators, "Webhook": generators,
	},
}

// What an ExternalSecret, or the one in a ClusterExternalSecret, says of each key. The types are those of
// its API v1; v1beta1 differs in nothing that counts here.
const (
	externalGroup = "external-secrets.io"
	generators    = "generators.external-secrets.io"
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
	textDefaults = []canonical.Default{canonical.DefaultString("valuesDecodingStrategy", "None")}
)

// mergesInto reports whether the object lays its keys over what is there.
func mergesInto(path string) merge {
	return func(producer, _ manifest.Object) config.MergeStrategy {
		switch producer.Node.At(fields(path)...).At("target", "creationPolicy").StringValue() {
		case "Merge", "CreateOrMerge":
			return config.MergeOverlay
		}
		return config.MergeIgnore
	}
}

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
	texts    []externalText
}

// externalText is a template from another object, or one that makes keys of its own.
type externalText struct {
	key   string // "" of a literal
	value canonical.Value
	known bool   // the text is at hand
	text  string // if so
}

func (e *externalSecret) build() {
	// Two questions decide: are there templates for the data, and are their keys known?
	templates := e.template.Get("data").Len()+e.template.Get("templateFrom").Len() > 0
	merge := e.template.Get("mergePolicy").StringValue() == "Merge"
	unknownKeys := e.collectTexts()
	if !templates || merge && !unknownKeys {
		e.values()
	}
	if unknownKeys {
		e.put(Anything, canonical.ClassSpec, func() canonical.Value {
			all := canonical.List()
			for _, t := range e.texts {
				all.Items = append(all.Items, t.value)
			}
			return e.inputs(canonical.Value{Shape: canonical.Map}.With("templates", all))
		})
	} else {
		for _, t := range e.texts {
			e.put(t.key, canonical.ClassSpec, func() canonical.Value {
				v := t.value.Set("key", canonical.Value{}).Set("as", canonical.Value{})
				if t.known && !hasTemplate([]byte(t.text)) {
					return v
				}
				return e.inputs(v)
			})
		}
	}
	for f := e.template.Get("data").Fields(); f.Next(); {
		t := f.Value.Text()
		e.put(f.Key.Field(), canonical.ClassSpec, func() canonical.Value {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(f.Value))
			if !hasTemplate([]byte(t)) {
				return v
			}
			return e.inputs(v)
		})
	}
}

// values makes what there is without a template.
func (e *externalSecret) values() {
	if from := e.spec.Get("dataFrom"); from.Len() > 0 {
		e.put(Anything, canonical.ClassSpec, func() canonical.Value { return canonical.Value{Shape: canonical.Map}.With("dataFrom", e.partsOf(from)) })
	}
	for it := e.spec.Get("data").Elements(); it.Next(); {
		if key := it.Item.Get("secretKey").StringValue(); key != "" && !e.skip(key) {
			e.begin(key, canonical.ClassSpec)
			e.end(e.part(it.Item))
		}
	}
}

// inputs adds to a template all that it can take in.
func (e *externalSecret) inputs(v canonical.Value) canonical.Value {
	data := canonical.Value{Shape: canonical.Map}
	for entry := range e.spec.Get("data").Items() {
		if key := entry.Get("secretKey").StringValue(); key != "" {
			data = data.Set(key, canonical.Value{}).With(key, e.part(entry))
		}
	}
	return v.With("data", data).With("dataFrom", e.partsOf(e.spec.Get("dataFrom")))
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
					out.Add(name, e.reader.Read(f.Value, false, remoteDefaults))
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
				own, at := e.storeOf(ref)
				store, where = own, &at
			}
		}
	}
	if generator.IsMap() {
		e.unversioned(Made)
		out.Add("generator", e.generator(generator))
		return out
	}
	out.Add("store", store)
	e.ask(&out, source, where, at)
	return out
}

// ask adds what the lock or the store says of a part, whose source stands at a node.
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
				e.unversioned(Metadata)
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

// storeOf returns a store as it counts, and with what its object says, where that is at hand.
func (e *externalSecret) storeOf(ref manifest.Node) (canonical.Value, sources.Store) {
	s := sources.Store{Kind: "SecretStore", Name: ref.Get("name").StringValue()}
	if kind := ref.Get("kind").StringValue(); kind != "" {
		s.Kind = kind
	}
	out := e.reader.Mapping(2)
	if s.Kind == "SecretStore" {
		s.Namespace = e.producer.Namespace
	} else {
		out.Add("kind", canonical.String(s.Kind))
	}
	out.Add("name", canonical.String(s.Name))
	s.Provider, s.Fields = describeStore(e.environment.lookup(s.Kind, s.Namespace, s.Name))
	s.Namespace = e.known(s.Namespace)
	if e.environment.options().CountAddresses && len(s.Fields) > 0 {
		where := canonical.Value{Shape: canonical.Map}
		for _, field := range slices.Sorted(maps.Keys(s.Fields)) {
			where = where.With(field, canonical.String(s.Fields[field]))
		}
		out = out.With("address", where)
	}
	return out.Encoded(), s
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

// collectTexts gathers the templates of templateFrom, and reports whether some make keys that are not known.
func (e *externalSecret) collectTexts() (unknownKeys bool) {
	for from := range e.template.Get("templateFrom").Items() {
		target := from.Get("target").StringValue()
		if strings.EqualFold(target, "Annotations") || strings.EqualFold(target, "Labels") {
			continue
		}
		common := canonical.Value{Shape: canonical.Map}.With("valuesDecodingStrategy", canonical.Read(from.Get("valuesDecodingStrategy"))).Without(textDefaults)
		if target != "" && !strings.EqualFold(target, "Data") {
			common, unknownKeys = common.With("target", canonical.String(target)), true
		}
		for _, kind := range []string{configMap, secret} {
			ref := from.Get(strings.ToLower(kind[:1]) + kind[1:])
			for item := range ref.Get("items").Items() {
				t := e.textOf(kind, ref.Get("name").StringValue(), item.Get("key").StringValue())
				t.value = t.value.And(common)
				if as := item.Get("templateAs").StringValue(); as == "" || as == "Values" {
					t.value = t.value.With("key", canonical.String(t.key))
				} else {
					t.value, unknownKeys = t.value.With("as", canonical.String("KeysAndValues")), true
				}
				e.texts = append(e.texts, t)
			}
		}
		if literal := from.Get("literal"); literal.Type() == manifest.String {
			v := canonical.Value{Shape: canonical.Map}.With("template", canonical.Read(literal)).With("as", canonical.String("literal")).And(common)
			e.texts, unknownKeys = append(e.texts, externalText{value: v, known: true, text: literal.Text()}), true
		}
	}
	return unknownKeys
}

// textOf returns the template that lies under a key of a ConfigMap or Secret, or else where it would lie.
func (e *externalSecret) textOf(kind, name, key string) externalText {
	t := externalText{key: key, value: canonical.Value{Shape: canonical.Map}}
	if p, hasKey, isObject := e.environment.value(kind, e.producer.Namespace, name, key, e.depth); isObject {
		e.out.Beyond = true
		if hasKey {
			e.out.Plain = e.out.Plain || !p.StandIn && kind == secret
			t.text, t.known = string(p.Value.Reveal()), !p.StandIn
			t.value = t.value.With("template", canonical.String(t.text))
			return t
		}
	}
	t.value = t.value.With("from", canonical.Value{Shape: canonical.Map}.With("kind", canonical.String(kind)).
		With("name", canonical.String(name)).With("key", canonical.String(key)))
	return t
}

// describeStore returns the provider of a store and what its object says of where it is.
func describeStore(object manifest.Node) (provider string, fields map[string]string) {
	if !object.Valid() {
		return "", nil
	}
	spec := object.At("spec", "provider")
	for f := spec.Fields(); f.Next(); {
		provider = f.Key.Text()
		fields = map[string]string{}
		addAddress(fields, "", canonical.Read(f.Value))
	}
	if provider == "aws" {
		switch fields["service"] {
		case "ParameterStore":
			provider = "aws-ssm"
		case "CertificateManager":
			provider = "aws-acm"
		default:
			provider = "aws-sm"
		}
	}
	return provider, fields
}

// addAddress adds the fields of a store by dotted path, but for how to log in there.
func addAddress(to map[string]string, prefix string, v canonical.Value) {
	for i, field := range v.Names {
		switch item := v.Items[i]; {
		case field == "auth" || field == "caBundle" || field == "caProvider":
		case item.Shape == canonical.Map:
			addAddress(to, prefix+field+".", item)
		default:
			to[prefix+field] = item.JSON()
		}
	}
}

// externalStale returns why the operator does not fetch again what the spec at path says.
func externalStale(path ...string) func(manifest.Node) string {
	return func(root manifest.Node) string {
		spec := root.At(path...)
		interval, err := time.ParseDuration(spec.Get("refreshInterval").StringValue())
		switch policy := spec.Get("refreshPolicy").StringValue(); {
		case spec.At("target", "immutable").IsTrue():
			return "target.immutable is set: what has been fetched once never changes"
		case policy == "CreatedOnce":
			return "refreshPolicy is CreatedOnce: nothing is fetched a second time"
		case policy != "OnChange" && err == nil && interval <= 0:
			return "refreshInterval is 0: nothing is fetched a second time"
		}
		return ""
	}
}

// choosesNamespace reports whether a ClusterExternalSecret names the namespace or has a selector for it; without either
// it says nothing.
func choosesNamespace(root manifest.Node, namespace string, labels labelSet) bool {
	spec := root.Get("spec")
	named, one, several := spec.Get("namespaces"), spec.Get("namespaceSelector"), spec.Get("namespaceSelectors")
	if named.Len() == 0 && !one.IsMap() && several.Len() == 0 {
		return true
	}
	for n := range named.Items() {
		if n.StringValue() == namespace {
			return true
		}
	}
	for s := range several.Items() {
		if selects(s, labels) {
			return true
		}
	}
	return one.IsMap() && selects(one, labels)
}
