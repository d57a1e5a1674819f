package stamp

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// run is what all decisions of one Decide go by, and the memory that they are made in.
type run struct {
	in       *Input
	contents *objects.Resolution
	settings *config.Settings
	prefix   hashing.Prefix
	claim    claim // of stamps
	asks     bool  // for versions
	// forReport: nothing is written, and what is invalid is reported by a finding
	forReport bool
	digester  digester
	memory    objects.Content // that is being decided about
	checked   checked
	people    *policy.Decisions // nil for none
}

func newRun(r *Resolved, opts Options) *run {
	settings := opts.settings()
	prefix := prefixOf(settings)
	return &run{in: r.in, contents: r.contents, settings: settings, prefix: prefix,
		claim: claimStamps(prefix), asks: opts.Resolver != nil,
		digester: digester{in: r.in, key: opts.Key, unstable: r.unstable}, checked: newChecked(r.in.index),
		people: opts.Decisions, forReport: opts.ForReport}
}
