package objects

import (
	"fmt"
	"regexp"

	"github.com/rollstamp/rollstamp/manifest"
)

// readExternal checks the spec at path as the operator's admission does, and takes the keys where all are usual ones.
func readExternal(path ...string) func(*reading, manifest.Node) {
	return func(r *reading, root manifest.Node) {
		spec := root.At(path...)
		store := spec.Get("secretStoreRef")
		r.storeRef(store, "secretStoreRef")
		target := spec.Get("target")
		r.mapping(target, "target")
		r.text(target.Get("name"), "", "target.name")
		template := target.Get("template")
		r.mapping(template, "target.template")
		data := spec.Get("data")
		storeless := r.externalData(data, template.Get("data").Len()+template.Get("templateFrom").Len() == 0)
		entries := data.IsSeq() && data.Len() > 0
		for entry := range spec.Get("dataFrom").Items() {
			entries = true
			if r.externalFrom(entry) && !storeless.Valid() {
				storeless = entry
			}
		}
		if !entries {
			r.add(root, "", "there is neither data nor dataFrom")
		}
		if storeless.Valid() && store.Get("name").StringValue() == "" && (store.IsMap() || !store.Valid()) {
			at := store
			if !at.Valid() {
				at = storeless
			}
			r.whenAsking(at, "", "no store is named, neither by secretStoreRef nor by the entry's sourceRef.storeRef")
		}
		r.externalTemplate(template)
	}
}

// storeRef checks what names a store.
func (r *reading) storeRef(ref manifest.Node, what string) {
	r.mapping(ref, what)
	r.text(ref.Get("name"), "", what+".name")
	switch kind := ref.Get("kind").StringValue(); kind {
	case "", "SecretStore", "ClusterSecretStore":
	default:
		r.whenAsking(ref.Get("kind"), "", "%s.kind is neither SecretStore nor ClusterSecretStore", what)
	}
}

// externalData checks the entries of data, and returns the first that takes its store from the spec. With keys, it
// takes those where all entries are usual ones: there may be thousands, and their fields are gone through once.
func (r *reading) externalData(data manifest.Node, keys bool) (storeless manifest.Node) {
	if keys = keys && data.IsSeq(); keys {
		r.keys, r.keysAt = make([]keyRef, 0, data.Len()), data
	}
	for it := data.Elements(); it.Next(); {
		key, isUsual := usualEntry(it.Item)
		if (isUsual || r.externalEntry(it.Item)) && !storeless.Valid() {
			storeless = it.Item
		}
		if keys = keys && isUsual; keys {
			r.keys = append(r.keys, key)
		}
	}
	if !keys {
		r.keys = nil
	}
	return storeless
}

// usualEntry returns the key of an entry that has nothing but a place in a store, which is a key, with a property or
// without; ok reports whether this is one.
func usualEntry(entry manifest.Node) (k keyRef, ok bool) {
	var fields, remote [2]manifest.Node
	if !entry.Only(fields[:], "secretKey", "remoteRef") || !fields[1].Only(remote[:], "key", "property") {
		return keyRef{}, false
	}
	var hasKey, hasRemote, hasProperty bool
	k.key, hasKey = spanOf(fields[0])
	k.remoteKey, hasRemote = spanOf(remote[0])
	k.property, hasProperty = spanOf(remote[1])
	return k, hasKey && hasRemote && (hasProperty || !remote[1].Valid())
}

// spanOf returns where a string is, and whether it is one with something in it that is written just as it is.
func spanOf(n manifest.Node) (s manifest.Span, ok bool) {
	if n.Type() != manifest.String {
		return manifest.Span{}, false
	}
	s, ok = n.Span()
	return s, ok && !s.IsEmpty()
}

// externalEntry checks an entry of data, and reports whether it takes its store from the spec.
func (r *reading) externalEntry(entry manifest.Node) (storeless bool) {
	var remote, source manifest.Node
	key := ""
	for f := entry.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "secretKey":
			key = f.Value.StringValue()
			r.text(f.Value, key, "secretKey")
		case "remoteRef":
			remote = f.Value
		case "sourceRef":
			source = f.Value
		}
	}
	hasKey := r.remoteRef(remote, key, "remoteRef")
	switch {
	case key == "":
		r.add(entry, "", "an entry of data has no secretKey")
	case !hasKey:
		r.add(entry, key, "the entry of data for key %q has no remoteRef.key", key)
	}
	return r.ownStore(source, key)
}

// remoteRef checks a place in a store, and reports whether it has a key.
func (r *reading) remoteRef(ref manifest.Node, key, what string) (hasKey bool) {
	for f := ref.Fields(); f.Next(); {
		switch name := f.Key.Text(); name {
		case "key", "property", "version":
			t, text := f.Value.TypeAndText()
			if t != manifest.String {
				r.text(f.Value, key, what+"."+name)
			}
			hasKey = hasKey || name == "key" && t != manifest.Null && text != ""
		}
	}
	return hasKey
}

// ownStore checks the sourceRef of an entry, and reports whether the entry takes its store from the spec.
func (r *reading) ownStore(source manifest.Node, key string) (storeless bool) {
	if !source.Valid() {
		return true
	}
	r.mapping(source, "sourceRef")
	if source.Get("generatorRef").IsMap() {
		return false
	}
	ref := source.Get("storeRef")
	r.storeRef(ref, "sourceRef.storeRef")
	if ref.IsMap() && ref.Get("name").StringValue() == "" {
		r.whenAsking(ref, key, "no store is named: sourceRef.storeRef has no name")
	}
	return !ref.IsMap()
}

// externalFrom checks an entry of dataFrom, and reports whether it takes its store from the spec.
func (r *reading) externalFrom(entry manifest.Node) (storeless bool) {
	extract, find, source := entry.Get("extract"), entry.Get("find"), entry.Get("sourceRef")
	ways := 0
	for _, way := range []manifest.Node{extract, find, source.Get("generatorRef")} {
		if way.IsMap() {
			ways++
		}
	}
	if ways != 1 && (ways > 0 || !source.IsMap()) {
		r.add(entry, "", "an entry of dataFrom needs one of extract, find and sourceRef.generatorRef, and has %d", ways)
	}
	if extract.IsMap() && !r.remoteRef(extract, "", "extract") {
		r.whenAsking(extract, "", "an entry of dataFrom has no extract.key")
	}
	r.find(find)
	return r.ownStore(source, "") && ways > 0
}

// find checks a search. That it has no condition is no mistake: some providers return all that there is then.
func (r *reading) find(n manifest.Node) {
	name, tags := n.Get("name"), n.Get("tags")
	r.text(n.Get("path"), "", "find.path")
	r.mapping(name, "find.name")
	r.mapping(tags, "find.tags")
	for f := tags.Fields(); f.Next(); {
		r.text(f.Value, "", "a value of find.tags")
	}
	pattern := name.Get("regexp")
	r.text(pattern, "", "find.name.regexp")
	if _, err := regexp.Compile(pattern.StringValue()); err != nil {
		r.whenAsking(pattern, "", "find.name.regexp is no regular expression")
	}
}

func (r *reading) externalTemplate(t manifest.Node) {
	for f := t.Get("data").Fields(); f.Next(); {
		r.template(f.Value, f.Key.Field(), fmt.Sprintf("key %q of target.template.data", f.Key.Field()))
	}
	for from := range t.Get("templateFrom").Items() {
		literal := from.Get("literal")
		if !literal.Valid() && !from.Get("configMap").IsMap() && !from.Get("secret").IsMap() {
			r.add(from, "", "an entry of templateFrom needs one of configMap, secret and literal")
		}
		r.template(literal, "", "literal of target.template.templateFrom")
	}
}
