package kustomize

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// commonClasses returns those of everyday mistakes, which count where none of the others fits.
func commonClasses() []class {
	return []class{
		{`already registered id: `, where.again,
			"The object comes in twice: by this entry, and by one before it. Take one of them out."},
		{`security; file '([^']*)' is not in or below '([^']*)'`, where.restricted,
			"kustomize reads files in and below the folder of a kustomization: move the file there, name its folder " +
				"under resources, or pass --load-restrictor LoadRestrictionsNone."},
		{`(kustomization\.ya?ml|Kustomization) is empty`, where.empty, "Name what it applies under resources."},
		{`options\.index|delimiter option can only be used|error looking up replacement source`, where.option,
			"Correct the fieldPath, which has to lead to a text, and the delimiter and index of its options."},
		{`field specified in var '\{(\S+) `, where.variable,
			"Correct its fieldref, or add the field to the object."},
		{`merging vars .*var '([^']*)' already encountered`, where.secondVariable,
			"Take one of them out, or give one another name."},
		{`expected array in (\S+)/items`, where.itemsNoList, "Write the items of a list with dashes."},
		{`wrong node kind: expected \w+ but got \w+`, where.otherType,
			"A patch and its object have a mapping, a list or a value in the same place: correct the patch."},
	}
}

// again finds the entry that brings an object for the second time: the second of its name, or the one that there is.
func (w where) again([]string) spot {
	m := regexp.MustCompile(`from '([^']+)'`).FindStringSubmatch(w.text)
	if m == nil {
		return spot{}
	}
	is := func(n manifest.Node) []manifest.Node { return nodeIf(n, n.StringValue() == m[1]) }
	found := w.k.entries(is, "resources", "components", "bases")
	if len(found) > 1 {
		found = found[1:2]
	}
	return spot{pos: w.k.one(found, "resources")}
}

// restricted finds the entry that names a file outside of its kustomization's folder.
func (w where) restricted(m []string) spot {
	at := spot{cause: fmt.Sprintf("load %s: it is not in or below %s", w.tree.displayPath(m[1]), w.tree.displayPath(m[2]))}
	at.pos = w.entryFor(m[1])
	return at
}

// entryFor returns the position of the entry of the kustomization that leads to a file or folder.
func (w where) entryFor(path string) diag.Position {
	for _, e := range slices.Concat(w.k.folders(), w.k.files()) {
		if strings.Contains(e.path, "\n") || e.path == "" {
			continue
		}
		named := w.k.path(e.path)
		if real, err := w.tree.overlay.System().Real(named); named == path || err == nil && real == path {
			return w.k.atEntry(e.field, e.path)
		}
	}
	return diag.Position{File: w.k.shown}
}

// empty says which kustomization names one that is empty.
func (w where) empty(m []string) spot {
	at := spot{pos: diag.Position{File: w.k.shown}, cause: m[1] + " is empty"}
	for _, dir := range slices.Sorted(maps.Keys(w.read)) {
		above := where{w.failures, w.read[dir], ""}
		if pos := above.entryFor(w.k.dir); pos.Line > 0 {
			at.hint = fmt.Sprintf("Name what it applies under resources, or take it out of %s.", pos)
			break
		}
	}
	return at
}

// option finds the replacement whose source or target has options, or the one that there is.
func (w where) option([]string) spot {
	hasOptions := func(n manifest.Node) []manifest.Node {
		if source := n.Get("source"); source.Get("options").IsMap() {
			return []manifest.Node{source}
		}
		for target := range n.Get("targets").Items() {
			if target.Get("options").IsMap() {
				return []manifest.Node{target}
			}
		}
		return nil
	}
	if strings.Contains(w.text, "error looking up") {
		hasOptions = func(n manifest.Node) []manifest.Node { return nodeIf(n.Get("source"), true) }
	}
	return w.replacements(hasOptions)
}

// secondVariable finds the second entry of vars with a name.
func (w where) secondVariable(m []string) spot {
	found := w.k.entries(named("name", m[1]), "vars")
	if len(found) > 1 {
		found = found[1:2]
	}
	return spot{pos: w.k.one(found, "vars"), cause: "variable " + diag.Quote(m[1]) + " is there twice"}
}

// otherType finds where a patch has another type of node than its object has there.
func (w where) otherType([]string) spot {
	targets := map[[2]string]manifest.Node{}
	w.eachObject(w.patchFiles(), func(o manifest.Object, _ diag.Position) { targets[[2]string{o.Kind, o.Name}] = o.Node })
	var all []diag.Position
	for _, p := range w.patches() {
		for d, err := range manifest.Documents(p.text, "") {
			if err != nil {
				break
			}
			for o := range d.Objects() {
				if n, differs := otherType(targets[[2]string{o.Kind, o.Name}], o.Node); differs {
					all = append(all, w.placeIn(p, n.Offset()))
				}
			}
		}
	}
	return onlyOne(all)
}

// otherType returns the first node of a patch that is of another type than that of the object.
func otherType(object, patch manifest.Node) (manifest.Node, bool) {
	for key, value := range patch.Entries() {
		there := object.Get(key.Text())
		if !there.Valid() {
			continue
		}
		if there.IsMap() != value.IsMap() || there.IsSeq() != value.IsSeq() {
			if !value.IsScalar() || value.Decode() != nil {
				return value, true
			}
			continue
		}
		if n, differs := otherType(there, value); differs {
			return n, true
		}
	}
	return manifest.Node{}, false
}

// itemsNoList finds a list of objects whose items are none.
func (w where) itemsNoList(m []string) spot {
	at := spot{cause: "items of a " + m[1] + " is no list"}
	var all []diag.Position
	for _, file := range slices.Sorted(maps.Keys(w.tree.read)) {
		text, err := w.tree.at(file).ReadFile(file)
		if err != nil {
			continue
		}
		for d, err := range manifest.Documents(text, "") {
			if err != nil {
				break
			}
			items := d.Root().Get("items")
			if d.Root().Get("kind").StringValue() == m[1] && items.Valid() && !items.IsSeq() {
				all = append(all, diag.Position{File: w.tree.displayPath(filepath.Clean(file)),
					Line: manifest.NewLines(text).At(items.Offset())})
			}
		}
	}
	at.pos = onlyOne(all).pos
	return at
}
