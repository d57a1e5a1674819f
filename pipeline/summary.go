package pipeline

import (
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Summary is what is to be known of a result by whoever reads none of its objects: reports about many applications, of
// which most are as they were. It holds nothing of the text.
type Summary struct {
	Ties
	Why      string
	Objects  int            // how many it has
	Findings []diag.Finding // as Result.Findings
	Inputs   []string       // files that were read
	Probed   []string       // where it was looked for options of what is looked up for it
	// Enclosed: whatever other applications of a run do, nothing of it is news as long as it is the same. It is stamped,
	// all of it is known and the same in each render, its source has no stamp, no object is in it twice, and its workloads
	// find in it what they refer to.
	Enclosed bool
	Adopts   bool // a line of the lock holds what a workload of it consumes as unstamped as it is
}

// Ties are what the applications of a run know of each other: names, and no content.
type Ties struct {
	Kind     render.Kind
	Stamped  bool // else the rest is not known
	Provided []objects.Provided
	// Workloads are all of them, with those references only that lead to objects elsewhere.
	Workloads []plan.Workload
	Renames   []plan.Rename
}

// TiesOf returns what other applications of a run may know of a result.
func TiesOf(r *Result) Ties {
	t := Ties{Kind: r.Output.Kind, Stamped: r.Plan != nil}
	if r.Plan == nil {
		return t
	}
	t.Provided, t.Renames = r.Provided, r.Plan.Renames
	t.Workloads = make([]plan.Workload, len(r.Plan.Workloads))
	for i, w := range r.Plan.Workloads {
		t.Workloads[i] = w
		t.Workloads[i].References = nil
		for k := range w.References {
			if leadsElsewhere(&w.References[k]) {
				t.Workloads[i].References = append(t.Workloads[i].References, w.References[k])
			}
		}
	}
	return t
}

// leadsElsewhere reports whether a reference is to an object that the application does not render.
func leadsElsewhere(r *plan.Reference) bool {
	return r.Source == objects.Absent || r.Source == objects.Context
}

// summarize returns the summary of a result.
func summarize(r *Result) Summary {
	s := Summary{Ties: TiesOf(r), Why: r.Output.Why, Findings: r.Findings(), Inputs: r.Output.Inputs,
		Probed: r.Output.ProbedAround()}
	if r.Plan != nil {
		s.Objects = len(r.Objects.Offsets())
		s.Enclosed, s.Adopts = isEnclosed(r), adopts(r.Plan)
	}
	return s
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
			return leadsElsewhere(&r)
		})
	})
}

// adopts is Summary.Adopts.
func adopts(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
		return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.IsHeldUnstamped() })
	})
}
