package stamp

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// suffix is the strategy of an object whose name carries the digest of all its keys. It is another one with each new
// content, so new pods wait until the object is there, and old ones find theirs.
//
// The name is written in the object itself, or in the ExternalSecret that produces it. An annotation there
// distinguishes the suffix from a name that only looks alike.
type suffix struct {
	inserting
	text      []byte
	node      manifest.Node // of the object that has the name
	current   string        // the name as it is written
	object    *objects.Object
	rendered  bool         // the object is in the render, not produced by an ExternalSecret
	slot      *splice.Slot // of target.name, once a name is wanted; nil for what is rendered
	value     string       // the digest as an annotation has it; "" without one
	digest    string       // what the name is to carry; "" for the name alone
	why       string       // it cannot be renamed
	offset    int          // where that shows; 0 for the producer's place
	made      bool         // there is no target.name but ours
	places    []int        // where the name is written besides the slot
	fixed     bool         // one of them cannot be written over
	restarted bool         // a stamped workload reads it, and is to restart by the name
	readers   []suffixReader
}

const (
	suffixDigits = 16
	maxName      = 253 // characters that the API server takes
)

// madeName is the value of the annotation that marks an ExternalSecret which had no target.name.
const madeName = "made"

// target is where the name is in an ExternalSecret.
var target = []string{"spec", "target"}

// newSuffix returns what an ExternalSecret has about a name.
func newSuffix(text []byte, o manifest.Object, written, base string, prefix hashing.Prefix) *suffix {
	made := written != base && o.Annotation(prefix.TargetName()) != ""
	return &suffix{text: text, node: o.Node, current: written, made: made}
}

// block records why the object cannot be renamed. The first reason counts.
func (s *suffix) block(offset int, why string) {
	if s.why == "" {
		s.why, s.offset = why, offset
	}
}

// blockCloned blocks the renaming of what a policy copies into other namespaces: it may do so only when something
// triggers it, which a new name does not.
func (s *suffix) blockCloned(index *objects.Index) {
	by, ok := index.ClonedBy(s.object)
	switch {
	case !ok:
	case by.Context:
		s.block(0, by.Policy+" copies it into other namespaces")
	default:
		s.block(by.Offset, by.Policy+" copies it into other namespaces")
	}
}

// isWrittenAt reports whether the name is at a place just as it is.
func (s *suffix) isWrittenAt(at int) bool {
	_, ok := splice.Word(s.text, at, s.current, s.current)
	return ok
}

// locate finds target.name, or the place for it.
func (s *suffix) locate(stamps claim) (*splice.Slot, bool) {
	isName := func(key string) bool { return key == "name" }
	slot, err := splice.Locate(s.node, target, stamps.withRemovable(isName))
	return slot, err == nil && (len(slot.Existing()) == 1 || !s.node.At(target...).Get("name").Valid())
}

func (s *suffix) edits(wanted []plan.Wanted) []splice.Edit {
	if len(wanted) == 0 {
		return nil
	}
	return s.rename(wanted[0].Value)
}

// rename writes a name to all places.
func (s *suffix) rename(name string) []splice.Edit {
	var out []splice.Edit
	switch {
	case s.slot == nil:
	case s.made && s.digest == "":
		out = s.slot.Edits(nil, nil)
	default:
		out = s.slot.Edits([]splice.Entry{{Key: "name", Value: name, Quoted: true}}, nil)
	}
	return append(out, s.renameReferences(name)...)
}

// renameReferences writes a name where references have it, each at a place where isWrittenAt is true.
func (s *suffix) renameReferences(name string) (out []splice.Edit) {
	for _, at := range s.places {
		if edit, ok := splice.Word(s.text, at, s.current, name); ok {
			out = append(out, edit)
		}
	}
	return out
}

// wantedName returns the name that the object is to have.
func (s *suffix) wantedName() string {
	if s.digest == "" {
		return s.object.Name
	}
	return s.object.Name + "-" + s.digest
}

// digestOf returns the digest in an annotation's value.
func digestOf(value string) string { return value[strings.IndexByte(value, '-')+1:] }

// place returns where a finding about the name goes.
func (s *suffix) place() int { return cmp.Or(s.offset, s.object.Offset) }
