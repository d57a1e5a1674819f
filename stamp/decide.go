package stamp

import (
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
)

// Decided is the list of wanted stamps, with what is known of each workload's references.
type Decided struct {
	Places []plan.Place  // where stamps can be written
	Wanted []plan.Wanted // by place

	in        *Input
	sites     []site // of the places
	workloads []plan.Workload
	prefix    hashing.Prefix
	unkeyed   int  // digests of Secrets that were made without a key
	lacksKey  bool // stamps stay that were made with one
	locksKey  bool // and so were digests that lines of the lock hold of these
	findings  []diag.Finding
	holds     []plan.Hold // by what people decided
	renames   []plan.Rename
	names     bool // some could carry digests, or did
}

// Decide makes the digests of what each workload consumes, and the list of stamps that are wanted. The errors are
// about content that a stamped workload consumes.
func Decide(r *Resolved, opts Options) (*Decided, error) {
	run := newRun(r, opts)
	refresher := refresherOf(run.settings)
	names, all, err := decideNames(run, r, refresher, &opts)
	if err != nil {
		return nil, err
	}
	templates := decideTemplates(run, r.templates, names, refresher)
	all.join(templates.outcome)
	all.join(refresh(run, refresher, &templates.fetched, names))
	errs := slices.Clone(r.errs)
	for _, err := range all.errs {
		errs.add(err)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &Decided{Places: all.places, Wanted: all.wanted, in: r.in, sites: all.sites, workloads: templates.workloads,
		prefix: run.prefix, unkeyed: run.digester.unkeyed, renames: names.list(r.in), names: names.produced != nil,
		findings: slices.Concat(r.in.findings, r.findings, all.list, reportContent(run))}, nil
}
