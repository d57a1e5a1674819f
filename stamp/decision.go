package stamp

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// decision is what is decided about one object that a template consumes.
type decision struct {
	plan.Reference
	keep      bool                // without a digest, an earlier stamp stays
	annotated string              // the object's name as the key of its stamp has it
	leftOut   string              // why the object is to restart nothing; "" where it may
	elsewhere string              // the object's namespace, where an annotation names it; "" otherwise
	object    *objects.Object     // nil where none is known
	producers []*objects.Producer // which fetch what a stamped workload consumes of it
	madeWhole bool                // the digest of all that is in the object was made
	whole     string              // that digest
	notices   []notice
	errs      []error
}

// notice is a finding for the first reference of all that has it.
type notice struct {
	id      string
	finding diag.Finding
}

// reference is one object that a template consumes, while it is decided.
type reference struct {
	run       *run
	consumer  *consumer
	group     []refs.Reference    // at least one
	object    *objects.Object     // nil where none is known
	content   *objects.Content    // of the object, once it is not nil and not ignored
	scope     scope               // what counts of it
	producers []*objects.Producer // of the object
	out       decision
}

func (r *reference) fail(err error) { r.out.errs = append(r.out.errs, err) }

// workload returns the workload's name for messages.
func (r *reference) workload() string { return r.consumer.workload.String() }

// note adds a finding. One about what only a binding has the workload read names the binding.
func (r *reference) note(f diag.Finding, offset int) {
	if f.Object == r.workload() {
		f.Message += r.boundBy(f.Key)
	}
	r.out.Findings = append(r.out.Findings, f.At(r.run.in.positions.At(offset)))
}

// boundBy returns which binding of the configuration has the workload read the object, or that key of it; "" where its
// manifest does so itself.
func (r *reference) boundBy(key string) string {
	ref := render.Bound{Workload: r.workload(), Kind: r.out.Kind, Name: r.out.Name}
	rule, bound := r.run.in.out.Bound[ref]
	if !bound && key != "" {
		ref.Key = key
		rule, bound = r.run.in.out.Bound[ref]
	}
	if !bound {
		return ""
	}
	by := fmt.Sprintf("bindings[%d]", rule)
	return "; " + by + settingAt(r.run.settings, by) + " adds it to the workload"
}

// noteHere adds a finding about the workload, at the place of the first reference.
func (r *reference) noteHere(code diag.Code, message string) {
	about := manifest.Describe(r.out.Kind, r.out.Namespace, r.out.Name)
	r.note(diag.New(code, r.workload(), message).WithAbout(about), r.group[0].Offset)
}
