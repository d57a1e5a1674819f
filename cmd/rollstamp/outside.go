package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/remote"
	"github.com/rollstamp/rollstamp/stamp"
)

// outside gives who answers for secrets that are not in Git, by the policy in force; nil where nobody is asked.
func (p *program) outside(j *job) sources.Outside {
	switch s := j.settings; {
	case s.Secrets.Value == config.PolicyLock:
		return locked{s.Place()}
	case s.Secrets.Value == config.PolicyLive && s.OnError.Value == config.OnErrorLastKnown:
		return &lastKnown{stores: p.stores(s, j.app.Stamp.Key, insteadOfLive), place: s.Place()}
	case s.Secrets.Value == config.PolicyLive:
		return p.stores(s, j.app.Stamp.Key, insteadOfLive)
	}
	return nil
}

// insteadOfLive is what a render can do that may not ask.
const insteadOfLive = "; or use secrets.policy lock"

// stores asks the stores themselves, as far as that is allowed. Nothing is wrong with a run that may not ask and has nothing to ask.
// instead is what else it can do, or "".
func (p *program) stores(s *config.Settings, key *hashing.Key, instead string) sources.Outside {
	allow := s.Permissions()
	if !allow.Stores {
		return forbidden{s.Stores.Source, instead}
	}
	path, _ := p.env(config.EnvStores)
	asking := remote.Program{Path: path, Release: config.Release(release), Children: p.children}
	asking.Request.Values, asking.Request.Rules = allow.StoreValues, s.StoreRules()
	if key != nil {
		asking.Request.Key = key.ForStores().Lend()
	}
	return asking
}

// forbidden is a run that may not ask stores. By says who took the permission away.
type forbidden struct {
	by      config.Source
	instead string
}

// Resolve is sources.Outside's.
func (f forbidden) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	by := ""
	if f.by != config.Default {
		by = ", by " + string(f.by)
	}
	err := fmt.Errorf("ask for %s: asking stores is not allowed%s", refs[0].ID(), by)
	return nil, diag.Usage(err, "Allow it with --allow stores, "+config.EnvAllow+" or the operator's policy file"+f.instead+".")
}

// locked takes what the nearest lock holds. It is read when something is asked for.
type locked struct{ place config.Place }

// Resolve is sources.Outside's.
func (l locked) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	file, err := openLock(l.place)
	if err != nil {
		return nil, err
	}
	if file == nil {
		err := fmt.Errorf("look up %s: there is no %s from here up to %s", refs[0].ID(), lock.FileName, l.place.Root)
		return nil, diag.Input(diag.Position{File: l.place.Dir}, err, "Make one with 'rollstamp lock' and commit it.")
	}
	return file.Resolve(ctx, refs)
}

// openLock reads the lock that is in force at a place; nil where there is none.
func openLock(at config.Place) (*lock.File, error) {
	path, err := at.Nearest(lock.FileName)
	if err != nil {
		return nil, diag.Usage(err, "")
	}
	if path == "" {
		return nil, nil
	}
	file, err := lock.Load(path, files.Or(at.Files))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// lastKnown asks the stores, and takes from the lock what could not be looked up.
type lastKnown struct {
	stores sources.Outside
	place  config.Place

	mu       sync.Mutex
	findings []diag.Finding
}

// Resolve is sources.Outside's. What is wrong with how we ask is an error still.
func (l *lastKnown) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	answers, err := l.stores.Resolve(ctx, refs)
	if err == nil || !replaceable(err) {
		return answers, err
	}
	file, bad := openLock(l.place)
	if bad != nil || file == nil || len(answers) != len(refs) {
		return nil, errors.Join(err, bad)
	}
	answers = slices.Clone(answers)
	why := reasons(err)
	var found []diag.Finding
	for i, ref := range refs {
		if answers[i].Version != "" || answers[i].Digest != "" {
			continue
		}
		failed := why(ref)
		known, name, ok := file.Get(ref)
		if !ok || !failed.LockStandsIn() {
			return nil, err
		}
		answers[i] = known
		f := diag.New(diag.LastKnown, "", failed.Error()+"; the lock's "+file.Text(name)+" is taken")
		found = append(found, f.At(file.Position(name)))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.findings = append(l.findings, found...)
	return answers, nil
}

// replaceable tells whether all that went wrong is of the kind that the lock stands in for.
func replaceable(err error) bool {
	return !slices.ContainsFunc(diag.Apart(err), func(one error) bool {
		var f *sources.Failure
		return !errors.As(one, &f) || !f.LockStandsIn()
	})
}

// reasons gives a function that tells why a reference has no answer: of those that an error stands for, too.
func reasons(err error) func(sources.Ref) *sources.Failure {
	own := map[string]*sources.Failure{}
	lacking := map[string]bool{} // stores that there are no credentials for, which is told once for each
	for _, one := range diag.Apart(err) {
		var f *sources.Failure
		if errors.As(one, &f) {
			own[f.Ref.ID()] = f
			if f.Class == sources.NoIdentity {
				lacking[f.Ref.Store.String()] = true
			}
		}
	}
	return func(ref sources.Ref) *sources.Failure {
		f := sources.Fail(sources.GivenUp, "")
		if lacking[ref.Store.String()] {
			f.Class = sources.NoIdentity
		} else if told := own[ref.ID()]; told != nil && told.Class != sources.GivenUp { // whose status counts others
			*f = *told
		}
		f.Ref = ref
		return f
	}
}

// Findings tells what was taken from the lock.
func (l *lastKnown) Findings() []diag.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.findings)
}

// told gives the findings of whoever answered for external secrets.
func (j *job) told() []diag.Finding {
	if j.app.Stamp == nil {
		return nil
	}
	if l, ok := j.app.Stamp.Outside.(*lastKnown); ok {
		return l.Findings()
	}
	return nil
}

// unusedLock tells of a lock which has versions of what the application reads, and which is not looked at. It is looked for only where
// something outside of the manifests is read. Whoever says that the policy is spec knows; whoever says nothing may not.
func (j *job) unusedLock(result *pipeline.Result) []diag.Finding {
	if result.Plan == nil || j.settings.Secrets.Value != config.PolicySpec {
		return nil
	}
	var file *lock.File
	names := map[string]bool{}
	for ref := range fetched(result.Plan) {
		if file == nil {
			var err error
			if file, err = openLock(j.settings.Place()); err != nil || file == nil {
				return nil // what is wrong with a lock that may not be ours is told by those who read it
			}
		}
		if _, name, ok := file.Get(ref); ok {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(names))[0]
	what := first
	if more := len(names) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	f := diag.New(diag.LockUnused, "", "secrets.policy is spec, by "+string(j.settings.Secrets.Source)+", so the version here of "+what+" is not looked at")
	if j.settings.Secrets.Source != config.Default {
		f.Severity = diag.Info
	}
	return []diag.Finding{f.At(file.Position(first))}
}

// fetched gives what operators fetch for stamped workloads.
func fetched(plan *stamp.Plan) iter.Seq[sources.Ref] {
	return func(yield func(sources.Ref) bool) {
		for _, wl := range plan.Workloads {
			for _, r := range wl.References {
				for _, p := range r.Producers {
					for _, s := range p.Sources {
						if wl.Stamped && !yield(s.Ref) {
							return
						}
					}
				}
			}
		}
	}
}
