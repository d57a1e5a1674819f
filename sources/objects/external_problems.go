package objects

import (
	"fmt"
	"regexp"

	"github.com/rollstamp/rollstamp/manifest"
)

// externalProblems checks the spec at path as the operator's admission does.
func externalProblems(path ...string) func(*problems, manifest.Node) {
	return func(p *problems, root manifest.Node) {
		spec := root.At(path...)
		store := spec.Get("secretStoreRef")
		p.storeRef(store, "secretStoreRef")
		target := spec.Get("target")
		p.mapping(target, "target")
		p.text(target.Get("name"), "", "target.name")
		p.mapping(target.Get("template"), "target.template")
		entries := 0
		var storeless manifest.Node // the first entry that takes its store from the spec
		for it := spec.Get("data").Elements(); it.Next(); {
			entries++
			if p.externalData(it.Item) && !storeless.Valid() {
				storeless = it.Item
			}
		}
		for entry := range spec.Get("dataFrom").Items() {
			entries++
			if p.externalFrom(entry) && !storeless.Valid() {
				storeless = entry
			}
		}
		if entries == 0 {
			p.add(root, "", "there is neither data nor dataFrom")
		}
		if storeless.Valid() && store.Get("name").StringValue() == "" && (store.IsMap() || !store.Valid()) {
			at := store
			if !at.Valid() {
				at = storeless
			}
			p.whenAsking(at, "", "no store is named, neither by secretStoreRef nor by the entry's sourceRef.storeRef")
		}
		p.externalTemplate(spec.At("target", "template"))
	}
}

// storeRef checks what names a store.
func (p *problems) storeRef(ref manifest.Node, what string) {
	p.mapping(ref, what)
	p.text(ref.Get("name"), "", what+".name")
	switch kind := ref.Get("kind").StringValue(); kind {
	case "", "SecretStore", "ClusterSecretStore":
	default:
		p.whenAsking(ref.Get("kind"), "", "%s.kind is neither SecretStore nor ClusterSecretStore", what)
	}
}

// externalData checks an entry of data, and reports whether it takes its store from the spec. There may be thousands,
// so its fields are gone through once.
func (p *problems) externalData(entry manifest.Node) (storeless bool) {
	key, remote, source := "", manifest.Node{}, manifest.Node{}
	for f := entry.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "secretKey":
			key = f.Value.StringValue()
			p.text(f.Value, key, "secretKey")
		case "remoteRef":
			remote = f.Value
		case "sourceRef":
			source = f.Value
		}
	}
	hasKey := p.remoteRef(remote, key, "remoteRef")
	switch {
	case key == "":
		p.add(entry, "", "an entry of data has no secretKey")
	case !hasKey:
		p.add(entry, key, "the entry of data for key %q has no remoteRef.key", key)
	}
	return p.ownStore(source, key)
}

// remoteRef checks a place in a store, and reports whether it has a key.
func (p *problems) remoteRef(ref manifest.Node, key, what string) (hasKey bool) {
	for f := ref.Fields(); f.Next(); {
		switch name := f.Key.Text(); name {
		case "key", "property", "version":
			t, text := f.Value.Typed()
			if t != manifest.String {
				p.text(f.Value, key, what+"."+name)
			}
			hasKey = hasKey || name == "key" && t != manifest.Null && text != ""
		}
	}
	return hasKey
}

// ownStore checks the sourceRef of an entry, and reports whether the entry takes its store from the spec.
func (p *problems) ownStore(source manifest.Node, key string) (storeless bool) {
	if !source.Valid() {
		return true
	}
	p.mapping(source, "sourceRef")
	if source.Get("generatorRef").IsMap() {
		return false
	}
	ref := source.Get("storeRef")
	p.storeRef(ref, "sourceRef.storeRef")
	if ref.IsMap() && ref.Get("name").StringValue() == "" {
		p.whenAsking(ref, key, "no store is named: sourceRef.storeRef has no name")
	}
	return !ref.IsMap()
}

// externalFrom checks an entry of dataFrom, and reports whether it takes its store from the spec.
func (p *problems) externalFrom(entry manifest.Node) (storeless bool) {
	extract, find, source := entry.Get("extract"), entry.Get("find"), entry.Get("sourceRef")
	ways := 0
	for _, way := range []manifest.Node{extract, find, source.Get("generatorRef")} {
		if way.IsMap() {
			ways++
		}
	}
	if ways != 1 && (ways > 0 || !source.IsMap()) {
		p.add(entry, "", "an entry of dataFrom needs one of extract, find and sourceRef.generatorRef, and has %d", ways)
	}
	if extract.IsMap() && !p.remoteRef(extract, "", "extract") {
		p.whenAsking(extract, "", "an entry of dataFrom has no extract.key")
	}
	p.find(find)
	return p.ownStore(source, "") && ways > 0
}

// find checks a search. That it has no condition is no mistake: some providers return all that there is then.
func (p *problems) find(n manifest.Node) {
	name, tags := n.Get("name"), n.Get("tags")
	p.text(n.Get("path"), "", "find.path")
	p.mapping(name, "find.name")
	p.mapping(tags, "find.tags")
	for f := tags.Fields(); f.Next(); {
		p.text(f.Value, "", "a value of find.tags")
	}
	pattern := name.Get("regexp")
	p.text(pattern, "", "find.name.regexp")
	if _, err := regexp.Compile(pattern.StringValue()); err != nil {
		p.whenAsking(pattern, "", "find.name.regexp is no regular expression")
	}
}

func (p *problems) externalTemplate(t manifest.Node) {
	for f := t.Get("data").Fields(); f.Next(); {
		p.template(f.Value, f.Key.Field(), fmt.Sprintf("key %q of target.template.data", f.Key.Field()))
	}
	for from := range t.Get("templateFrom").Items() {
		literal := from.Get("literal")
		if !literal.Valid() && !from.Get("configMap").IsMap() && !from.Get("secret").IsMap() {
			p.add(from, "", "an entry of templateFrom needs one of configMap, secret and literal")
		}
		p.template(literal, "", "literal of target.template.templateFrom")
	}
}
