// Package plan holds the one result as types with JSON tags: what each workload consumes, where that comes from, and
// the stamps that are wanted for it. Reports and comparisons are views of a Plan; what explain -o json prints is its
// encoding.
package plan

import (
	"iter"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// Schema is the version of the JSON that a Plan encodes to. A field is added within a version, never removed or
// changed.
const Schema = 1

// Plan is the result for one input. A Plan that has been decoded holds what its encoding has: no stamps, no counts,
// and of positions only those of producers and findings.
type Plan struct {
	Schema    int            `json:"schema"`
	Workloads []Workload     `json:"workloads"`
	Findings  []diag.Finding `json:"findings"` // all of them, sorted, those of the references included

	Stamps  []Wanted       `json:"-"` // what is written into the text, after all policies
	Places  []Place        `json:"-"` // where they are written
	Holds   []Hold         `json:"-"` // what is not written as it is wanted, by place
	Renames []Rename       `json:"-"` // the objects whose names carry digests, in the order of the input
	Objects int            `json:"-"` // how many objects the input holds
	Prefix  hashing.Prefix `json:"-"` // of the keys of stamps
	Read    Reading        `json:"-"`
}

// Reading counts how the documents were read.
type Reading struct {
	Documents int // with or without an object
	Relevant  int // hold a workload, a ConfigMap, a Secret, or what produces one
	Library   int // of the relevant ones, those that only the YAML library understood
}

// Workload is an object with pod templates and what they refer to.
type Workload struct {
	Kind       string        `json:"kind"`
	Namespace  string        `json:"namespace"` // "" where it is not known
	Name       string        `json:"name"`
	References []Reference   `json:"references"` // sorted by kind and name, one for each object
	Position   diag.Position `json:"-"`
	Stamped    bool          `json:"-"` // one of its pod templates can get stamps
	Rank       int           `json:"-"` // its turn when several wait for approval; the least is first
	Unstable   []string      `json:"-"` // places of its pod templates that differ in each render, and replace its pods
}

// Reference is what a workload consumes of one object, over all places that name it.
type Reference struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Keys      []string `json:"keys"`     // null: all
	Forms     []string `json:"forms"`    // how it is written, sorted
	Optional  bool     `json:"optional"` // in every place
	// Source is where the object was found: objects.Stream, Context, Absent or Ambiguous, KIND/NAME of what produces
	// it, or "template" for what the pod names itself.
	Source string `json:"source"`
	// as the annotation's value; "" where the content is not known or not to be stamped
	Digest     string `json:"digest"`
	Annotation string `json:"annotation"` // the annotation's key; "" without a digest, and where a name carries it
	// Renamed is the name that the object has in the output, where that carries the digest; "" otherwise.
	Renamed string `json:"renamed,omitempty"`
	// Variable is the environment variable that holds the digest instead of an annotation; "" for none.
	Variable string `json:"variable,omitempty"`
	// Phantoms are the variables, as CONTAINER/VARIABLE, that hold the digest because they are read from the key __data.
	Phantoms []string `json:"-"`
	// Held is Adopted or Waiting where people decided that the digest is not written, and "" otherwise; Stamp is what is
	// written instead, "" for none.
	Held      Reason         `json:"held,omitempty"`
	Stamp     string         `json:"stamp,omitempty"`
	Producers []Producer     `json:"producers"` // what produces the object, or adds to it, in the order of the chain
	Findings  []diag.Finding `json:"findings"`
	// Origin is what a tool copies into the object, where that is neither in the input nor in the context; zero for none.
	Origin Original `json:"-"`
	// Required are the keys without which a pod does not start, of an object that is not in the input; sorted.
	Required []string `json:"-"`
	// Lacking are the keys without which a pod does not start, and that the object does not have; sorted.
	Lacking []string `json:"-"`
	// Refused: the API server would not take what the reference is to, so that it has no digest.
	Refused bool `json:"-"`
	// Excluded: annotations of another tool leave the object out, in all pod templates.
	Excluded bool `json:"-"`
	// Ciphertext: something of what is read is encrypted, and this run does not decrypt it.
	Ciphertext bool `json:"-"`
	// Sealed: what is encrypted is a SealedSecret.
	Sealed bool `json:"-"`
	// Unkeyed: the digest is of a Secret, and made without a hash key.
	Unkeyed bool `json:"-"`
	// LacksKey: so it is, and a line of the lock holds one that was made with a hash key.
	LacksKey bool `json:"-"`
	// Unchecked are the digests of a line that adopts the object, made with a hash key, where this run has none or perhaps
	// another one, and nothing is known of whether the line holds.
	Unchecked string `json:"-"`
	// Variables: it was decrypted, and holds variables, which Flux substitutes after that.
	Variables bool `json:"-"`
	// Contents is what the context has under the keys that count, of an object that lies there; nil of others.
	Contents []KeyContent `json:"-"`
}

// Original is the object of a kind of which another one is a copy.
type Original struct{ Namespace, Name string }

// KeyContent is a key with a fingerprint of what is under it, which compares with others of this process only.
type KeyContent struct {
	Key         string
	Fingerprint uint64
}

// IsHeldUnstamped reports whether a line of the lock adopts what a workload consumes, and has no stamp written.
func (r *Reference) IsHeldUnstamped() bool { return r.Held == Adopted && r.Stamp == "" }

// FetchedRefs returns what operators fetch for stamped workloads, in the order of these; what several consume comes for
// each of them.
func (p *Plan) FetchedRefs() iter.Seq[sources.Ref] {
	return func(yield func(sources.Ref) bool) {
		for _, w := range p.Workloads {
			for _, r := range w.References {
				for _, producer := range r.Producers {
					for _, s := range producer.Sources {
						if w.Stamped && !yield(s.Ref) {
							return
						}
					}
				}
			}
		}
	}
}

// TakenOut returns the annotations of other tools that the plan takes out of pod templates, by the index of their
// workloads.
func (p *Plan) TakenOut() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		stay := map[Wanted]bool{}
		for _, w := range p.Stamps {
			if w.Reason == Foreign {
				stay[w] = true
			}
		}
		for i, place := range p.Places {
			for _, key := range place.Foreign {
				is := place.Workload >= 0 && !stay[Wanted{Place: i, Key: key, Reason: Foreign}]
				if is && !yield(place.Workload, key) {
					return
				}
			}
		}
	}
}

// FirstVariable returns the first workload, as errors name it, that gets an environment variable, and the reference
// whose digest that holds; nil where none does.
func (p *Plan) FirstVariable() (workload string, of *Reference) {
	for i := range p.Workloads {
		w := &p.Workloads[i]
		for k := range w.References {
			if r := &w.References[k]; r.Variable != "" && w.Stamped {
				return manifest.Describe(w.Kind, w.Namespace, w.Name), r
			}
		}
	}
	return "", nil
}
