package pipeline

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Summary is what is to be known of a result by whoever reads none of its objects: reports about many applications, of
// which most are as they were. It holds nothing of the text.
type Summary struct {
	Kind     render.Kind
	Why      string
	Objects  int            // how many it has
	Findings []diag.Finding // as Result.Findings
	Reported []diag.Finding // as Result.Reported
	Fetched  []sources.Ref  // what operators fetch for its workloads, as Plan.FetchedRefs
	Inputs   []string       // files that were read
	Probed   []string       // where it was looked for options of what is looked up for it
	// Enclosed: whatever other applications of a run do, nothing of it is news as long as it is the same. It is stamped,
	// all of it is known and the same in each render, its source has no stamp, no object is in it twice, and its workloads
	// find in it what they refer to.
	Enclosed bool
	Adopts   bool // a line of the lock holds what a workload of it consumes as unstamped as it is

	Stamped  bool // else nothing of what follows is known
	Needs    bool // a workload refers to what the application does not render
	Produces bool // something in it may produce ConfigMaps or Secrets
	Copies   bool // tools copy ConfigMaps or Secrets into others by what is in it
	Renames  bool // names of its objects carry digests
	Refuses  bool // a run that writes would have refused it
}

// Ties are what the applications of a run know of each other: names, and no content.
type Ties struct {
	Kind      render.Kind
	Stamped   bool // else the rest is not known
	Provided  []objects.Provided
	Workloads []TiedWorkload // all of them
	Renames   []plan.Rename
}

// TiedWorkload is a workload, and what it needs of other applications.
type TiedWorkload struct {
	Kind, Namespace, Name string
	Stamped               bool // one of its pod templates can get stamps
	// Elsewhere are its references to what the application does not render: the object, where it was found, how it is
	// written, and the keys.
	Elsewhere []plan.Reference
}

// TiesOf returns what other applications of a run may know of a result. It does not hold on to its text.
func TiesOf(r *Result) Ties {
	t := Ties{Kind: r.Output.Kind, Stamped: r.Plan != nil}
	if r.Plan == nil {
		return t
	}
	t.Provided, t.Renames = slices.Clone(r.Provided), slices.Clone(r.Plan.Renames)
	for i := range t.Provided {
		p := &t.Provided[i]
		p.Namespace, p.Name, p.Lists = strings.Clone(p.Namespace), strings.Clone(p.Name), strings.Clone(p.Lists)
		p.Of.Namespace, p.Of.Name = strings.Clone(p.Of.Namespace), strings.Clone(p.Of.Name)
	}
	for i := range t.Renames {
		n := &t.Renames[i]
		n.Namespace, n.Name, n.Written = strings.Clone(n.Namespace), strings.Clone(n.Name), strings.Clone(n.Written)
	}
	t.Workloads = make([]TiedWorkload, len(r.Plan.Workloads))
	for i := range t.Workloads {
		w := &r.Plan.Workloads[i]
		t.Workloads[i] = TiedWorkload{w.Kind, strings.Clone(w.Namespace), strings.Clone(w.Name), w.Stamped, elsewhere(w)}
	}
	return t
}

// elsewhere is TiedWorkload.Elsewhere.
func elsewhere(w *plan.Workload) (out []plan.Reference) {
	for i := range w.References {
		if r := &w.References[i]; leadsElsewhere(r) {
			out = append(out, plan.Reference{
				Kind: r.Kind, Namespace: strings.Clone(r.Namespace), Name: strings.Clone(r.Name), Source: r.Source,
				Forms: r.Forms, Keys: cloneAll(r.Keys), Required: cloneAll(r.Required),
			})
		}
	}
	return out
}

// cloneAll returns a copy of texts that leaves the text free that they were read from.
func cloneAll(texts []string) []string {
	out := slices.Clone(texts)
	for i, text := range out {
		out[i] = strings.Clone(text)
	}
	return out
}

// leadsElsewhere reports whether a reference is to an object that the application does not render.
func leadsElsewhere(r *plan.Reference) bool {
	return r.Source == objects.Absent || r.Source == objects.Context
}

// summarize returns the summary of a result.
func summarize(r *Result) Summary {
	s := Summary{Kind: r.Output.Kind, Why: r.Output.Why, Findings: r.Findings(), Reported: r.Reported,
		Inputs: r.Output.Inputs, Probed: r.Output.ProbedAround()}
	if p := r.Plan; p != nil {
		s.Objects = len(r.Objects.Offsets())
		s.Enclosed, s.Adopts, s.Refuses = isEnclosed(r), adopts(p), refuses(p)
		s.Fetched = slices.Collect(p.FetchedRefs())
		s.Stamped, s.Renames, s.Produces = true, len(p.Renames) > 0, produces(r.Provided)
		s.Copies = slices.ContainsFunc(r.Provided, func(p objects.Provided) bool { return p.Of != objects.Original{} })
		s.Needs = slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
			return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return leadsElsewhere(&r) })
		})
	}
	return s
}

// produces reports whether something among what a result provides is produced by an object of it.
func produces(all []objects.Provided) bool {
	return slices.ContainsFunc(all, func(p objects.Provided) bool { return p.Producer != "" })
}

// isEnclosed is Summary.Enclosed.
func isEnclosed(r *Result) bool {
	out, p := r.Output, r.Plan
	if len(r.Objects.Offsets()) == 0 || out.SecondRender != nil || len(out.Hidden) > 0 ||
		p.Prefix.MayBeIn(out.Text) || hashing.MayHoldVariables(out.Text) ||
		slices.ContainsFunc(p.Findings, func(f diag.Finding) bool { return f.Code == diag.DuplicateObject }) {
		return false
	}
	return !slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
		return len(w.Unstable) > 0 || slices.ContainsFunc(w.References, func(r plan.Reference) bool {
			return leadsElsewhere(&r) || r.Origin != plan.Original{}
		})
	})
}

// adopts is Summary.Adopts.
func adopts(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
		return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.IsHeldUnstamped() })
	})
}
