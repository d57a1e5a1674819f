package patches

import (
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
)

// ErrStrategy is the error of what a strategy wants and no patch can write. Where one object has it, none is stamped: a
// strategy is not in force for a part of a run.
var ErrStrategy = errors.New("no patch can write what the strategy wants")

// refusal is an error of that sort, with words of its own.
type refusal struct{ error }

// Is has errors.Is find ErrStrategy.
func (refusal) Is(target error) bool { return target == ErrStrategy }

// Refused returns why no patch of ours writes what a plan has, or will have with the first change of what is adopted,
// and the next step; nil where patches do.
func Refused(p *plan.Plan) (err error, hint string) {
	const inAnnotations = "Set strategy: annotation for it, on the workload or in the configuration."
	for i := range p.Stamps {
		if s := &p.Stamps[i]; s.Reason == plan.Renamed {
			return refusal{fmt.Errorf("no patch can give %s another name, which is to carry its digest",
					manifest.Describe(s.Kind, s.Namespace, s.Name))},
				"Take strategy: annotation here. The strategy suffix is for renders that are committed."
		}
	}
	if workload, of := p.FirstVariable(); of != nil {
		if len(of.Phantoms) > 0 { // whatever the strategy
			return refusal{fmt.Errorf("%s is to get the digest of %s as the environment variable %s, which is read from the "+
					"key __data, and no patch of ours writes variables",
					workload, manifest.Describe(of.Kind, of.Namespace, of.Name), of.Phantoms[0])},
				"Refer to it without __data, such as by envFrom: an annotation then has its digest. Or commit the render."
		}
		return refusal{fmt.Errorf("%s is to get the environment variable %s, which no patch of ours writes",
			workload, of.Variable)}, inAnnotations
	}
	for i := range p.Holds {
		h, at := &p.Holds[i], &p.Places[p.Holds[i].Place]
		what := "a variable"
		if at.ByName {
			what = "another name"
		}
		if h.Held == plan.Adopted && (at.ByName || at.Way.Has(plan.ByVariable)) {
			w := &p.Workloads[at.Workload]
			return refusal{fmt.Errorf("%s/%s is adopted for %s, and no patch of ours writes %s, which its first change brings",
				h.Kind, h.Name, manifest.Describe(w.Kind, w.Namespace, w.Name), what)}, inAnnotations
		}
	}
	return nil, ""
}
