package kustomize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// patchFields are the fields of a kustomization that hold patches.
var patchFields = []string{"patches", "patchesStrategicMerge", "patchesJson6902"}

// patch is one of a kustomization, with its text.
type patch struct {
	types.Patch
	text []byte
}

// patches returns those of the kustomization. One that is not read yet has no text.
func (w where) patches() []patch {
	var out []patch
	for _, p := range slices.Concat(w.k.kust.Patches, w.k.kust.PatchesJson6902) {
		out = append(out, patch{Patch: p})
	}
	for _, entry := range w.k.kust.PatchesStrategicMerge {
		if text := w.content(string(entry)); text != nil {
			out = append(out, patch{types.Patch{Path: string(entry)}, text})
		} else {
			out = append(out, patch{types.Patch{Patch: string(entry)}, []byte(entry)})
		}
	}
	for i, p := range out {
		if p.text != nil {
			continue
		}
		if out[i].text = []byte(p.Patch.Patch); p.Path != "" {
			out[i].text = w.content(p.Path)
		}
	}
	return out
}

// content returns a file that the kustomization names, if the build has read it.
func (w where) content(path string) []byte {
	real, err := w.tree.overlay.System().Real(w.k.path(path))
	if _, read := w.tree.read[real]; err != nil || !read {
		return nil
	}
	text, err := w.tree.content(real)
	if err != nil {
		return nil
	}
	return text
}

// shownPath returns a file that the kustomization names as the user would write it.
func (w where) shownPath(path string) string { return w.tree.displayPath(w.k.path(path)) }

// placeIn returns the position of a node of a patch: in its file, or the entry of one that stands in the kustomization.
func (w where) placeIn(p patch, offset int) diag.Position {
	if p.Path != "" {
		return diag.Position{File: w.shownPath(p.Path), Line: manifest.NewLines(p.text).At(offset)}
	}
	return w.entryOf(p)
}

// entryOf returns the position of a patch's entry in the kustomization.
func (w where) entryOf(p patch) diag.Position {
	is := func(n manifest.Node) []manifest.Node {
		if n.IsScalar() {
			return nodeIf(n, n.Text() == p.Path+p.Patch.Patch)
		}
		return nodeIf(n, n.Get("path").StringValue() == p.Path && n.Get("patch").StringValue() == p.Patch.Patch &&
			n.Get("target").Valid() == (p.Target != nil) &&
			(p.Target == nil || selectorIn(n.Get("target")).String() == p.Target.String()))
	}
	return w.k.one(w.k.entries(is, patchFields...), w.patchField())
}

// selectorIn returns the selector that a target is.
func selectorIn(target manifest.Node) *types.Selector {
	return &types.Selector{ResId: idIn(target), LabelSelector: target.Get("labelSelector").StringValue(),
		AnnotationSelector: target.Get("annotationSelector").StringValue()}
}

// idIn returns what names an object in a selector.
func idIn(n manifest.Node) resid.ResId {
	text := func(field string) string { return n.Get(field).StringValue() }
	gvk := resid.Gvk{Group: text("group"), Version: text("version"), Kind: text("kind")}
	return resid.NewResIdWithNamespace(gvk, text("name"), text("namespace"))
}

// patchField returns the field that holds the patches; "" where there are several.
func (w where) patchField() (found string) {
	for _, field := range patchFields {
		if w.k.fieldLine(field) == 0 {
			continue
		}
		if found != "" {
			return ""
		}
		found = field
	}
	return found
}

// onePatch returns the one position that was found, and that of the field where there are more. Patches of
// transformers are not among them: where there are such, what was found need not be it.
func (w where) onePatch(all []diag.Position) spot {
	if len(w.k.kust.Transformers) > 0 || len(all) == 0 {
		return spot{pos: diag.Position{File: w.k.shown}}
	}
	if len(all) == 1 {
		return spot{pos: all[0]}
	}
	return spot{pos: diag.Position{File: w.k.shown, Line: w.k.fieldLine(w.patchField())}}
}

// unmatchedPatch finds the patch that names an object.
func (w where) unmatchedPatch(m []string) spot {
	var all []diag.Position
	for _, p := range w.patches() {
		if p.Target != nil {
			continue
		}
		for d, err := range manifest.Documents(p.text, "") {
			if err != nil {
				break
			}
			for o := range d.Objects() {
				group, version := resid.ParseGroupVersion(o.APIVersion)
				id := resid.NewResIdWithNamespace(resid.NewGvk(group, version, o.Kind), o.Name, o.Namespace)
				if id.String() == m[1]+m[2] {
					all = append(all, w.placeIn(p, o.Node.Offset()))
				}
			}
		}
	}
	return w.onePatch(all)
}

// operation finds the operation of a patch by its name and path. A move is known by the last part of its path.
func (w where) operation(m []string) spot {
	var all []diag.Position
	for _, p := range w.patches() {
		d, err := manifest.Parse(p.text)
		if err != nil {
			continue
		}
		for o := range d.Root().Items() {
			if isOperation(o, m[1], m[2]) {
				all = append(all, w.placeIn(p, o.Offset()))
			}
		}
	}
	return w.onePatch(all)
}

func isOperation(o manifest.Node, name, path string) bool {
	op := o.Get("op").StringValue()
	switch name {
	case "Unexpected kind":
		return op == path
	case "value":
		name = "test"
	}
	return (op == name || name == "remove" && op == "replace") &&
		slices.ContainsFunc([]string{"path", "from"}, func(field string) bool {
			written := o.Get(field).StringValue()
			return written == path || !strings.HasPrefix(path, "/") && strings.HasSuffix(written, "/"+path)
		})
}

// target finds the patch with a target that selects nothing because it cannot be read.
func (w where) target(m []string) spot {
	var all []diag.Position
	for _, p := range w.patches() {
		if p.Target != nil && fmt.Sprintf("%q", p.Target) == m[1] {
			all = append(all, w.entryOf(p))
		}
	}
	return w.onePatch(all)
}

// unreadablePatch finds the patch by its file, or by its text.
func (w where) unreadablePatch([]string) spot {
	var all []diag.Position
	for _, p := range w.patches() {
		switch {
		case p.Path != "" && strings.Contains(w.text, "[path: "+strconv.Quote(p.Path)+"]"):
			all = append(all, diag.Position{File: w.shownPath(p.Path), Line: brokenOrHeadless(p.text)})
		case p.Path == "" && strings.Contains(w.text, "[patch: "+strconv.Quote(p.Patch.Patch)+"]"):
			all = append(all, w.entryOf(p))
		}
	}
	return w.onePatch(slices.Compact(all))
}

// brokenOrHeadless returns the line where a text is no YAML or has a mapping without what makes it an object; 0 where
// there is neither.
func brokenOrHeadless(text []byte) int {
	if line := brokenLine(text, ""); line > 0 {
		return line
	}
	return headlessLine(text, "kind", "apiVersion", "metadata.name")
}

// headlessLine returns the line of the first object of a text without one of some fields; 0 where all have them.
func headlessLine(text []byte, fields ...string) int {
	lines := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return 0
		}
		objects := []manifest.Node{d.Root()}
		if isList(d.Root()) {
			objects = slices.Collect(d.Root().Get("items").Items())
		}
		for _, o := range objects {
			if isHeadless(o, fields) {
				return lines.At(o.Offset())
			}
		}
	}
	return 0
}

func isList(n manifest.Node) bool {
	return strings.HasSuffix(n.Get("kind").StringValue(), "List") && n.Get("items").IsSeq()
}

// isHeadless reports whether one of some fields is not there. A document without content is left out by kustomize.
func isHeadless(n manifest.Node, fields []string) bool {
	if !n.Valid() || n.IsScalar() && n.StringValue() == "" {
		return false
	}
	return slices.ContainsFunc(fields, func(field string) bool {
		return n.At(strings.Split(field, ".")...).StringValue() == ""
	})
}

// pathAndPatch finds the entry that has both a path and a patch, or neither.
func (w where) pathAndPatch([]string) spot {
	is := func(n manifest.Node) []manifest.Node {
		return nodeIf(n, (n.Get("path").StringValue() == "") == (n.Get("patch").StringValue() == ""))
	}
	return spot{pos: w.k.one(w.k.entries(is, "patches"), "patches")}
}

// patchFile finds the entry of a patch by its file.
func (w where) patchFile(m []string) spot {
	var all []diag.Position
	for _, p := range w.patches() {
		if p.Path == m[1] {
			all = append(all, w.entryOf(p))
		}
	}
	return w.onePatch(slices.Compact(all))
}
