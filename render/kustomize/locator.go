package kustomize

import (
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// locator finds the files of a build's objects by their names: it reads the files that the kustomizations name, and
// renames what is in them as kustomize does.
type locator struct{ readFiles }

// Origins returns the origin of each document of a text with the build's objects. Patches, plugins and what comes from
// elsewhere can add, rename and remove objects in ways that are not followed here. So the files of a kind's objects are
// known only where the expected ones are exactly those that are there, or where none of the kind is renamed in such a
// way.
func (l locator) Origins(text []byte) []render.Origin {
	expected := make(map[kindOfObject][]object)
	for _, o := range newLayout(l.readFiles).all() {
		expected[o.kindOf()] = append(expected[o.kindOf()], o)
	}
	var out []render.Origin
	found := make(map[kindOfObject][]presentObject)
	for doc, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil
		}
		for o := range doc.Objects() {
			kind := kindOfObject{o.Group(), o.Kind}
			found[kind] = append(found[kind], presentObject{o.Name, o.Namespace, len(out)})
		}
		out = append(out, render.Origin{Offset: doc.Start})
	}
	renamed := sync.OnceValue(func() *renames { return newRenames(l.readFiles) })
	for kind, present := range found {
		if len(present) != len(expected[kind]) && renamed().has(kind.kind) {
			continue
		}
		for i, o := range match(present, expected[kind]) {
			at := &out[present[i].document]
			at.File, at.ObjectLine = o.file, o.line
		}
	}
	return out
}

// match returns the expected object for each one that is there, or none at all where one is not expected.
func match(present []presentObject, expected []object) []object {
	named := make(map[string][]int, len(expected))
	for i, o := range expected {
		named[o.name] = append(named[o.name], i)
	}
	used := make([]bool, len(expected))
	all := make([]object, 0, len(present))
	for _, p := range present {
		one := -1
		consider := func(name string, hashed bool) bool {
			for _, i := range named[name] {
				if expected[i].fits(p, hashed) {
					if one >= 0 {
						return false // either
					}
					one = i
				}
			}
			return true
		}
		plain, hashed := withoutHash(p.name)
		if !consider(p.name, false) || hashed && !consider(plain, true) || one < 0 || used[one] {
			return nil
		}
		used[one] = true
		all = append(all, expected[one])
	}
	return all
}

// withoutHash cuts what looks like the hash of a content from a name.
func withoutHash(name string) (string, bool) {
	at := len(name) - len("-0123456789")
	if at <= 0 || name[at] != '-' || strings.Trim(name[at+1:], "2456789bcdfghkmt") != "" {
		return "", false
	}
	return name[:at], true
}
