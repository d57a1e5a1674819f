package objects

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"text/template/parse"

	"github.com/rollstamp/rollstamp/manifest"
)

// Problems returns what the object's operator would refuse, so that what it makes stays as it was. Nothing of a value is told.
func (m *Producer) Problems() []Invalid {
	if m.row.problems == nil {
		return nil
	}
	p := &problems{}
	m.row.problems(p, m.node)
	return p.all
}

type problems struct{ all []Invalid }

func (p *problems) add(n manifest.Node, key, format string, args ...any) {
	p.all = append(p.all, Invalid{Key: key, Problem: fmt.Sprintf(format, args...), Offset: n.Offset()})
}

// template checks that a text can be read as a template of Go. Which functions there are is the operator's matter.
func (p *problems) template(n manifest.Node, key, what string) {
	t := n.Value()
	if !templated(t) {
		return
	}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(string(t), "", "", map[string]*parse.Tree{}); err != nil {
		// The library's words quote the text; its line is all that is told.
		line := strings.TrimPrefix(err.Error(), "template: :")
		line, _, _ = strings.Cut(line, ":")
		p.add(n, key, "%s is a template that cannot be read, in its line %s", what, line)
	}
}

// unasked adds what the operator finds out only when it asks the store. Without a store it shapes a digest as well as anything.
func (p *problems) unasked(n manifest.Node, key, format string, args ...any) {
	p.add(n, key, format, args...)
	last := &p.all[len(p.all)-1]
	last.Tolerated, last.BlocksAsking = true, true
}

// word checks a field that has to be a string, if it is there.
func (p *problems) word(n manifest.Node, key, what string) {
	if n.Valid() && n.Type() != manifest.String && n.Type() != manifest.Null {
		p.unasked(n, key, "%s is %s, not a string", what, n.Shape())
	}
}

// fields checks a field that has to be a mapping, if it is there.
func (p *problems) fields(n manifest.Node, what string) {
	if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
		p.unasked(n, "", "%s is %s, not a mapping", what, n.Shape())
	}
}

// externalProblems checks the spec at path as the operator's admission does.
func externalProblems(path ...string) func(*problems, manifest.Node) {
	return func(p *problems, root manifest.Node) {
		spec := root.At(path...)
		store := spec.Get("secretStoreRef")
		p.storeRef(store, "secretStoreRef")
		target := spec.Get("target")
		p.fields(target, "target")
		p.word(target.Get("name"), "", "target.name")
		p.fields(target.Get("template"), "target.template")
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
			p.unasked(at, "", "no store is named, neither by secretStoreRef nor by the entry's sourceRef.storeRef")
		}
		p.externalTemplate(spec.At("target", "template"))
	}
}

// storeRef checks what names a store.
func (p *problems) storeRef(ref manifest.Node, what string) {
	p.fields(ref, what)
	p.word(ref.Get("name"), "", what+".name")
	switch kind := ref.Get("kind").StringValue(); kind {
	case "", "SecretStore", "ClusterSecretStore":
	default:
		p.unasked(ref.Get("kind"), "", "%s.kind is neither SecretStore nor ClusterSecretStore", what)
	}
}

// externalData checks an entry of data, and reports whether it takes its store from the spec. There may be thousands, so its fields are
// gone through once.
func (p *problems) externalData(entry manifest.Node) (storeless bool) {
	key, remote, source := "", manifest.Node{}, manifest.Node{}
	for f := entry.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "secretKey":
			key = f.Value.StringValue()
			p.word(f.Value, key, "secretKey")
		case "remoteRef":
			remote = f.Value
		case "sourceRef":
			source = f.Value
		}
	}
	given := p.remoteRef(remote, key, "remoteRef")
	switch {
	case key == "":
		p.add(entry, "", "an entry of data has no secretKey")
	case !given:
		p.add(entry, key, "the entry of data for key %q has no remoteRef.key", key)
	}
	return p.ownStore(source, key)
}

// remoteRef checks a place in a store, and reports whether it has a key.
func (p *problems) remoteRef(ref manifest.Node, key, what string) (given bool) {
	for f := ref.Fields(); f.Next(); {
		switch name := f.Key.Text(); name {
		case "key", "property", "version":
			t, text := f.Value.Typed()
			if t != manifest.String {
				p.word(f.Value, key, what+"."+name)
			}
			given = given || name == "key" && t != manifest.Null && text != ""
		}
	}
	return given
}

// ownStore checks the sourceRef of an entry, and reports whether the entry takes its store from the spec.
func (p *problems) ownStore(source manifest.Node, key string) (storeless bool) {
	if !source.Valid() {
		return true
	}
	p.fields(source, "sourceRef")
	if source.Get("generatorRef").IsMap() {
		return false
	}
	ref := source.Get("storeRef")
	p.storeRef(ref, "sourceRef.storeRef")
	if ref.IsMap() && ref.Get("name").StringValue() == "" {
		p.unasked(ref, key, "no store is named: sourceRef.storeRef has no name")
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
		p.unasked(extract, "", "an entry of dataFrom has no extract.key")
	}
	p.find(find)
	return p.ownStore(source, "") && ways > 0
}

// find checks a search. That it has no condition is no mistake: some providers give all that there is then.
func (p *problems) find(n manifest.Node) {
	name, tags := n.Get("name"), n.Get("tags")
	p.word(n.Get("path"), "", "find.path")
	p.fields(name, "find.name")
	p.fields(tags, "find.tags")
	for f := tags.Fields(); f.Next(); {
		p.word(f.Value, "", "a value of find.tags")
	}
	pattern := name.Get("regexp")
	p.word(pattern, "", "find.name.regexp")
	if _, err := regexp.Compile(pattern.StringValue()); err != nil {
		p.unasked(pattern, "", "find.name.regexp is no regular expression")
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

// sealedProblems checks a SealedSecret.
func sealedProblems(p *problems, root manifest.Node) {
	spec := root.Get("spec")
	if sealed := spec.Get("encryptedData"); !sealed.IsMap() && spec.Get("data").StringValue() == "" {
		at := sealed
		if !at.Valid() {
			at = root
		}
		p.add(at, "", "encryptedData is no mapping from keys to ciphertexts")
	}
	for f := root.At("spec", "encryptedData").Fields(); f.Next(); {
		if _, err := base64.StdEncoding.DecodeString(f.Value.StringValue()); err != nil || f.Value.StringValue() == "" {
			p.add(f.Value, f.Key.Field(), "the value of key %q in encryptedData is no ciphertext: invalid base64", f.Key.Field())
			p.all[len(p.all)-1].Tolerated = true // examples are full of it
		}
	}
	for f := root.At("spec", "template", "data").Fields(); f.Next(); {
		p.template(f.Value, f.Key.Field(), fmt.Sprintf("key %q of template.data", f.Key.Field()))
	}
}
