package stamp

import (
	"bytes"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// reader is one Read.
type reader struct {
	findings
	in        *Input
	settings  *config.Settings
	prefix    hashing.Prefix
	claim     claim                                              // of stamps, and of what is removed of other tools
	key       *hashing.Key                                       // nil for plain digests
	asks      bool                                               // for versions
	rename    func(by manifest.Object, kind, name string) string // nil for none
	report    policy.Report
	people    *policy.Decisions          // nil for none
	tools     *compat.Tools              // whose annotations are in force; nil for none
	followed  map[followed]bool          // what Rollouts take their templates from
	checked   int                        // how many producers have been looked at
	variables bool                       // the text may have environment variables of ours
	retains   bool                       // it is looked at under other settings, too
	ours      bool                       // the text may have annotations that people set for us
	kept      bool                       // it may have earlier contents of renamed objects
	phantoms  bool                       // it may have variables that are read from the phantom key
	second    map[objectID]manifest.Node // workloads of the second render
	unpaired  []unpaired                 // those that it does not have

	kindless, firstKindless int // how many documents are no objects, and where the first of them is

	document, clone *manifest.Document // the one that is being read, and a copy of it where one was needed
	cloneOnce       func() *manifest.Document
}

// byManifest returns which rule lets what is fetched from a store count by its manifest.
func byManifest(s *config.Settings) func(store sources.Store, by *objects.Producer) (rule int, ok bool) {
	return func(store sources.Store, by *objects.Producer) (rule int, ok bool) {
		if by == nil {
			return s.ByManifest(&store, "", "", "")
		}
		return s.ByManifest(&store, by.Kind, by.Namespace, by.Name)
	}
}

// followed is a workload that a Rollout takes its template from.
type followed struct{ kind, namespace, name string }

func newReader(out *render.Output, opts Options) *reader {
	settings := opts.settings()
	positions := render.NewPlaces(out.Text, out.Origins)
	prefix := prefixOf(settings)
	r := &reader{settings: settings, prefix: prefix, claim: claimStamps(prefix).withRemovable(settings.Foreign),
		key: opts.Key, asks: opts.Resolver != nil, rename: opts.Rename,
		people: opts.Decisions, tools: compat.New(settings), findings: findings{positions: positions}}
	r.list = append(r.list, r.tools.Findings()...)
	r.retains = opts.Retain
	r.variables = hashing.MayHoldVariables(out.Text)
	r.phantoms = mayHoldPhantoms(out.Text)
	r.ours = bytes.Contains(out.Text, []byte(policy.Prefix))
	r.kept = r.ours && bytes.Contains(out.Text, []byte(keptMark))
	r.report = func(f diag.Finding, offset int) { r.add(f, offset) }
	r.cloneOnce = func() *manifest.Document {
		if r.clone == nil {
			r.clone = r.document.Clone()
		}
		return r.clone
	}
	of := readOptions(out, opts)
	of.CountAddresses, of.Ask = settings.StoreAddress.Value, config.Strings(settings.Ask.Value)
	if r.asks && len(settings.SecretRules.Value) > 0 {
		of.ByManifest = byManifest(settings)
	}
	refresher := refresherOf(settings)
	of.KeepNodes = refresher.also != nil || refresher.renames
	r.in = &Input{out: out, positions: positions, index: objects.NewIndex(of),
		table: refs.NewTable(levelOf(settings), settings.Kinds.Value), byTools: r.tools != nil}
	return r
}

// retained returns a document that outlives the reading of one: a copy of that of the render, and what is encoded again
// as it is.
func (r *reader) retained(d *manifest.Document) *manifest.Document {
	if d != r.document {
		return d
	}
	return r.cloneOnce()
}
