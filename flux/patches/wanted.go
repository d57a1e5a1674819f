package patches

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// Wanted is what one of Flux's objects is to have: the stamps of what it applies, and no other ones.
type Wanted struct {
	Kind, Namespace, Name string
	Pos                   diag.Position // of the object in the repository
	Stamps                []Stamps
	Prefix                hashing.Prefix // of the keys of stamps
	// Keeps reports whether an object that is applied, by the name that a patch has, keeps the patches that are there for
	// it though none are wanted: what it is to have is not known. Nil keeps none.
	Keeps func(kind, name string) bool
	// KeepsOwn: the patches for workloads stay as they are. Those for objects of Flux are written.
	KeepsOwn bool
}

// String returns the object as errors name it.
func (w *Wanted) String() string { return manifest.Describe(w.Kind, w.Namespace, w.Name) }

// Fail returns an error about the object.
func (w *Wanted) Fail(err error, hint string) error {
	return &diag.Error{Exit: diag.ExitInput, Object: w.String(), Pos: w.Pos, Err: err, Hint: hint}
}

// ErrGenerated is the error of an object that no file of the repository holds.
var ErrGenerated = errors.New("no file of the repository holds it, and so none can hold its patches")

// Generated returns the error of an object that no file holds.
func (w *Wanted) Generated() error {
	return w.Fail(ErrGenerated, "Write it into a file, or publish what it applies with rollstamp flux push.")
}

// Text is the text of a file with Flux's objects, parsed once for all that are wanted there.
type Text struct {
	text    []byte
	name    string
	objects []object
}

// object is one of Flux's objects in a file.
type object struct {
	manifest.Object
	document    *manifest.Document
	first, last int // lines of its document, or of itself in a List
}

// Parse returns the text of a file.
func Parse(text []byte, name string) (*Text, error) {
	t := &Text{text: text, name: name}
	lines := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		first, last := lines.At(d.Start), lines.At(d.End)
		d = d.Clone()
		for o := range d.Objects() {
			if !Takes(o) {
				continue
			}
			if !o.Node.SameAs(d.Root()) {
				first, last = lines.At(o.Node.Offset()), lines.At(o.Node.End())
			}
			t.objects = append(t.objects, object{o, d, first, last})
		}
	}
	return t, nil
}

// Write returns the text in which each of the objects that are wanted has its patches. Those that fail are left as they
// are and returned with their errors; the others are written.
func (t *Text) Write(all []*Wanted) (text []byte, failed map[*Wanted]error) {
	failed = map[*Wanted]error{}
	by, bad := map[*object]*Wanted{}, map[*object]bool{}
	for _, w := range all {
		o := t.object(w)
		if o == nil {
			failed[w] = w.Generated()
			continue
		}
		switch other := by[o]; {
		case other == nil:
			by[o] = w
		case other.KeepsOwn != w.KeepsOwn || !sameStamps(other.Stamps, w.Stamps):
			err := fmt.Errorf("%s comes from the same lines, and what the two apply has other stamps", other)
			const hint = "Give each of them lines of its own, such as a copy in the folder of its cluster."
			failed[w] = w.Fail(err, hint)
			failed[other], bad[o] = failed[w], true
		}
	}
	var edits []splice.Edit
	for i := range t.objects {
		if o := &t.objects[i]; by[o] != nil && !bad[o] {
			made, err := t.edits(o, by[o])
			if err != nil {
				failed[by[o]] = err
			}
			edits = append(edits, made...)
		}
	}
	splice.Sort(edits)
	return splice.Bytes(t.text, edits), failed
}

// Changes reports whether the text becomes another one where an object has what is wanted, or that fails.
func (t *Text) Changes(w *Wanted) bool {
	o := t.object(w)
	if o == nil {
		return true
	}
	edits, err := t.edits(o, w)
	return err != nil || slices.ContainsFunc(edits, func(e splice.Edit) bool {
		return string(t.text[e.Start:e.End]) != e.Text
	})
}

// edits returns those that have an object be as it is wanted.
func (t *Text) edits(o *object, w *Wanted) ([]splice.Edit, error) {
	edits, err := inDocument(o.document, o.Object, w.Prefix, w.withKept(o.Object))
	if err != nil {
		return nil, refuse(err, t.name, o.Object)
	}
	return edits, nil
}

// withKept returns the stamps that are wanted, and those for objects that keep what they have.
func (w *Wanted) withKept(o manifest.Object) []Stamps {
	if w.Keeps == nil && !w.KeepsOwn || o.Kind != "Kustomization" {
		return w.Stamps
	}
	out := slices.Clip(w.Stamps)
	for _, e := range readList(w.Prefix, o.Node, "spec", "patches").ours {
		isIt := func(s Stamps) bool { return s.id() == e.stamps.id() }
		keeps := w.KeepsOwn
		if len(e.stamps.Inner) > 0 {
			keeps = w.Keeps != nil && w.Keeps(e.stamps.Kind, e.stamps.Name)
		}
		if keeps && !slices.ContainsFunc(w.Stamps, isIt) {
			out = append(out, *e.stamps)
		}
	}
	return out
}

// NameIn returns the name with variables that becomes a name, of an object of a kind in a file; "" where none or
// several may be meant.
func NameIn(text []byte, kind, name string) (written string) {
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return ""
		}
		for o := range d.Objects() {
			switch {
			case o.Kind == kind && o.Name == name:
				return "" // it is written as it is
			case o.Kind != kind || !strings.Contains(o.Name, "${") || !mayBecome(o.Name, name):
			case written != "" && written != o.Name:
				return ""
			default:
				written = strings.Clone(o.Name)
			}
		}
	}
	return written
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^}]*\}`) })

// mayBecome reports whether a name with variables may become another one.
func mayBecome(written, name string) bool {
	var pattern strings.Builder
	for i, part := range variable().Split(written, -1) {
		if i > 0 {
			pattern.WriteString(".*")
		}
		pattern.WriteString(regexp.QuoteMeta(part))
	}
	matched, err := regexp.MatchString("^"+pattern.String()+"$", name)
	return err == nil && matched
}

// object returns which of the objects is meant: the one of its name, else the one in its lines, whose name a prefix
// or a variable changes; nil for none.
func (t *Text) object(w *Wanted) *object {
	named := func(o object) bool {
		return o.Kind == w.Kind && o.Name == w.Name && (o.Namespace == "" || o.Namespace == w.Namespace)
	}
	inLines := func(o object) bool { return o.Kind == w.Kind && o.first <= w.Pos.Line && w.Pos.Line <= o.last }
	for _, fits := range []func(object) bool{
		func(o object) bool { return named(o) && inLines(o) }, inLines, named,
	} {
		if i := slices.IndexFunc(t.objects, fits); i >= 0 && !slices.ContainsFunc(t.objects[i+1:], fits) {
			return &t.objects[i]
		}
	}
	return nil
}

// HasSameStamps reports whether another object is to have the same stamps.
func (w *Wanted) HasSameStamps(o *Wanted) bool { return sameStamps(w.Stamps, o.Stamps) }

// sameStamps reports whether two lists of stamps are equal.
func sameStamps(a, b []Stamps) bool {
	return slices.EqualFunc(a, b, func(x, y Stamps) bool { return x.equal(&y) })
}
