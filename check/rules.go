package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/protect"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
)

// Rule is a rule of a configuration file, and what it comes to in one application.
type Rule struct {
	Field  string // bindings[0]
	At     diag.Position
	Fit    Fit
	lacks  string // what it fits nothing of
	shared bool   // its file is for more than the application's folder
	of     *config.Settings
	fits   func(*subject) Fit
	stores *config.SecretMatch // of a rule about stores, instead of fits
}

// Fit is how far a rule fits something. The further one counts.
type Fit int

// How far.
const (
	FitsNothing      Fit = iota
	FitsNoContainers     // it chooses workloads, and none of their containers
	FitsSomething
)

// Fits is how far the rules of a configuration fit one application, in the order of Rules.
type Fits struct {
	Rules []Fit
	// IsPart reports that folders below the application are not read with it. Its configuration is theirs, too.
	IsPart bool
}

// subject is what rules are asked about: an object, or what a workload reads or an object produces.
type subject struct {
	protect.Object
	workload bool // it has a pod template
	// containers calls visit with each container until one is what is looked for.
	containers func(isWanted func(name string, isInit bool) bool) bool
}

// FitsOf returns how far the rules of the configuration of a stamped result fit its objects, and what these read and
// produce.
func FitsOf(ctx context.Context, r *pipeline.Result, s *config.Settings) (Fits, error) {
	rules := rulesOf(s)
	if len(rules) == 0 {
		return Fits{}, nil
	}
	isStandIn := s.Namespace.Value == "" && r.Output.Kind != render.KindPlain
	fits := make([]Fit, len(rules))
	ask := func(one subject) {
		one.Unplaced = one.Namespace == "" || isStandIn && one.Namespace == render.DefaultNamespace
		for i := range rules {
			if rule := &rules[i]; fits[i] < FitsSomething && rule.fits != nil {
				fits[i] = max(fits[i], rule.fits(&one))
			}
		}
	}
	home := cmp.Or(string(s.Namespace.Value), r.Output.Namespace)
	table := refs.NewTable(config.MaxLevel, s.Kinds.Value)
	err := r.EachObject(ctx, func(o manifest.Object, _ diag.Position) { askObject(table, o, home, ask) })
	named := func(kind, namespace, name string) {
		ask(subject{Object: protect.Object{Kind: kind, Namespace: cmp.Or(namespace, home), Name: name, Labels: noLabels}})
	}
	for _, p := range r.Provided {
		named(p.Kind, p.Namespace, p.Name)
	}
	for i := range r.Plan.Workloads {
		for k := range r.Plan.Workloads[i].References {
			ref := &r.Plan.Workloads[i].References[k]
			named(ref.Kind, ref.Namespace, ref.Name)
			fitStores(rules, fits, ref)
		}
	}
	isSkipped := func(f diag.Finding) bool { return f.Code == diag.Skipped }
	return Fits{Rules: fits, IsPart: slices.ContainsFunc(r.Output.Findings, isSkipped)}, err
}

// Rules returns the rules of a configuration that may fit nothing, each with what it fits: objects, as FitsOf returned,
// or files.
func Rules(s *config.Settings, fits Fits) []Rule {
	rules := rulesOf(s)
	for i := range min(len(rules), len(fits.Rules)) {
		rules[i].Fit = max(rules[i].Fit, fits.Rules[i])
		rules[i].shared = rules[i].shared || fits.IsPart
	}
	return rules
}

// UnusedRules reports rules that fit nothing in any of the applications of a run, which read some files, by their
// absolute paths. Of rules in files that are for more than one application a run of a single one knows nothing, nor
// does any run of rules whose file has manifests beside or below it that the run did not read.
func UnusedRules(apps [][]Rule, read map[string]bool) (found []diag.Finding) {
	type id struct {
		field string
		at    diag.Position
	}
	best, order := map[id]Rule{}, []id(nil)
	for _, rules := range apps {
		for _, one := range rules {
			if one.shared && len(apps) < 2 {
				continue
			}
			key := id{one.Field, one.At}
			if known, is := best[key]; !is {
				order = append(order, key)
			} else if known.Fit >= one.Fit {
				continue
			}
			best[key] = one
		}
	}
	others := map[string]bool{} // by folder, whether it has manifests that were not read
	isPart := func(one Rule) bool {
		dir := filepath.Dir(one.At.File)
		if _, known := others[dir]; !known {
			u := unread{read: read, system: files.OrDisk(one.of.Place().Files), left: mostLooked}
			others[dir] = u.isBelow(dir)
		}
		return others[dir]
	}
	for _, key := range order {
		one := best[key]
		if one.Fit == FitsSomething || one.isOfObjects() && isPart(one) {
			continue
		}
		f := diag.New(diag.RuleUnused, "", one.Field+" fits "+one.lacks+" in this run").At(one.At)
		if one.Fit == FitsNoContainers {
			f.Severity, f.Message = diag.Warning, one.Field+" fits workloads, and its containers fit none of theirs"
		}
		found = append(found, one.of.Severity([]diag.Finding{f})...)
	}
	return found
}

// isOfObjects reports whether a rule is about what is rendered, and not about a file.
func (r *Rule) isOfObjects() bool { return r.fits != nil || r.stores != nil }

// rulesOf returns the rules of a configuration that are about objects.
func rulesOf(s *config.Settings) (rules []Rule) {
	dir := s.Place().Dir
	addRule := func(list string, i int, one Rule) {
		one.of, one.Field = s, fmt.Sprintf("%s[%d]", list, i)
		at, ok := s.Where(one.Field)
		if one.At, one.shared = at, filepath.Dir(at.File) != dir; ok {
			rules = append(rules, one)
		}
	}
	add := func(list string, i int, lacks string, fits func(*subject) Fit) {
		addRule(list, i, Rule{lacks: lacks, fits: fits})
	}
	for i := range s.Bindings.Value {
		add("bindings", i, "no workload", bindingFits(&s.Bindings.Value[i]))
	}
	for i := range s.Workloads.Value {
		add("workloads", i, "no workload", workloadFits(&s.Workloads.Value[i].Match))
	}
	for i := range s.Order.Value {
		add("order", i, "no workload", workloadFits(&s.Order.Value[i]))
	}
	for i := range s.Ignore.Value {
		m := s.Ignore.Value[i]
		add("ignore", i, "no ConfigMap or Secret", func(o *subject) Fit {
			return fitIf(isConfiguration(o.Kind) && m.Matches(o.Kind, o.Namespace, o.Name, o.Labels()))
		})
	}
	for i := range s.Protect.Objects.Value {
		m := s.Protect.Objects.Value[i].Match
		add("protect.objects", i, "no object", func(o *subject) Fit { return fitIf(protect.Protects(m, o.Object)) })
	}
	for i, name := range s.Protect.Approvals.Value {
		one := Rule{lacks: "no file"}
		if isFile(s, string(name)) {
			one.Fit = FitsSomething
		}
		addRule("protect.approvals", i, one)
	}
	for i := range s.SecretRules.Value {
		addRule("secrets.stores", i, Rule{lacks: "nothing that a workload reads", stores: &s.SecretRules.Value[i].Match})
	}
	return rules
}

// isFile reports whether a file that settings name is there.
func isFile(s *config.Settings, name string) bool {
	f, err := files.Open(files.OrDisk(s.Place().Files), name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return f.Close() == nil
}

func fitIf(ok bool) Fit {
	if ok {
		return FitsSomething
	}
	return FitsNothing
}

func workloadFits(m *config.Match) func(*subject) Fit {
	return func(o *subject) Fit { return fitIf(o.workload && protect.Matches(*m, o.Object)) }
}

// bindingFits returns how far a binding fits an object.
func bindingFits(b *config.BindingRule) func(*subject) Fit {
	return func(o *subject) Fit {
		switch {
		case !o.workload || !protect.Matches(b.Match, o.Object):
			return FitsNothing
		case !o.containers(b.BindsContainer):
			return FitsNoContainers
		}
		return FitsSomething
	}
}

// askObject asks about an object, under each name that rules may know it by.
func askObject(table *refs.Table, o manifest.Object, home string, ask func(subject)) {
	rows := table.Rows(o)
	one := subject{workload: len(rows) > 0, containers: containersOf(o, rows), Object: protect.Object{Kind: o.Kind,
		Namespace: cmp.Or(o.Namespace, home), Name: o.Name, Labels: o.Labels}}
	ask(one)
	if o.Namespace == "" { // or it is of the cluster
		one.Namespace = ""
		ask(one)
	}
	if base, ok := generated.Base(o.Name); ok && isConfiguration(o.Kind) {
		one.Namespace, one.Name = cmp.Or(o.Namespace, home), base
		ask(one)
	}
}

// containersOf returns what looks for a container of an object.
func containersOf(o manifest.Object, rows []*refs.Kind) func(func(name string, isInit bool) bool) bool {
	return func(isWanted func(name string, isInit bool) bool) bool {
		for _, row := range rows {
			for _, list := range []string{"initContainers", "containers"} {
				for c := range o.Node.At(row.PodSpecPath()...).Get(list).Items() {
					if isWanted(c.Get("name").StringValue(), list == "initContainers") {
						return true
					}
				}
			}
		}
		return false
	}
}

// fitStores asks rules about stores about what a workload reads. Which store it is that a pod asks by itself is not
// known here, and any may be.
func fitStores(rules []Rule, fits []Fit, ref *plan.Reference) {
	for i := range rules {
		m := rules[i].stores
		if m == nil || fits[i] == FitsSomething {
			continue
		}
		if ref.Kind == sources.Vault {
			fits[i] = FitsSomething
		}
		for _, p := range ref.Producers {
			for _, from := range p.Sources {
				fits[i] = max(fits[i], fitIf(m.Matches(&from.Ref.Store, p.Kind, p.Namespace, p.Name)))
			}
		}
	}
}

func isConfiguration(kind string) bool { return kind == refs.ConfigMap || kind == refs.Secret }

func noLabels() map[string]string { return nil }
