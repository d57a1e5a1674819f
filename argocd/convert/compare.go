package convert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// Comparison is what comparing two renders of one source comes to. It never holds their content.
type Comparison struct {
	Differences []string // the objects in which they differ, and where
	Random      []string // the objects that differ from one render to the next, and so cannot be compared
}

// Compare compares two renders of one source. Repeat is a second render of the first, nil if that could not differ.
func Compare(a, b, repeat []byte) (c Comparison, err error) {
	if bytes.Equal(a, b) && (repeat == nil || bytes.Equal(a, repeat)) {
		return c, nil
	}
	first, order, err := byObject(a)
	if err != nil {
		return c, err
	}
	second, more, err := byObject(b)
	if err != nil {
		return c, err
	}
	again := first
	if repeat != nil {
		if again, _, err = byObject(repeat); err != nil {
			return c, err
		}
	}
	renamed := map[string]bool{} // kinds of objects whose names are random
	for _, name := range order {
		have, ok := second[name]
		repeated, hasName := again[name]
		switch {
		case !hasName:
			renamed[kindOf(name)] = true
			c.Random = append(c.Random, name)
		case !bytes.Equal(first[name], repeated):
			c.Random = append(c.Random, name)
		case !ok:
			c.Differences = append(c.Differences, name+" is gone")
		case !bytes.Equal(first[name], have):
			line := firstLine(first[name], have)
			c.Differences = append(c.Differences, fmt.Sprintf("%s differs from its line %d on", name, line))
		}
	}
	for _, name := range more {
		if _, ok := first[name]; !ok && !renamed[kindOf(name)] {
			c.Differences = append(c.Differences, name+" is new")
		}
	}
	if len(c.Differences)+len(c.Random) == 0 && !bytes.Equal(a, b) {
		c.Differences = append(c.Differences, "the objects are the same, but not the text between them or their order")
	}
	return c, nil
}

// kindOf returns the kind of an object by its name as messages write it.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, " ")
	return kind
}

// Unstable returns the objects that a second render has otherwise, or not at all, and the workloads among them whose
// pod template is another one.
func Unstable(text, second []byte) (objects, rolling []string, err error) {
	if second == nil || bytes.Equal(text, second) {
		return nil, nil, nil
	}
	first, order, err := byObject(text)
	if err != nil {
		return nil, nil, err
	}
	again, _, err := byObject(second)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range order {
		if bytes.Equal(first[name], again[name]) {
			continue
		}
		objects = append(objects, name)
		if !bytes.Equal(podTemplate(first[name]), podTemplate(again[name])) {
			rolling = append(rolling, name)
		}
	}
	return objects, rolling, nil
}

// podTemplate returns the text of a workload's pod template, where that is plain; nil of any other object.
func podTemplate(text []byte) []byte {
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil
		}
		for o := range d.Objects() {
			for _, k := range refs.Kinds() {
				n := o.Node.At(k.Template...)
				if k.Kind == o.Kind && slices.Contains(k.Groups, o.Group()) && n.End() > n.Offset() {
					return n.Document().Text()[n.Offset():n.End()]
				}
			}
		}
	}
	return nil
}

// byObject returns the text of each object; a second object of the same name has a number.
func byObject(text []byte) (all map[string][]byte, order []string, err error) {
	all = map[string][]byte{}
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return all, order, err
		}
		name := ""
		for o := range d.Objects() {
			name = o.String()
			break
		}
		if name == "" {
			continue
		}
		for n := 2; all[name] != nil; n++ {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
		all[name] = slices.Clone(d.Bytes())
		order = append(order, name)
	}
}

// firstLine returns the number of the first line in which two texts differ.
func firstLine(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
