package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Input is what Read has found in one render: it holds offsets and copies, and no node of a document that has been
// read.
type Input struct {
	out       *render.Output
	positions *render.Places
	table     *refs.Table
	index     *objects.Index
	workloads []*workload
	documents []document
	stamped   map[*objects.Producer]bool // producers that have a stamp themselves
	kept      []keptDocument             // earlier contents of renamed objects
	offsets   []int                      // of the objects
	reading   plan.Reading
	findings  []diag.Finding
	errs      []error   // about documents that cannot be encoded again
	first     *firstRun // of a retained one
	byTools   bool      // annotations of other tools are in force
}

// workload is an object with pod templates.
type workload struct {
	kind, namespace, name string
	position              diag.Position
	offset                int
	stamped               bool // one of its templates can get stamps
	live                  bool
	manual                bool // a change waits for approval
	rank                  int  // in which turn
	templates             []template
	decided               *plan.Workload // as it was, where it is looked at again and nothing of it changed; else nil
}

// String returns the workload as it is named in messages.
func (w *workload) String() string { return manifest.Describe(w.kind, w.namespace, w.name) }

// names are the names of the workloads.
func (in *Input) names(yield func(policy.WorkloadName) bool) {
	for _, w := range in.workloads {
		if !yield(policy.WorkloadName{Kind: w.kind, Namespace: w.namespace, Name: w.name}) {
			return
		}
	}
}

// template is one pod template of a workload.
type template struct {
	references []refs.Reference    // those to one object follow each other
	named      []objects.RemoteRef // places in Vault that the template names itself
	strategy   strategy            // how stamps are written; nil where there are none
	way        config.Strategy     // the one that is asked for; "" where nobody does
	ours       map[string]string   // the annotations of ours that it or its workload has; nil where there are none
	phantoms   []phantom           // variables that are read from the phantom key
	unstable   unstable
	rules      compat.Rules     // what other tools' annotations mean for it
	document   int32            // index of the document that is encoded again for it, or inPlace
	combined   bool             // one stamp is for all references
	all        bool             // the strategy env writes into every container
	followed   bool             // it is stamped only where a Rollout takes it
	retained   *compat.Workload // the template as other tools are asked about it, in a copy; nil where none is retained
	fixed      bool             // its document is not in the simple YAML in which a name can be written over
}

// isWritten reports whether stamps get into the template: it is stamped, and more than a report is asked for.
func (t *template) isWritten() bool { return t.strategy != nil && !isReportOnly(t) }

// inPlace is the index of no document: the text is changed where it is.
const inPlace = -1

// document is one that has to be encoded again before it can be stamped.
type document struct {
	start, end int // of the original
	text       []byte

	// Of the original:
	hasComments bool
	construct   string // why, as manifest.Document.Construct has it
	at          int    // where that is
}

// reencodes reports whether a place lies in a document that is encoded again as a whole.
func (in *Input) reencodes(offset int) bool {
	return slices.ContainsFunc(in.documents, func(d document) bool { return d.start <= offset && offset < d.end })
}

// Objects returns where the objects are.
func (in *Input) Objects() Objects { return Objects{in.offsets, in.positions} }

// Objects are the places of the objects of an input.
type Objects struct {
	offsets   []int
	positions *render.Places
}

// NewObjects returns the objects of a render that begin at these offsets of its text.
func NewObjects(out *render.Output, offsets []int) Objects {
	return Objects{offsets, render.NewPlaces(out.Text, out.Origins)}
}

// Offsets returns where each object begins in the text. The caller changes nothing in it.
func (o Objects) Offsets() []int { return o.offsets }

// Positions returns the position of each object, in their order.
func (o Objects) Positions() []diag.Position {
	out := make([]diag.Position, len(o.offsets))
	for i, offset := range o.offsets {
		out[i] = o.positions.At(offset)
	}
	return out
}
