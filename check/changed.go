package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// fields are what an object holds, by the path of each scalar. A null is none.
type fields map[string]string

// Pipe is the texts of what went into a pipe and what came out of it, and of what went in as it is rendered once more;
// that is nil where nothing else is.
type Pipe struct{ In, Again, Out []byte }

// FindChanged returns a finding for each object that came out of a pipe otherwise than it went in, of which in and m
// are the manifests. Fields that differ in what is rendered once more are never twice the same, and not looked at.
// Objects that are there more than once are not, either.
func (m Manifests) FindChanged(in Manifests, texts Pipe, namespace string) (found []diag.Finding) {
	changed := map[object]bool{}
	for id, before := range in {
		after := m[id]
		if len(before) == 1 && len(after) == 1 && before[0] != after[0] {
			changed[id] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	before, after := readFields(texts.In, namespace, changed), readFields(texts.Out, namespace, changed)
	second := readFields(texts.Again, namespace, changed)
	for _, id := range sortedObjects(in) {
		if !changed[id] {
			continue
		}
		if other, ok := second[id]; ok {
			skipUnstable(before[id], other, after[id])
		}
		if f, ok := compareFields(id, before[id], after[id]); ok {
			found = append(found, f)
		}
	}
	return found
}

// readFields returns what some objects of a text hold, which was read before.
func readFields(text []byte, namespace string, of map[object]bool) map[object]fields {
	out := map[object]fields{}
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out
		}
		for o := range d.Objects() {
			if id := identify(o, namespace); of[id] {
				one := fields{}
				one.add("", o.Node)
				out[id.clone()] = one
			}
		}
	}
}

// add adds what a node holds.
func (f fields) add(path string, n manifest.Node) {
	switch t := n.Type(); {
	case n.IsMap() && n.Len() > 0:
		for k, v := range n.Entries() {
			f.add(path+"."+k.Text(), v)
		}
	case n.IsSeq() && n.Len() > 0:
		i := 0
		for v := range n.Items() {
			f.add(path+"["+strconv.Itoa(i)+"]", v)
			i++
		}
	case n.IsMap():
		f[path] = "{}"
	case n.IsSeq():
		f[path] = "[]"
	case t == manifest.String:
		f[path] = strconv.Quote(n.Text())
	case t == manifest.Bool:
		f[path] = strconv.FormatBool(n.IsTrue())
	case t == manifest.Number:
		f[path] = numberOf(n.Text())
	}
}

// numberOf returns a number as one spelling: programs in a pipe may write 0644 as 420, and 1.0 as 1.
func numberOf(text string) string {
	var v float64
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// skipUnstable takes out of an object, and of what came out of it, the fields that differ in another render of it.
func skipUnstable(before, again, after fields) {
	for path := range after {
		if _, isIn := before[path]; !isIn && again[path] != "" {
			delete(after, path)
		}
	}
	for path, value := range before {
		if again[path] != value {
			delete(before, path)
			delete(after, path)
		}
	}
}

// compareFields returns a finding where an object came out otherwise. Fields that only came out are a warning: tools
// that add labels and annotations lose nothing.
func compareFields(id object, before, after fields) (f diag.Finding, ok bool) {
	var lost, other, added []string
	for path, value := range before {
		switch now, stays := after[path]; {
		case !stays:
			lost = append(lost, path)
		case now != value:
			other = append(other, path)
		}
	}
	for path := range after {
		if _, isIn := before[path]; !isIn {
			added = append(added, path)
		}
	}
	var parts []string
	for _, of := range []struct {
		paths []string
		words string
	}{
		{lost, "without %s"}, {other, "with another value of %s"}, {added, "with %s, which had not gone in"},
	} {
		if len(of.paths) > 0 {
			parts = append(parts, fmt.Sprintf(of.words, namePaths(of.paths)))
		}
	}
	if len(parts) == 0 {
		return f, false
	}
	f = diag.New(diag.ObjectChanged, id.String(), "it came out "+strings.Join(parts, ", and "))
	if len(lost)+len(other) == 0 {
		f.Severity = diag.Warning
	}
	return f, true
}

// plainPath matches the paths that are shown. What a program prints between manifests may have become the name of a
// field.
var plainPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./\[\]-]{1,150}$`) })

// namePaths returns the first ones of some paths, and how many others there are.
func namePaths(paths []string) string {
	const shown = 2
	slices.Sort(paths)
	plain := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !plainPath().MatchString(p) })
	plain = plain[:min(len(plain), shown)]
	for i := range plain {
		plain[i] = strings.TrimPrefix(plain[i], ".")
	}
	text, more := strings.Join(plain, " and "), len(paths)-len(plain)
	switch {
	case len(plain) == 0:
		return diag.Count(more, "field")
	case more > 0:
		return text + " and " + diag.Count(more, "other field")
	}
	return text
}
