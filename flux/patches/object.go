package patches

import (
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// edits returns what makes the patches of an object those that are wanted.
func edits(o manifest.Object, prefix hashing.Prefix, wanted []Stamps) ([]splice.Edit, error) {
	if spec := o.Node.Get("spec"); !spec.IsMap() {
		if len(wanted) == 0 {
			return nil, nil
		}
		return nil, &splice.ShapeError{Path: []string{"spec"}, Want: "a mapping"}
	}
	if o.Kind == "HelmRelease" {
		return releaseEdits(o, prefix, wanted)
	}
	return kustomizationEdits(o, prefix, wanted)
}

// kustomizationEdits changes spec.patches.
func kustomizationEdits(o manifest.Object, prefix hashing.Prefix, wanted []Stamps) ([]splice.Edit, error) {
	l := readList(prefix, o.Node, "spec", "patches")
	l.parent, l.path = o.Node.Get("spec"), []string{"patches"}
	fresh := assign([]*list{l}, wanted)
	if l.isLeftEmpty() {
		return splice.RemoveItems(l.parent, l.path)
	}
	out, err := l.edits()
	if err != nil || len(fresh) == 0 {
		return out, err
	}
	more, err := l.add(fresh)
	return append(out, more...), err
}

// releaseEdits changes the patches in spec.postRenderers. New ones go into the renderer that has others of ours, else
// into one of their own that is the last.
func releaseEdits(o manifest.Object, prefix hashing.Prefix, wanted []Stamps) (out []splice.Edit, err error) {
	spec := o.Node.Get("spec")
	r := &list{parent: spec, path: []string{"postRenderers"}, node: spec.Get("postRenderers")}
	var lists []*list
	for item := range r.node.Items() {
		lists = append(lists, readList(prefix, item.Get("kustomize"), "patches"))
		r.length++
	}
	fresh := assign(lists, wanted)
	made := func(i int) bool { return lists[i].isLeftEmpty() && isMade(r.node, i) }
	if all := indexes(r.length, made); len(all) > 0 && len(all) == r.length && len(fresh) == 0 {
		return splice.RemoveItems(r.parent, r.path)
	}
	last := -1
	for i, l := range lists {
		var edits []splice.Edit
		switch {
		case made(i):
			edits, err = splice.EditItems(r.parent, r.path, splice.ItemChange{At: i, Remove: 1})
		case l.isLeftEmpty():
			edits, err = splice.RemoveItems(l.parent, l.path)
		default:
			edits, err = l.edits()
		}
		if err != nil {
			return nil, err
		}
		if out = append(out, edits...); len(l.ours) > 0 && !l.isLeftEmpty() {
			last = i
		}
	}
	if len(fresh) == 0 {
		return out, nil
	}
	var more []splice.Edit
	if last >= 0 {
		more, err = lists[last].add(fresh)
	} else {
		more, err = addRenderer(r, fresh)
	}
	return append(out, more...), err
}

// addRenderer adds a renderer with patches after the others.
func addRenderer(r *list, fresh []*Stamps) ([]splice.Edit, error) {
	patches, err := items(fresh)
	if err != nil {
		return nil, err
	}
	renderer := splice.Fields{{Key: "kustomize", Value: splice.Fields{{Key: "patches", Value: patches}}}}
	return splice.AppendItems(r.parent, r.path, []any{renderer})
}

// isMade reports whether a renderer holds patches and nothing else.
func isMade(renderers manifest.Node, i int) bool {
	n := 0
	for item := range renderers.Items() {
		if n == i {
			return item.Len() == 1 && item.Get("kustomize").Len() == 1
		}
		n++
	}
	return false
}

// indexes returns the numbers below n that a filter takes.
func indexes(n int, take func(int) bool) (out []int) {
	for i := range n {
		if take(i) {
			out = append(out, i)
		}
	}
	return slices.Clip(out)
}
