package plan

import "github.com/rollstamp/rollstamp/diag"

// Place is where stamps can be written: the annotations of a pod template, or of an object that produces what is
// consumed.
type Place struct {
	Workload int      `json:"workload"`          // index in the workloads of the Plan; -1 for a producer
	Excluded bool     `json:"excluded"`          // its workload is not to be stamped, or its text has no place for stamps
	Left     bool     `json:"-"`                 // stamps that are there stay, whatever is wanted
	Foreign  []string `json:"foreign,omitempty"` // annotations of other tools that are there and may be removed
	Manual   bool     `json:"manual,omitempty"`  // its stamps stay as they are approved
	Way      Way      `json:"-"`                 // how digests get there; none where they do not
	ByName   bool     `json:"-"`                 // the names of objects are to carry digests (strategy: suffix)
	// the kinds of the objects whose new names restart its workload, so that no stamp of them is wanted
	Renamed []string `json:"renamed,omitempty"`
	// the annotations rollstamp.dev/... of its workload, else of its pod template; nil where there are none
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Wanted is one stamp that is wanted in the text. Deciding makes a list of them, policies are functions from one list
// to another, and strategies write them. A stamp that the text has at a place and that is not wanted is removed.
type Wanted struct {
	Place int    `json:"place"` // index in the places
	Kind  string `json:"kind"`  // of the object whose content the stamp is about
	Name  string `json:"name"`
	// of the object, where the workload names one of another namespace; "" otherwise
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key"`   // of the annotation, or for another strategy what it writes to
	Value     string `json:"value"` // "" leaves what is there as it is, and writes nothing where there is none
	Reason    Reason `json:"reason"`
	// Way is how it got there until now, where it is to stay so with all others of the place; else none.
	Way Way `json:"-"`
}

// Reason is why a stamp is wanted.
type Reason string

// The reasons for a stamp.
const (
	Digest  Reason = "digest"  // the digest of what the workload consumes
	Unknown Reason = "unknown" // the object is still referred to and no digest is made of it: an earlier stamp stays
	Foreign Reason = "foreign" // an annotation of another tool stays
	Restart Reason = "restart" // somebody asked for it
	Refresh Reason = "refresh" // a producer is to fetch again what is consumed
	Renamed Reason = "renamed" // the name of an object carries its digest
	Kept    Reason = "kept"    // an earlier content of a renamed object is printed beside it
	Adopted Reason = "adopted" // the digest is the adopted one: what is there stays, until the content changes
	// Variable is a variable of a container that is read from the key __data: its value is the digest of the object, and
	// the key of the stamp is CONTAINER/VARIABLE.
	Variable Reason = "variable"
	Waiting  Reason = "waiting" // the digest is not approved: what is there stays, until it is
)

// Rename is a ConfigMap or Secret whose name carries a digest.
type Rename struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string // its own
	Written   string // the one with the digest
	Position  diag.Position
}

// Hold is a stamp that is not written as it is wanted, because of what people decided.
type Hold struct {
	Wanted        // as it would be written
	Stamp  string // what is written instead; "" is no stamp
	Held   Reason // Adopted or Waiting
	// Foreign reports that other tools' annotations stay, too, where everything else at the place is held so.
	Foreign bool
}
