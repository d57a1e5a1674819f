package rounds

import (
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
)

// sighting is an object as one member applies it.
type sighting struct {
	*member
	text []byte // its document; nil where that holds more, or where nobody compares it
}

// repeated is an object that several members apply, in their order.
type repeated struct {
	name string
	by   []sighting
}

// appliers are the members that apply each object.
type appliers struct {
	first map[applied]sighting
	again map[applied]*repeated
	order []applied // of again
}

func newAppliers() *appliers {
	return &appliers{first: map[applied]sighting{}, again: map[applied]*repeated{}}
}

// add adds a member that applies an object of a document.
func (a *appliers) add(key applied, m *member, o manifest.Object, d *manifest.Document) {
	now := sighting{member: m}
	if key.group == objects.SourceGroup && o.Node.SameAs(d.Root()) {
		now.text = d.Body()
	}
	before, isKnown := a.first[key]
	switch {
	case !isKnown:
		a.first[key] = now
	case a.again[key] != nil:
		if r := a.again[key]; r.by[len(r.by)-1].member != m {
			r.by = append(r.by, now)
		}
	case before.member != m:
		a.again[key] = &repeated{key.String(), []sighting{before, now}}
		a.order = append(a.order, key)
	}
}

// report reports each object that several members apply, which would take it from each other in the cluster: once, at
// the second of them. Flux's sources that are the same everywhere are no more than worth knowing: nothing is lost when
// one of the members prunes what the others apply again.
func (a *appliers) report() {
	for _, key := range a.order {
		r := a.again[key]
		m := r.by[1].member
		f := diag.New(diag.DuplicateObject, r.name, r.message()).At(m.Pos)
		if r.isSame() {
			f.Severity = diag.Info
			f.Message += ", with the same spec"
			f.Hint = "Nothing is to be done while they stay the same."
		}
		m.findings = append(m.findings, f)
	}
}

// message returns a sentence about who applies an object.
func (r *repeated) message() string {
	first, second := r.by[0].member, r.by[1].member
	if more := len(r.by) - 2; more > 0 {
		return fmt.Sprintf("%s (%s), %s and %d more apply it", first, first.Pos, second, more)
	}
	return bothApply(first, second) + " it"
}

// isSame reports whether all members apply the same, but for the metadata: to it goes who applies the object, and
// spec.commonMetadata, and no source has another artifact of that.
func (r *repeated) isSame() bool {
	first, ok := withoutMetadata(r.by[0].text)
	return ok && !slices.ContainsFunc(r.by[1:], func(s sighting) bool {
		now, ok := withoutMetadata(s.text)
		return !ok || !reflect.DeepEqual(first, now)
	})
}

func withoutMetadata(text []byte) (object map[string]any, ok bool) {
	if err := yaml.Unmarshal(text, &object); err != nil {
		return nil, false
	}
	delete(object, "metadata")
	return object, len(object) > 0
}
