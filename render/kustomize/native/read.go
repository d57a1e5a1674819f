package native

import (
	"bytes"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// readFile returns the objects of a file. Documents that kustomize leaves as they are need no node tree.
func (b *builder) readFile(text []byte, file string, changed bool) ([]*object, error) {
	if isIrregular(text) {
		return b.readNodes(text, file)
	}
	var objects []*object
	var printed []byte
	lines := manifest.NewLines(text)
	for doc, err := range manifest.Documents(text, "") {
		if err != nil {
			return b.readNodes(text, file)
		}
		root := doc.Root()
		if !root.Valid() {
			continue
		}
		o, ok := objectOf(doc)
		if !ok {
			return b.readNodes(text, file)
		}
		o.file, o.line = file, lines.At(root.Get("kind").Offset())
		if !changed {
			start := len(printed)
			if printed, ok = b.documents.Append(printed, doc); ok && isFinal(root) && b.referrers.areRegular(o.id.Gvk, root) {
				o.printed = printed[start:len(printed):len(printed)]
				o.imageless = isImageless(root, o.source)
			} else {
				printed = printed[:start]
			}
		}
		if o.printed == nil {
			if err := b.parse(o); err != nil {
				return nil, err
			}
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// isIrregular reports whether the readers might find the borders of documents elsewhere, or whether there may be what
// ours reads alone: escapes of JSON.
func isIrregular(text []byte) bool {
	if bytes.IndexByte(text, '\r') >= 0 || bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return true
	}
	for _, start := range []string{"%", "..."} {
		if bytes.HasPrefix(text, []byte(start)) || bytes.Contains(text, []byte("\n"+start)) {
			return true
		}
	}
	for _, escape := range []string{`\/`, `\ud`, `\uD`} {
		if bytes.Contains(text, []byte(escape)) {
			return true
		}
	}
	return false
}

// objectOf returns the object of a document that is certainly one object with a name, without aliases and merge keys.
func objectOf(doc *manifest.Document) (*object, bool) {
	root := doc.Root()
	if !root.IsMap() || !doc.Fast() || !hasPlainSeparator(doc.Bytes()) || bytes.Contains(doc.Bytes(), []byte("<<")) {
		return nil, false
	}
	version, _ := textOf(root.Get("apiVersion"))
	kind, okKind := textOf(root.Get("kind"))
	meta := root.Get("metadata")
	name, okName := textOf(meta.Get("name"))
	namespace, okNamespace := textOf(meta.Get("namespace"))
	if !okKind || !okName || !okNamespace && meta.Get("namespace").Valid() || strings.HasSuffix(kind, "List") ||
		version == "" && root.Get("apiVersion").Valid() {
		return nil, false
	}
	group, v := resid.ParseGroupVersion(version)
	id := resid.NewResIdWithNamespace(resid.NewGvk(group, v, kind), name, namespace)
	return &object{source: doc.Bytes(), id: id}, true
}

// textOf returns a string that is not empty.
func textOf(n manifest.Node) (string, bool) {
	kind, text := n.TypeAndText()
	return strings.Clone(text), kind == manifest.String && text != "" && !n.IsAliased()
}

// hasPlainSeparator reports whether a document begins with a separator that has nothing behind it, or with none.
func hasPlainSeparator(doc []byte) bool {
	if !bytes.HasPrefix(doc, []byte("---")) {
		return true
	}
	line, _, _ := bytes.Cut(doc, []byte("\n"))
	return len(bytes.TrimSpace(line[len("---"):])) == 0
}

// isFinal reports whether kustomize writes no annotation of an object again: those of its own it takes out, and all of
// one that has some it makes strings.
func isFinal(root manifest.Node) bool {
	annotations := root.At("metadata", "annotations")
	if !annotations.Valid() {
		return true
	}
	if !annotations.IsMap() || annotations.Len() == 0 || annotations.IsAliased() {
		return false
	}
	for f := annotations.Fields(); f.Next(); {
		if f.Value.Type() != manifest.String || isKustomizes(f.Key.Text()) {
			return false
		}
	}
	return true
}

// isKustomizes reports whether an annotation may mean something to kustomize.
func isKustomizes(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	return found && (strings.HasSuffix(domain, "config.kubernetes.io") || strings.HasSuffix(domain, "config.k8s.io"))
}

// readNodes reads a file as kustomize does.
func (b *builder) readNodes(text []byte, file string) ([]*object, error) {
	rs, err := b.factory.RF().SliceFromBytes(text)
	if err != nil {
		return nil, failed("reading a file", err)
	}
	lines := linesOf(text)
	objects := make([]*object, len(rs))
	for i, r := range rs {
		objects[i] = newObject(r, file)
		objects[i].line = lines[manifest.Describe(r.GetKind(), r.GetNamespace(), r.GetName())]
	}
	return objects, nil
}

// linesOf returns where the kinds of objects are written in a file that may hold lists.
func linesOf(text []byte) map[string]int {
	at := map[string]int{}
	lines := manifest.NewLines(text)
	for doc, err := range manifest.Documents(text, "") {
		if err != nil {
			return at
		}
		for o := range doc.Objects() {
			if kind := o.Node.Get("kind"); kind.Valid() {
				at[o.String()] = lines.At(kind.Offset())
			}
		}
	}
	return at
}

func newObject(r *resource.Resource, file string) *object {
	return &object{res: r, id: r.CurId(), previous: r.PrevIds(), file: file}
}

// parse makes an object a node tree.
func (b *builder) parse(o *object) error {
	if o.res != nil {
		return nil
	}
	var n yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(o.source)).Decode(&n); err != nil {
		return failed("reading an object", err)
	}
	// kustomize would look for aliases, merge keys and lists of objects, too, which are not there
	o.res = &resource.Resource{RNode: *yaml.NewRNode(&n)}
	if hasNull, _ := o.res.HasNilEntryInList(); hasNull {
		return decline("a null in a list")
	}
	o.source, o.printed = nil, nil
	o.id, o.previous = o.res.CurId(), o.res.PrevIds()
	return nil
}

// parseAll makes objects node trees.
func (b *builder) parseAll(objects []*object) error {
	for _, o := range objects {
		if err := b.parse(o); err != nil {
			return err
		}
	}
	return nil
}

// isImageless reports whether kustomize finds neither an image in an object nor, on the way to one, what it refuses.
func isImageless(root manifest.Node, source []byte) bool {
	for _, word := range []string{"image", "ontainers", "volumes"} {
		if bytes.Contains(source, []byte(word)) {
			return false
		}
	}
	for _, path := range [...][]string{{"spec"}, {"spec", "template"}, {"spec", "template", "spec"},
		{"spec", "jobTemplate"}, {"spec", "jobTemplate", "spec"}, {"spec", "jobTemplate", "spec", "template"},
		{"spec", "jobTemplate", "spec", "template", "spec"}} {
		if n := root.At(path...); n.Valid() && !n.IsMap() {
			return false
		}
	}
	return true
}
