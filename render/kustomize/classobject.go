package kustomize

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// headless finds the first document of a file that is no object.
func (w where) headless(m []string) spot {
	fields := []string{m[2]}
	if m[2] == "Resource metadata" {
		fields = []string{"metadata.name", "kind", "apiVersion"}
	}
	text := w.content(m[1])
	if text == nil {
		return spot{}
	}
	return spot{pos: diag.Position{File: w.shownPath(m[1]), Line: headlessLine(text, fields...)}}
}

// renamed is what an error shows of an object that kustomize has changed.
type renamed struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Annotations     map[string]string
	}
}

// before returns the name and the namespace that the object has in its file.
func (r renamed) before() (name, namespace string) {
	first := func(annotation, now string) string {
		if before, ok := r.Metadata.Annotations["internal.config.kubernetes.io/"+annotation]; ok {
			now, _, _ = strings.Cut(before, ",")
		}
		return now
	}
	return first("previousNames", r.Metadata.Name), first("previousNamespaces", r.Metadata.Namespace)
}

// conflict names the objects that get one name in one namespace, and their files.
func (w where) conflict([]string) spot {
	_, list, _ := strings.Cut(w.text, "produces ID conflict: [")
	decoder := json.NewDecoder(strings.NewReader(list))
	var all []string
	for {
		var r renamed
		if decoder.Decode(&r) != nil {
			break
		}
		all = append(all, w.describe(r))
	}
	at := spot{pos: diag.Position{File: w.k.shown, Line: w.k.fieldLine("namespace")}}
	if len(all) > 1 {
		at.cause = "namespace transformation produces ID conflict: " + strings.Join(all, " and ")
	}
	return at
}

// describe names an object, its namespace and its file, if one alone can be meant.
func (w where) describe(r renamed) string {
	name, namespace := r.before()
	text := fmt.Sprintf("%s %s of namespace %s", r.Kind, name, namespace)
	var at []diag.Position
	w.eachObject(w.patchFiles(), func(o manifest.Object, pos diag.Position) {
		own := o.Namespace
		if own == "" {
			own = "default"
		}
		if o.Kind == r.Kind && o.Name == name && own == namespace {
			at = append(at, pos)
		}
	})
	if len(at) != 1 {
		return text
	}
	return text + " at " + at[0].String()
}

// eachObject calls a function with every object of the files of the build, but for some files.
func (f failures) eachObject(without map[string]bool, call func(manifest.Object, diag.Position)) {
	for _, file := range slices.Sorted(maps.Keys(f.tree.read)) {
		text, err := f.tree.at(file).ReadFile(file)
		if err != nil || without[file] {
			continue
		}
		lines := manifest.NewLines(text)
		for d, err := range manifest.Documents(text, file) {
			if err != nil {
				break
			}
			for o := range d.Objects() {
				call(o, diag.Position{File: f.tree.displayPath(file), Line: lines.At(o.Node.Offset())})
			}
		}
	}
}

// nodesOfObjects returns the positions of the nodes that a function finds in the objects of the build and in patches.
func (f failures) nodesOfObjects(find func(manifest.Object) []manifest.Node) (out []diag.Position) {
	f.eachObject(nil, func(o manifest.Object, pos diag.Position) {
		for _, n := range find(o) {
			pos.Line = manifest.NewLines(n.Document().Text()).At(n.Offset())
			out = append(out, pos)
		}
	})
	return out
}

// object finds an object by its kind and name: as it is in its file, or with what was put before and behind it.
func (w where) object(m []string) spot {
	var same, within []diag.Position
	w.eachObject(w.patchFiles(), func(o manifest.Object, pos diag.Position) {
		switch {
		case o.Kind != m[1]:
		case o.Name == m[2]:
			same = append(same, pos)
		case o.Name != "" && strings.Contains(m[2], o.Name):
			within = append(within, pos)
		}
	})
	return onlyOne(append(same, within...))
}

// keyNoString finds the key of an object that is a number or a truth value.
func (w where) keyNoString(m []string) spot {
	all := w.nodesOfObjects(func(o manifest.Object) []manifest.Node {
		if o.Kind != m[1] {
			return nil
		}
		return keysNoStrings(o.Node)
	})
	return onlyOne(all)
}

// onlyOne returns the one position that was found; nothing where there are more, or none.
func onlyOne(all []diag.Position) spot {
	if len(all) != 1 {
		return spot{}
	}
	return spot{pos: all[0]}
}

// keysNoStrings returns the first key of each mapping that is no string.
func keysNoStrings(n manifest.Node) (out []manifest.Node) {
	switch {
	case n.IsMap():
		first := true
		for key, value := range n.Entries() {
			if _, ok := key.Decode().(string); !ok && first {
				out, first = append(out, key), false
			}
			out = append(out, keysNoStrings(value)...)
		}
	case n.IsSeq():
		for item := range n.Items() {
			out = append(out, keysNoStrings(item)...)
		}
	}
	return out
}

// listOfAnnotations finds annotations that are a list, which kustomize reads as if it were a mapping.
func (w where) listOfAnnotations([]string) spot {
	at := onlyOne(w.nodesOfObjects(func(o manifest.Object) (out []manifest.Node) {
		key, value := o.Node.Get("metadata").OwnEntry("annotations")
		return nodeIf(key, value.IsSeq() && value.Len() > 0)
	}))
	if at.pos.File != "" {
		at.hint = "Write them as KEY: VALUE, without the dashes."
		at.cause = "metadata.annotations is a list, and has to be a mapping"
	}
	return at
}

// unprintable finds the text of a generator that kustomize writes into YAML that it cannot read.
func (w where) unprintable([]string) spot {
	var all []diag.Position
	for _, k := range w.read {
		of := where{w.failures, k, ""}
		for _, g := range k.kust.ConfigMapGenerator {
			for _, file := range sourceFiles(g.FileSources) {
				if text := of.content(file); text != nil && !canBePrinted(string(text)) {
					all = append(all, diag.Position{File: of.shownPath(file), Line: controlLine(string(text))})
				}
			}
			for _, literal := range g.LiteralSources {
				if _, value, _ := strings.Cut(literal, "="); !canBePrinted(value) {
					all = append(all, k.one(k.entries(named("name", g.Name), "configMapGenerator"), "configMapGenerator"))
				}
			}
		}
	}
	return onlyOne(all)
}

// canBePrinted reports whether kustomize reads a value of a ConfigMap back from what it writes.
func canBePrinted(value string) bool {
	if strings.ContainsFunc(value, isControl) {
		return false
	}
	n := yaml.MustParse("kind: ConfigMap")
	if err := n.LoadMapIntoConfigMapData(map[string]string{"key": value}); err != nil {
		return false
	}
	text, err := n.String()
	if err == nil {
		_, err = yaml.Parse(text)
	}
	return err == nil
}

// controlLine returns the line of the first control character of a text but for white space, or the first.
func controlLine(text string) int {
	at := strings.IndexFunc(text, isControl)
	return 1 + strings.Count(text[:max(at, 0)], "\n")
}

func isControl(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }
