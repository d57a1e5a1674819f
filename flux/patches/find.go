package patches

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// hook is the annotation of what Helm runs, and no patch is for.
const hook = "helm.sh/hook"

// Found is what a render comes to as patches.
type Found struct {
	Stamps []Stamps
	// Bare are the objects that could have stamps and get none.
	Bare []Stamps
	// Written are the objects that have stamps without patches, with the places of these, and nothing to set.
	Written []Stamps
	// Listed are objects to which stamping writes what no patch can set, because a list is on the way to it. They have no
	// places.
	Listed []Stamps
	// Other are objects with a stamp that no patch can set, because their name has one.
	Other []manifest.Object
}

// Unpatched returns the first object with a stamp that no patch can set; "" for none.
func (f *Found) Unpatched() string {
	switch {
	case len(f.Other) > 0:
		return f.Other[0].String()
	case len(f.Listed) > 0:
		return f.Listed[0].Object()
	}
	return ""
}

// Find returns the stamps that the objects of a render get: stamped is its text with them, and bare without, or with
// earlier ones. The keys of stamps have the prefix. Name returns the name that an object has where patches are applied.
func Find(bare, stamped []byte, kinds *refs.Table, prefix hashing.Prefix, name func(string) string) (*Found, error) {
	before, after, lines, err := objectsOfBoth(bare, stamped)
	if err != nil {
		return nil, err
	}
	out, namesakes := &Found{}, countNames(after)
	for i, o := range after {
		s := Stamps{APIVersion: o.APIVersion, Kind: o.Kind, Name: name(o.Name), rendered: o.Name, namespace: o.Namespace}
		if namesakes[nameOfKind(o)] > 1 {
			s.Namespace = cmp.Or(o.Namespace, defaultNamespace)
		}
		written, paths := s, annotationsOf(o, kinds)
		ok := i < len(before) && before[i].Kind == o.Kind && before[i].Name == o.Name
		isListed := ok && slices.ContainsFunc(paths, func(path []string) bool { return path == nil })
		for _, path := range paths {
			var place Place
			if ok && path != nil {
				place = placeOf(before[i].Node, o.Node, path, prefix)
				if hasStampAt(before[i].Node, path, prefix) {
					written.Places = append(written.Places, Place{Path: path})
				}
			} else {
				ok = false
			}
			if len(place.Set) > 0 {
				s.Places = append(s.Places, place)
			}
		}
		if len(written.Places) > 0 {
			written.Line = lines[i]
			out.Written = append(out.Written, written)
		}
		switch {
		case isListed && !bytes.Equal(textOf(before[i]), textOf(o)):
			s.Line, s.Places = lines[i], nil
			out.Listed = append(out.Listed, s)
		case isListed: // what it has itself is right, or it has none
		case !ok && hasPrefix(o, prefix):
			out.Other = append(out.Other, o)
		case len(s.Places) > 0:
			s.Line = lines[i]
			out.Stamps = append(out.Stamps, s)
		case ok && len(paths) > 0:
			s.Line = lines[i]
			out.Bare = append(out.Bare, s)
		}
	}
	return out, nil
}

// textOf returns the text of an object.
func textOf(o manifest.Object) []byte { return o.Node.Document().Text()[o.Node.Offset():o.Node.End()] }

// defaultNamespace is what kustomize takes as the namespace of objects that name none, where targets name one.
const defaultNamespace = "default"

// countNames returns how many objects have a name and kind: the namespace says which of several a patch is for, those
// that get no stamps among them.
func countNames(all []manifest.Object) map[string]int {
	out := make(map[string]int, len(all))
	for _, o := range all {
		out[nameOfKind(o)]++
	}
	return out
}

// nameOfKind returns the name of an object with its group and kind.
func nameOfKind(o manifest.Object) string {
	return strings.Join([]string{o.Group(), o.Kind, o.Name}, "\x00")
}

// objectsOfBoth returns the objects of a text without and with stamps, and the lines that those without begin in. Equal
// texts are read once.
func objectsOfBoth(bare, stamped []byte) (before, after []manifest.Object, lines []int, err error) {
	before, lines, err = objectsOf(bare)
	if err != nil || bytes.Equal(bare, stamped) {
		return before, before, lines, err
	}
	after, _, err = objectsOf(stamped)
	return before, after, lines, err
}

// objectsOf returns the objects of a text, in their order, and the lines that they begin in.
func objectsOf(text []byte) (out []manifest.Object, lines []int, err error) {
	in := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil, nil, err
		}
		for o := range d.Objects() {
			lines = append(lines, in.At(o.Node.Offset()))
		}
		clone := d.Clone()
		for o := range clone.Objects() {
			out = append(out, o)
		}
	}
	return out, lines, nil
}

// annotationsOf returns the paths to the annotations of an object that stamps are written into: those of its pod
// templates, or those by which its operator sees that it has to fetch again. A path that leads through a list is nil.
func annotationsOf(o manifest.Object, kinds *refs.Table) (paths [][]string) {
	if o.Annotation(hook) != "" {
		return nil
	}
	for _, row := range kinds.Rows(o) {
		for _, t := range kinds.Find(o, row) {
			path, ok := pathTo(o.Node, t.Node)
			if !ok {
				paths = append(paths, nil)
				continue
			}
			paths = append(paths, slices.Concat(path, t.Annotations))
		}
	}
	if path := objects.Refresh(o); path != nil {
		paths = append(paths, path)
	}
	return paths
}

// pathTo returns the keys that lead from a mapping to another one inside it, and whether no list is on the way.
func pathTo(from, to manifest.Node) (path []string, ok bool) {
	if from.SameAs(to) {
		return nil, true
	}
	for k, v := range from.Entries() {
		if !v.IsMap() {
			continue
		}
		if rest, ok := pathTo(v, to); ok {
			return append([]string{strings.Clone(k.Text())}, rest...), true
		}
	}
	return nil, false
}

// placeOf returns the stamps at a path of an object, and what stamping removes there.
func placeOf(before, after manifest.Node, path []string, prefix hashing.Prefix) Place {
	p := Place{Path: path}
	have := map[string]bool{}
	for k, v := range before.At(path...).Entries() {
		if prefix.Has(k.Text()) {
			p.Had = append(p.Had, Annotation{strings.Clone(k.Text()), strings.Clone(v.StringValue())})
		}
	}
	for k, v := range after.At(path...).Entries() {
		have[k.Text()] = true
		if prefix.Has(k.Text()) {
			p.Set = append(p.Set, Annotation{strings.Clone(k.Text()), strings.Clone(v.StringValue())})
		}
	}
	for k := range before.At(path...).Entries() {
		if key := k.Text(); !have[key] && !prefix.Has(key) {
			p.Remove = append(p.Remove, strings.Clone(key))
		}
	}
	slices.SortFunc(p.Set, func(a, b Annotation) int { return strings.Compare(a.Key, b.Key) })
	return p
}

// hasStampAt reports whether a stamp is at a path of an object.
func hasStampAt(o manifest.Node, path []string, prefix hashing.Prefix) bool {
	for k := range o.At(path...).Entries() {
		if prefix.Has(k.Text()) {
			return true
		}
	}
	return false
}

// hasPrefix reports whether an object has a stamp anywhere.
func hasPrefix(o manifest.Object, prefix hashing.Prefix) bool {
	return o.Annotation(hook) == "" && prefix.MayBeIn(o.Node.Document().Body())
}
