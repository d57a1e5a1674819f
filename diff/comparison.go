package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// Schema is the version of the JSON that a Comparison encodes to. A field is added within a version, never removed or
// changed. docs/diff.schema.json describes it.
const Schema = 1

// Comparison is what changes from one side to the other. Every report is made of it, and it can be encoded as JSON
// and read again. It holds no value of a Secret.
type Comparison struct {
	Schema  int      `json:"schema"`
	From    string   `json:"from"` // labels of the sides
	To      string   `json:"to"`
	Commits *Commits `json:"commits,omitempty"` // of revisions
	// LeftAt is the default branch, where nobody named the old side, the new one has no commit beyond that branch, and
	// no file was read that differs.
	LeftAt string   `json:"-"`
	Paths  []string `json:"paths,omitempty"` // what was named to be compared in revisions, sorted
	Shard  *Shard   `json:"shard,omitempty"` // set where this is a part of a comparison
	// Of a part: the flags and variables that shape it, and the first bits of the digests of their values; and the working
	// folder, where that is not the top of the repository.
	MadeWith []Setting      `json:"madeWith,omitempty"`
	Apps     []AppChange    `json:"apps"`               // all, by name
	Blocked  []Blocked      `json:"blocked,omitempty"`  // what will not come up, or is refused
	Repeated []Repeated     `json:"repeated,omitempty"` // what restarts at each render, whatever changes
	Restarts []Restart      `json:"restarts"`           // by application, kind, namespace and name
	Stale    []Stale        `json:"stale,omitempty"`    // what would restart, were it stamped again
	Quiet    []Quiet        `json:"quiet"`              // configuration that changes and restarts nothing
	Unknown  []Unknown      `json:"unknown,omitempty"`  // what changes, and what it restarts is not known here
	Objects  []ObjectChange `json:"objects"`
	Unstable []Unstable     `json:"unstable,omitempty"` // what differs in each render, and was not compared
	Edges    []Edge         `json:"edges"`              // configuration that changes, and who reads it
	Findings []diag.Finding `json:"findings"`           // that the new side has and the old one has not
	// Of a part: what other parts are asked for when they are joined.
	FailedApps    []FailedApp    `json:"failedApps,omitempty"`
	UnreadConfigs []UnreadConfig `json:"unreadConfigs,omitempty"`
	Described     []Described    `json:"described,omitempty"`
}

// Commits are the full names of the commits that were compared; To is "" for the work tree.
type Commits struct {
	From     string `json:"from"`
	To       string `json:"to,omitempty"`
	Head     string `json:"head,omitempty"`     // of the work tree: the commit that is checked out
	Modified bool   `json:"modified,omitempty"` // files of the work tree differ from Head, or are new there
	Changes  string `json:"changes,omitempty"`  // a short digest of those files: another one is another work tree
}

// Setting is a flag or variable that shapes a comparison.
type Setting struct {
	Name string `json:"name"`
	Bits string `json:"bits,omitempty"` // the first of the digest of its value; "" where only that it is set counts
}

// Shard is the part of the applications that a comparison is of.
type Shard struct {
	Number int `json:"number"` // from 1
	Of     int `json:"of"`
	// Release is the one of rollstamp that made it; "" for a build that is none.
	Release string `json:"release,omitempty"`
}

// Status is what became of an application.
type Status string

// The states of an application.
const (
	Same    Status = "same"
	Changed Status = "changed"
	Added   Status = "added"
	Removed Status = "removed"
	Failed  Status = "failed"
)

// AppChange is an application on both sides.
type AppChange struct {
	Name     string    `json:"name"`
	Status   Status    `json:"status"`
	From     int       `json:"from"` // objects
	To       int       `json:"to"`
	Move     *Move     `json:"move,omitempty"` // to another namespace or cluster; its status is Changed
	Problems []Problem `json:"problems,omitempty"`
	// OneFailure: it fails in one way on both sides, wherever the object stands that the error is about.
	OneFailure bool `json:"oneFailure,omitempty"`
	// Alike: so it does, and its files are the same on both.
	Alike bool `json:"alike,omitempty"`
}

// Problem reports why one side of an application could not be rendered.
type Problem struct {
	Side  string `json:"side"` // "from" or "to"
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
	// The exit code of such an error, where it is another one than that of input.
	Exit diag.Exit `json:"exit,omitempty"`
	By   string    `json:"by,omitempty"`   // of UndescribedError: what failed
	File string    `json:"file,omitempty"` // where the error is, as far as known
	Line int       `json:"line,omitempty"`
}

// Blocked is an object that will not work as its manifest says: pods that cannot start, or a change that the API server
// refuses.
type Blocked struct {
	Name
	Reason Hindrance `json:"reason"`
	// Of Gone, KeyGone and NoKey: what is required. Of Deleted: what it goes with.
	Object string `json:"object,omitempty"`
	Of     string `json:"of,omitempty"`   // of Gone: what Object is a copy of, where that is what is gone
	Key    string `json:"key,omitempty"`  // of KeyGone and NoKey
	Path   string `json:"path,omitempty"` // of Refused: the field
	Why    string `json:"why,omitempty"`  // of Refused, in words
}

// Hindrance is why an object is Blocked.
type Hindrance string

// What hinders objects.
const (
	Gone    Hindrance = "gone"     // what a container requires was there, and is not any more
	KeyGone Hindrance = "key-gone" // its object is there, without the key
	NoKey   Hindrance = "no-key"   // its object is there, and is not known to have had the key
	Refused Hindrance = "refused"  // the API server refuses the change
	Deleted Hindrance = "deleted"  // it goes with its namespace, or with the definition of its kind
)

// Unknown is something that changes, of which it is not known here what it restarts.
type Unknown struct {
	Reason Ignorance `json:"reason"`
	App    string    `json:"app,omitempty"`
	Object *Name     `json:"object,omitempty"` // of Elsewhere, Moved, Uncertain, FailedReader and OtherKey
	// Of Elsewhere: another object that changes and that it reads. Of Renamed and Moved: the application that it was. Of
	// Uncertain: the object whose content is not known here, or OfApplication and one that could not be rendered. Of
	// FailedReader: what Object produces, where that is what may be read. Of OtherKey: what Object reads.
	Via  string `json:"via,omitempty"`
	Gone string `json:"gone,omitempty"` // of Uncertain: what Object requires
	File string `json:"file,omitempty"` // of Unread and PerhapsRead
	// Of FailedReader: the applications that may read Object, sorted.
	Readers []string `json:"readers,omitempty"`
	// Of FailedReader: what changes is ciphertext, which may hold the same as before.
	Encrypted bool `json:"encrypted,omitempty"`
	// Of Elsewhere and FailedReader: set where the object is new or removed, and not changed; with Via, where that one is
	// removed.
	Change Change `json:"change,omitempty"`
}

// Ignorance is why something is not known.
type Ignorance string

// Why something is not known.
const (
	Elsewhere Ignorance = "rendered-elsewhere" // a controller renders the object: a HelmRelease, an Application
	Unread    Ignorance = "file-not-read"      // the file changes, and no application that was compared reads it
	NoObject  Ignorance = "no-object"          // the application renders no object
	Renamed   Ignorance = "renamed"            // the application is taken for one that has another name on the old side
	Moved     Ignorance = "moved"              // the workload was in another application, and was not compared
	Uncertain Ignorance = "may-be-made"        // what the workload requires is gone, and what changes may make it
	// PerhapsRead: the file changes, and templates that compute what they read may read it.
	PerhapsRead Ignorance = "file-perhaps-read"
	// FailedReader: configuration changes, and applications that could not be rendered may read it.
	FailedReader Ignorance = "reader-not-rendered"
	// StampsBefore: the application is adopted on one side, and on the other it is taken as not stamped, as nothing there
	// says that it was.
	StampsBefore Ignorance = "stamps-before"
	// OtherKey: a line of the lock adopts what the workload reads, on one side, by a digest of a hash key that this run
	// does not have.
	OtherKey Ignorance = "other-key"
)

// OfApplication is how Via of an Uncertain begins that is about an application.
const OfApplication = "application "

// Unstable is an object that is another in each render, and what of it.
type Unstable struct {
	Name
	Paths []string `json:"paths"` // empty: its name
}

// ObjectChange is an object that is not what it was.
type ObjectChange struct {
	Name
	Change Change        `json:"change"`
	Was    string        `json:"was,omitempty"` // its name on the old side, where that has another hash at its end
	Fields []FieldChange `json:"fields,omitempty"`
	// Of Removal: why the object stays in the cluster without its manifest.
	Stays string `json:"stays,omitempty"`
}

// Edge is a ConfigMap, a Secret or a producer of one, and a workload that reads it.
type Edge struct {
	Config   Name     `json:"config"`
	Workload Name     `json:"workload"`
	Keys     []string `json:"keys"` // null: all
	Changed  bool     `json:"changed,omitempty"`
	Restarts bool     `json:"restarts,omitempty"`
}

func newComparison(from, to string) *Comparison {
	return &Comparison{Schema: Schema, From: from, To: to, Apps: []AppChange{}, Restarts: []Restart{},
		Quiet: []Quiet{}, Objects: []ObjectChange{}, Edges: []Edge{}, Findings: []diag.Finding{}}
}

// add appends what a part holds.
func (c *Comparison) add(part *Comparison) {
	c.Apps = append(c.Apps, part.Apps...)
	c.Blocked = append(c.Blocked, part.Blocked...)
	c.Repeated = append(c.Repeated, part.Repeated...)
	c.Restarts = append(c.Restarts, part.Restarts...)
	c.Stale = append(c.Stale, part.Stale...)
	c.Quiet = append(c.Quiet, part.Quiet...)
	c.Unknown = append(c.Unknown, part.Unknown...)
	c.Objects = append(c.Objects, part.Objects...)
	c.Unstable = append(c.Unstable, part.Unstable...)
	c.Edges = append(c.Edges, part.Edges...)
	c.Findings = append(c.Findings, part.Findings...)
	c.FailedApps = append(c.FailedApps, part.FailedApps...)
	c.UnreadConfigs = append(c.UnreadConfigs, part.UnreadConfigs...)
	c.Described = append(c.Described, part.Described...)
}

// Differs reports whether anything is different, a changed file included that no application reads; of a part, another
// one may read it. Stamps that are stale by what only the context has count, as those by an object of the application
// do.
func (c *Comparison) Differs() bool {
	moves := slices.ContainsFunc(c.Apps, func(a AppChange) bool { return a.Move != nil })
	isOpen := func(u Unknown) bool { return c.Shard != nil && u.isFile() }
	return moves || len(c.Objects) > 0 || len(c.Restarts) > 0 || len(c.Blocked) > 0 ||
		len(c.Stale) > 0 ||
		slices.ContainsFunc(c.Unknown, func(u Unknown) bool {
			return u.Reason != NoObject && u.Reason != StampsBefore && !isOpen(u)
		})
}

// isFile reports whether it is a file that no application, or perhaps one, reads.
func (u Unknown) isFile() bool { return u.Reason == Unread || u.Reason == PerhapsRead }

// SettledApps returns the applications that differ in nothing but what differs in each render.
func (c *Comparison) SettledApps() map[string]bool {
	same, out := map[string]bool{}, map[string]bool{}
	for _, a := range c.Apps {
		same[a.Name] = a.Status == Same
	}
	for _, u := range c.Unstable {
		if same[u.App] {
			out[u.App] = true
		}
	}
	return out
}

// HasFailures reports whether an application could not be rendered on one of the sides, other than as before; or no
// object at all was rendered.
func (c *Comparison) HasFailures() bool {
	failed, alike, rendered := 0, 0, false
	for _, a := range c.Apps {
		if a.Status == Failed {
			failed++
		}
		rendered = rendered || a.From+a.To > 0 || a.Status != Failed && a.Status != Same
		if a.Alike {
			alike++
		}
	}
	return failed > alike || failed > 0 && !rendered && c.Shard == nil // another part may render
}
