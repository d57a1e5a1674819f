package check

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// Manifests are the objects of a text by what identifies them, each as often as it is there.
type Manifests map[object][][sha256.Size]byte

// object is what identifies an object in a cluster. Versions of an API group show the same objects.
type object struct{ group, kind, namespace, name string }

// ReadManifests reads a text. Objects that name no namespace lie in the one that is given.
func ReadManifests(text []byte, namespace string) (Manifests, error) {
	out := Manifests{}
	var buf bytes.Buffer
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, err
		}
		for o := range d.Objects() {
			id := identify(o, namespace).clone()
			buf.Reset()
			writeCanonical(&buf, o.Node)
			out[id] = append(out[id], sha256.Sum256(buf.Bytes()))
		}
	}
}

// identify returns what identifies an object, which lies in a namespace where it names none.
func identify(o manifest.Object, namespace string) object {
	return object{o.Group(), o.Kind, cmp.Or(o.Namespace, namespace), o.Name}
}

// clone returns the same without the memory of the text.
func (o object) clone() object {
	return object{strings.Clone(o.group), strings.Clone(o.kind), strings.Clone(o.namespace), strings.Clone(o.name)}
}

func (o object) String() string { return manifest.Describe(o.kind, o.namespace, o.name) }

// writeCanonical writes what a node holds, whatever its style and the order of its keys.
func writeCanonical(out *bytes.Buffer, n manifest.Node) {
	switch {
	case n.IsMap():
		entries := map[string]manifest.Node{}
		for k, v := range n.Entries() {
			entries[k.Text()] = v
		}
		out.WriteByte('{')
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			fmt.Fprintf(out, "%q:", key)
			writeCanonical(out, entries[key])
		}
		out.WriteByte('}')
	case n.IsSeq():
		out.WriteByte('[')
		for v := range n.Items() {
			writeCanonical(out, v)
		}
		out.WriteByte(']')
	default:
		fmt.Fprintf(out, "%d%q,", n.Type(), n.Text())
	}
}

// noObject is what is reported of manifests that were made by others and hold nothing.
const noObject = "the manifests hold no object: to a release that is all of its objects deleted"

// EmptyFails returns findings in which it is an error that manifests hold no object.
func EmptyFails(found []diag.Finding) []diag.Finding {
	out := slices.Clone(found)
	for i := range out {
		if out[i].Code == diag.NoObjects {
			out[i].Severity, out[i].Message = diag.Failure, noObject
		}
	}
	return out
}

// FindEmpty returns a finding where there is no object at all.
func (m Manifests) FindEmpty() []diag.Finding {
	if len(m) > 0 {
		return nil
	}
	f := diag.New(diag.NoObjects, "", noObject)
	f.Severity = diag.Failure
	return []diag.Finding{f}
}

// FindOthers returns a finding for each document of a text that is no object which the API server takes, and for each
// line that became a field of one, such as the warning that a program has printed between its manifests.
func FindOthers(text []byte, at func(offset int) diag.Position) (found []diag.Finding, err error) {
	kinds := refs.NewTable(config.MaxLevel, nil)
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return found, err
		}
		if why := otherThan(d); why != "" {
			f := diag.New(diag.Skipped, "", "a document is no object: "+why).At(at(d.Root().Offset()))
			f.Severity, f.Hint = diag.Failure, "The API server refuses it. Did a program print a message between manifests?"
			found = append(found, f)
			continue
		}
		found = append(found, strayLines(d, kinds, at)...)
	}
}

// otherThan returns why a document is no object; "" for objects, their lists, and comments.
func otherThan(d *manifest.Document) string {
	root := d.Root()
	if !root.Valid() || root.Type() == manifest.Null {
		return ""
	}
	if !root.IsMap() {
		return "it is no mapping"
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if root.Get(field).StringValue() == "" {
			return "it has no " + field
		}
	}
	for o := range d.Objects() {
		if o.Name == "" && o.Node.SameAs(root) {
			return "it has no name"
		}
	}
	return ""
}

// FindLost returns a finding for each object that went in and has not come out, and for each that only came out.
func (m Manifests) FindLost(in Manifests) (found []diag.Finding) {
	for _, id := range sortedObjects(in, m) {
		before, after := len(in[id]), len(m[id])
		switch {
		case after == 0:
			found = append(found, diag.New(diag.ObjectLost, id.String(), "it went in, and has not come out"))
		case before == 0:
			found = append(found, diag.New(diag.ObjectAdded, id.String(), "it came out, and had not gone in"))
		case before != after:
			message := fmt.Sprintf("it went in %s, and came out %s", times(before), times(after))
			f := diag.New(diag.ObjectLost, id.String(), message)
			if after > before {
				f = diag.New(diag.DuplicateObject, id.String(), message)
				f.Severity = diag.Failure
			}
			found = append(found, f)
		}
	}
	return found
}

// FindRepeated returns a finding for each object that is there more than once: the last one counts.
func (m Manifests) FindRepeated() (found []diag.Finding) {
	for _, id := range sortedObjects(m) {
		if n := len(m[id]); n > 1 {
			found = append(found, diag.New(diag.DuplicateObject, id.String(), "it came out "+times(n)))
		}
	}
	return found
}

// FindUnstable returns a finding for each object that another run of the same command printed otherwise.
func (m Manifests) FindUnstable(again Manifests) (found []diag.Finding) {
	for _, id := range sortedObjects(m, again) {
		message := "the second run printed it otherwise"
		switch {
		case slices.Equal(m[id], again[id]):
			continue
		case len(again[id]) == 0:
			message = "the second run did not print it"
		case len(m[id]) == 0:
			message = "only the second run printed it"
		}
		found = append(found, diag.New(diag.UnstableOutput, id.String(), message))
	}
	return found
}

func sortedObjects(all ...Manifests) []object {
	ids := map[object]bool{}
	for _, m := range all {
		for id := range m {
			ids[id] = true
		}
	}
	return slices.SortedFunc(maps.Keys(ids), func(a, b object) int {
		return strings.Compare(a.String()+"\x00"+a.group, b.String()+"\x00"+b.group)
	})
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
