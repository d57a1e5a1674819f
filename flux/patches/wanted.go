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

// Write returns the text of a file in which each of the objects that are wanted has its patches. One that fails is left
// as it is, and the others are written.
func Write(text []byte, name string, all []*Wanted) ([]byte, error) {
	found, err := objectsIn(text, name)
	if err != nil {
		return nil, err
	}
	var errs []error
	by, bad := map[int]*Wanted{}, map[int]bool{} // by the offset of the object
	for _, w := range all {
		at := w.among(found)
		if at < 0 {
			errs = append(errs, w.Generated())
			continue
		}
		other := by[found[at].offset]
		switch {
		case other == nil:
			by[found[at].offset] = w
		case !sameStamps(other.Stamps, w.Stamps):
			err := fmt.Errorf("%s comes from the same lines, and what the two apply has other stamps", other)
			const hint = "Give each of them lines of its own, such as a copy in the folder of its cluster."
			errs = append(errs, w.Fail(err, hint))
			bad[found[at].offset] = true
		}
	}
	var edits []splice.Edit
	for _, o := range found {
		if w := by[o.offset]; w != nil && !bad[o.offset] {
			made, err := File(text, name, w.Prefix, func(at manifest.Object) ([]Stamps, bool) {
				return w.Stamps, at.Node.Offset() == o.offset
			})
			edits, errs = append(edits, made...), append(errs, err)
		}
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), errors.Join(errs...)
}

// object is one of Flux's objects in a file.
type object struct {
	kind, namespace, name string
	offset                int
	first, last           int // lines of its document
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

// objectsIn returns Flux's objects in a file.
func objectsIn(text []byte, name string) (out []object, err error) {
	lines := manifest.NewLines(text)
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		for o := range d.Objects() {
			if Takes(o) {
				out = append(out, object{o.Kind, o.Namespace, o.Name, o.Node.Offset(), lines.At(d.Start), lines.At(d.End)})
			}
		}
	}
	return out, nil
}

// among returns which of the objects in its file is meant: the one of its name, else the one in its lines, whose name
// a prefix or a variable changes; -1 for none.
func (w *Wanted) among(all []object) int {
	named := func(o object) bool {
		return o.kind == w.Kind && o.name == w.Name && (o.namespace == "" || o.namespace == w.Namespace)
	}
	inLines := func(o object) bool { return o.kind == w.Kind && o.first <= w.Pos.Line && w.Pos.Line <= o.last }
	for _, fits := range []func(object) bool{
		func(o object) bool { return named(o) && inLines(o) }, inLines, named,
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 && !slices.ContainsFunc(all[i+1:], fits) {
			return i
		}
	}
	return -1
}

// HasSameStamps reports whether another object is to have the same stamps.
func (w *Wanted) HasSameStamps(o *Wanted) bool { return sameStamps(w.Stamps, o.Stamps) }

// sameStamps reports whether two lists of stamps are equal.
func sameStamps(a, b []Stamps) bool {
	return slices.EqualFunc(a, b, func(x, y Stamps) bool { return x.equal(&y) })
}
