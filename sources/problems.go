package sources

import (
	"encoding/base64"
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/rollstamp/rollstamp/manifest"
)

// Problems gives what the object's operator would refuse, so that what it makes stays as it was. Nothing of a value is told.
func (m *Maker) Problems() []Invalid {
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

// externalProblems checks the spec at path as the operator's admission does.
func externalProblems(path ...string) func(*problems, manifest.Node) {
	return func(p *problems, root manifest.Node) {
		spec := root.At(path...)
		entries := 0
		for entry := range spec.Get("data").Items() {
			entries++
			p.externalData(entry)
		}
		for entry := range spec.Get("dataFrom").Items() {
			entries++
			p.externalFrom(entry)
		}
		if entries == 0 {
			p.add(root, "", "there is neither data nor dataFrom")
		}
		p.externalTemplate(spec.At("target", "template"))
	}
}

// externalData checks an entry of data. There may be thousands, so its fields are gone through once.
func (p *problems) externalData(entry manifest.Node) {
	key, remote := "", false
	for f := entry.Fields(); f.Next(); {
		switch f.Key.Text() {
		case "secretKey":
			key = f.Value.Given()
		case "remoteRef":
			remote = f.Value.Get("key").Given() != ""
		}
	}
	switch {
	case key == "":
		p.add(entry, "", "an entry of data has no secretKey")
	case !remote:
		p.add(entry, key, "the entry of data for key %q has no remoteRef.key", key)
	}
}

func (p *problems) externalFrom(entry manifest.Node) {
	ways := 0
	for _, way := range []manifest.Node{entry.Get("extract"), entry.Get("find"), entry.At("sourceRef", "generatorRef")} {
		if way.IsMap() {
			ways++
		}
	}
	if ways != 1 && (ways > 0 || !entry.Get("sourceRef").IsMap()) {
		p.add(entry, "", "an entry of dataFrom needs one of extract, find and sourceRef.generatorRef, and has %d", ways)
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
	if sealed := spec.Get("encryptedData"); !sealed.IsMap() && spec.Get("data").Given() == "" {
		at := sealed
		if !at.Valid() {
			at = root
		}
		p.add(at, "", "encryptedData is no mapping from keys to ciphertexts")
	}
	for f := root.At("spec", "encryptedData").Fields(); f.Next(); {
		if _, err := base64.StdEncoding.DecodeString(f.Value.Given()); err != nil || f.Value.Given() == "" {
			p.add(f.Value, f.Key.Field(), "the value of key %q in encryptedData is no ciphertext: invalid base64", f.Key.Field())
			p.all[len(p.all)-1].Mild = true // examples are full of it
		}
	}
	for f := root.At("spec", "template", "data").Fields(); f.Next(); {
		p.template(f.Value, f.Key.Field(), fmt.Sprintf("key %q of template.data", f.Key.Field()))
	}
}
