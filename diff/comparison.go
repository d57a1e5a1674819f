package diff

import (
	"cmp"
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
	Paths   []string `json:"paths,omitempty"`   // what was named to be compared in revisions, sorted
	Shard   *Shard   `json:"shard,omitempty"`   // set where this is a part of a comparison
	// Of a part: the flags and variables that shape it, and the first bits of the digests of their values.
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
	Modified bool   `json:"modified,omitempty"` // files of the work tree differ from Head, or are new and of an application
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
	// Alike: it fails in one way on both sides, and its files are the same on both.
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
	Object *Name     `json:"object,omitempty"` // of Elsewhere, Moved, Uncertain and FailedReader
	// Of Elsewhere: another object that changes and that it reads. Of Renamed and Moved: the application that it was. Of
	// Uncertain: the object whose content is not known here, or OfApplication and one that could not be rendered.
	Via  string `json:"via,omitempty"`
	Gone string `json:"gone,omitempty"` // of Uncertain: what Object requires
	File string `json:"file,omitempty"` // of Unread and PerhapsRead
	// Of FailedReader: the applications that may read Object, sorted.
	Readers []string `json:"readers,omitempty"`
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

// settle completes a comparison of which all parts are there.
func (c *Comparison) settle() {
	movesTo := c.moves()
	isMoved := func(b Blocked) bool { return movesTo(b) != "" }
	c.followMoves(movesTo)
	c.Blocked = slices.DeleteFunc(c.Blocked, isMoved)
	c.Unknown = slices.DeleteFunc(c.Unknown, func(u Unknown) bool {
		return u.Reason == Uncertain && isMoved(Blocked{Name: *u.Object, Reason: Gone, Object: u.Gone})
	})
	c.withoutRestarting()
	c.withoutRepeated()
	c.settleEdges()
	c.withoutRead()
	for i := range c.Quiet {
		if c.Quiet[i].Keys == nil {
			c.Quiet[i].Keys = []KeyChange{} // it is written as a list
		}
	}
	c.Unknown = append(c.Unknown, movedWorkloads(c.Objects)...)
	c.sort()
}

// replaced returns the workloads whose pods are replaced, by application and name.
func (c *Comparison) replaced() map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, r := range c.Restarts {
		if r.Rollout.Replaces() {
			out[[2]string{r.App, r.Name.String()}] = true
		}
	}
	return out
}

// settleEdges takes back that a change restarts a reader whose pods stay: it has no replicas, or its own change is
// refused.
func (c *Comparison) settleEdges() {
	restarts := c.replaced()
	for i := range c.Edges {
		e := &c.Edges[i]
		e.Restarts = e.Restarts && restarts[[2]string{e.Workload.App, e.Workload.String()}]
	}
}

// withoutRestarting leaves out what workloads of other applications read that restart in the same comparison, or whose
// stamps of it are stale.
func (c *Comparison) withoutRestarting() {
	restarts, stale := c.replaced(), map[[3]string]bool{}
	for _, s := range c.Stale {
		for _, cause := range s.Causes {
			stale[[3]string{s.App, s.Name.String(), cause.Object}] = true
		}
	}
	c.Quiet = slices.DeleteFunc(c.Quiet, func(q Quiet) bool {
		return q.Reason == ReadElsewhere && (restarts[[2]string{q.ReaderApp, q.Reader}] ||
			stale[[3]string{q.ReaderApp, q.Reader, q.Kind + " " + q.Name.Name}])
	})
}

// withoutRead takes the keys for which workloads of other applications restart out of what is said to be read by nobody:
// a part of a run knows nothing of them.
func (c *Comparison) withoutRead() {
	readers := map[Name][]*Edge{}
	for i := range c.Edges {
		if e := &c.Edges[i]; e.Restarts && e.Workload.App != e.Config.App {
			of := e.Config.anywhere()
			readers[of] = append(readers[of], e)
		}
	}
	c.Quiet = withoutKeys(c.Quiet, func(q Quiet, k KeyChange) bool {
		return slices.ContainsFunc(readers[q.Name.anywhere()], func(e *Edge) bool { return isAmong(e.Keys, k.Key) })
	})
}

// followMoves records of what is gone, and is read, to which application it has come.
func (c *Comparison) followMoves(movesTo func(Blocked) string) {
	for i := range c.Restarts {
		r := &c.Restarts[i]
		for k := range r.Causes {
			if cause := &r.Causes[k]; cause.Exists == Removal && cause.Why == "" {
				cause.MovedTo = movesTo(Blocked{Name: r.Name, Reason: Gone, Object: cause.Object})
			}
		}
	}
}

// moves returns what returns the application to which an object has come that is gone from another one; "" for none.
func (c *Comparison) moves() func(Blocked) string {
	added := map[string][]Name{}
	for _, o := range c.Objects {
		if o.Change == Addition && (o.Group == "" || isNeeded(o.Name)) {
			key := o.Kind + " " + o.Name.Name
			added[key] = append(added[key], o.Name)
		}
	}
	return func(b Blocked) string {
		if b.Reason != Gone && b.Reason != Deleted {
			return ""
		}
		i := slices.IndexFunc(added[b.Object], func(n Name) bool {
			return n.App != b.App && (n.Namespace == b.Namespace || n.Namespace == "" || b.Namespace == "")
		})
		if i < 0 {
			return ""
		}
		return added[b.Object][i].App
	}
}

// sort puts everything into the order that reports show.
func (c *Comparison) sort() {
	slices.SortFunc(c.Apps, func(a, b AppChange) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Blocked, func(a, b Blocked) int {
		return cmp.Or(a.compare(b.Name), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Object, b.Object),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Path, b.Path))
	})
	c.Blocked = slices.Compact(c.Blocked)
	slices.SortFunc(c.Repeated, func(a, b Repeated) int { return a.compare(b.Name) })
	slices.SortFunc(c.Restarts, func(a, b Restart) int { return a.compare(b.Name) })
	slices.SortFunc(c.Stale, func(a, b Stale) int { return a.compare(b.Name) })
	slices.SortStableFunc(c.Quiet, Quiet.compare)
	c.Quiet = slices.CompactFunc(c.Quiet, func(a, b Quiet) bool { // what several applications read of a rotation
		return a.Reason == ReadElsewhere && a.compare(b) == 0
	})
	slices.SortFunc(c.Unknown, Unknown.compare)
	c.Unknown = slices.CompactFunc(c.Unknown, func(a, b Unknown) bool { return a.compare(b) == 0 })
	slices.SortFunc(c.Objects, func(a, b ObjectChange) int {
		return cmp.Or(a.compare(b.Name), cmp.Compare(b.Change, a.Change)) // removed, then added
	})
	slices.SortFunc(c.Unstable, func(a, b Unstable) int { return a.compare(b.Name) })
	slices.SortFunc(c.Edges, func(a, b Edge) int {
		return cmp.Or(a.Config.compare(b.Config), a.Workload.compare(b.Workload))
	})
	c.Findings = diag.Sort(c.Findings)
}

func (u Unknown) compare(o Unknown) int {
	var a, b Name
	if u.Object != nil {
		a = *u.Object
	}
	if o.Object != nil {
		b = *o.Object
	}
	return cmp.Or(cmp.Compare(u.Reason, o.Reason), cmp.Compare(u.App, o.App), a.compare(b), cmp.Compare(u.Via, o.Via),
		cmp.Compare(u.File, o.File), cmp.Compare(u.Change, o.Change),
		cmp.Compare(u.Gone, o.Gone))
}

// Differs reports whether anything is different, a changed file included that no application reads. Stamps that are
// stale by what only the context has count, as those by an object of the application do.
func (c *Comparison) Differs() bool {
	moves := slices.ContainsFunc(c.Apps, func(a AppChange) bool { return a.Move != nil })
	return moves || len(c.Objects) > 0 || len(c.Restarts) > 0 || len(c.Blocked) > 0 ||
		len(c.Stale) > 0 ||
		slices.ContainsFunc(c.Unknown, func(u Unknown) bool { return u.Reason != NoObject })
}

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
