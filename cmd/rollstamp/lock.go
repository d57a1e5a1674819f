package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/report"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

type lockCommand struct {
	renderFlags
	check  bool
	prune  bool
	update []string
}

func (p *program) lock() *cobra.Command {
	var l lockCommand
	c := &cobra.Command{
		Use:   "lock [PATH...]",
		Short: "Ask stores for the versions of external secrets, and write them down",
		Long: `Render each PATH (by default the working folder), ask the stores for the version of every secret that
its workloads read and that is not in Git, and write these to the nearest rollstamp.lock upwards, or to
a new one in PATH. The lock holds no secret. With secrets.policy: lock, renders take the versions from
it and ask nobody: a rotation becomes a commit, and its review shows what restarts.

It prints each line that it changes. With --check nothing is written: it prints what is behind and which
workloads would restart, and ends with 1 if there is anything.

Asking needs the permission stores. Where a store has no versions, the permission store-values and a hash
key let a keyed digest of the value stand for one.`,
		Example: `  rollstamp lock apps/shop --allow stores
  rollstamp lock --check apps/* --allow stores
  rollstamp lock apps/shop --update apps/shop/db --allow stores`,
		RunE: func(c *cobra.Command, args []string) error { return p.runLock(c.Context(), &l, args) },
	}
	l.add(c)
	f := c.Flags()
	f.BoolVar(&l.check, "check", false, "write nothing; tell what is behind, and what would restart")
	f.BoolVar(&l.prune, "prune", false, "also drop lines that no PATH uses from a lock above PATH, which may serve others")
	f.StringArrayVar(&l.update, "update", nil, "move this key only, as the lock or the manifest writes it; may be repeated")
	return c
}

// locking is one application whose secrets are to be locked.
type locking struct {
	path string
	job  *job
	refs []sources.Ref
	file *lockFile
}

func (p *program) runLock(ctx context.Context, l *lockCommand, paths []string) error {
	paths, err := p.paths(paths)
	if err != nil {
		return err
	}
	if err := l.renderFlags.check(); err != nil {
		return err
	}
	if slices.Contains(paths, "-") {
		return diag.Usage(errors.New("a lock belongs to an application on disk, not to standard input"), "")
	}
	apps := make([]*locking, len(paths))
	errs := pipeline.Each(ctx, len(paths), func(ctx context.Context, i int) (err error) {
		apps[i], err = p.collect(ctx, l, paths[i])
		return err
	}, nil)
	if err := together(paths, errs); err != nil {
		return err
	}
	p.unlocked(apps)
	all, err := lockFiles(apps)
	if err != nil {
		return err
	}
	asking, cancel := ctx, func() {}
	if l.timeout > 0 {
		asking, cancel = context.WithTimeout(ctx, l.timeout)
	}
	err = p.askForLock(asking, l, apps)
	cancel()
	if err != nil {
		return err
	}
	for _, f := range all {
		if len(l.update) == 0 && (f.own || l.prune) {
			f.now.Keep(f.used)
		}
	}
	var found []diag.Finding
	for _, f := range all {
		found = append(found, f.rekeyed()...)
	}
	report.Findings(p.err, found, p.style())
	if l.check {
		return p.checkLocks(ctx, all, apps)
	}
	return p.writeLocks(all)
}

// unlocked tells of applications for which a lock is written or looked at, and which take nothing from it.
func (p *program) unlocked(apps []*locking) {
	var found []diag.Finding
	for _, a := range apps {
		if len(a.refs) > 0 && a.job.settings.Secrets.Value == config.PolicySpec {
			found = append(found, diag.New(diag.LockUnused, "", "secrets.policy is spec, by "+string(a.job.settings.Secrets.Source)).At(diag.Position{File: a.path}))
		}
	}
	report.Findings(p.err, found, p.style())
}

// collect renders an application and remembers what it would ask for.
func (p *program) collect(ctx context.Context, l *lockCommand, path string) (*locking, error) {
	j, err := p.job(ctx, &l.renderFlags, path)
	if err != nil {
		return nil, err
	}
	a := &locking{path: path, job: j}
	_, err = a.plan(ctx, asker(func(refs []sources.Ref) []sources.Answer {
		a.refs = refs
		return make([]sources.Answer, len(refs))
	}))
	return a, err
}

// asker answers in the process. Where it has no answer, one stands there that no store gives.
type asker func([]sources.Ref) []sources.Answer

// unknown is the version of what has none.
const unknown = "?"

// Resolve is sources.Outside's.
func (a asker) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	answers := a(refs)
	for i := range answers {
		if answers[i].Version == "" && answers[i].Digest == "" {
			answers[i].Version = unknown
		}
	}
	return answers, nil
}

// plan renders the application with somebody's answers.
func (a *locking) plan(ctx context.Context, outside sources.Outside) (*pipeline.Result, error) {
	app, options := a.job.app, *a.job.app.Stamp
	options.Outside = outside
	app.Stamp = &options
	return pipeline.Run(ctx, a.job.engines, app)
}

// askForLock asks for what all applications need, once for those that ask alike, and puts it into the new locks.
func (p *program) askForLock(ctx context.Context, l *lockCommand, apps []*locking) error {
	hit := map[string]bool{}
	for _, group := range alike(apps) {
		var refs []sources.Ref
		seen := map[string]bool{}
		for _, a := range group {
			for _, ref := range a.refs {
				if l.wants(ref, hit) && !seen[ref.ID()] {
					seen[ref.ID()] = true
					refs = append(refs, ref)
				}
			}
		}
		if len(refs) == 0 {
			continue
		}
		answers, err := p.stores(group[0].job.settings, group[0].job.app.Stamp.Key, "").Resolve(ctx, refs)
		if err != nil {
			return blamed(ctx, group, err)
		}
		if err := settle(group, refs, answers); err != nil {
			return err
		}
	}
	for _, a := range apps {
		for _, ref := range a.refs {
			if _, name, ok := a.file.now.Get(ref); ok {
				a.file.used[name] = true
			}
		}
	}
	for _, u := range l.update {
		if !hit[u] {
			return diag.Usage(fmt.Errorf("--update %q: no workload reads such a key", u), "See the keys in the lock, or with rollstamp explain.")
		}
	}
	return nil
}

// blamed gives each error the object that refers there, which the application knows that it lies in.
func blamed(ctx context.Context, group []*locking, err error) error {
	all := diag.Apart(err)
	var out []error
	for _, a := range group {
		own := map[string]bool{}
		for _, ref := range a.refs {
			own[ref.ID()] = true
		}
		var its, rest []error
		for _, one := range all {
			var f *sources.Failure
			if errors.As(one, &f) && own[f.Ref.ID()] {
				its = append(its, one)
			} else {
				rest = append(rest, one)
			}
		}
		if all = rest; len(its) > 0 {
			_, err := a.plan(ctx, failing{errors.Join(its...)})
			out = append(out, err)
		}
	}
	return errors.Join(append(out, all...)...)
}

// failing answers nothing.
type failing struct{ err error }

// Resolve is sources.Outside's.
func (f failing) Resolve(context.Context, []sources.Ref) ([]sources.Answer, error) { return nil, f.err }

// alike puts applications together that may be asked for by one call: the same permissions, and the same key.
func alike(apps []*locking) [][]*locking {
	var out [][]*locking
	at := map[string]int{}
	for _, a := range apps {
		s := a.job.settings
		id := fmt.Sprintf("%v %v %v", s.Permissions(), s.Stores.Source, s.HashDomain.Value)
		i, known := at[id]
		if !known {
			i = len(out)
			at[id] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], a)
	}
	return out
}

// wants tells whether a reference is to be asked for.
func (l *lockCommand) wants(ref sources.Ref, hit map[string]bool) bool {
	if len(l.update) == 0 {
		return true
	}
	wanted := false
	for _, u := range l.update {
		if u == ref.ID() || u == lock.Whole(ref) || u == ref.Key && ref.Key != "" {
			hit[u], wanted = true, true
		}
	}
	return wanted
}

// settle writes answers into the locks of the applications that asked.
func settle(group []*locking, refs []sources.Ref, answers []sources.Answer) error {
	given := map[string]sources.Answer{}
	for i, ref := range refs {
		given[ref.ID()] = answers[i]
	}
	for _, a := range group {
		for _, ref := range a.refs {
			answer, ok := given[ref.ID()]
			if !ok {
				continue
			}
			if now, name, had := a.file.now.Get(ref); had && a.file.used[name] && now.Digest != answer.Digest {
				return diag.Usage(fmt.Errorf("lock %s: applications with different hash domains share %s", ref.ID(), a.file.path),
					"Give them the same hashDomain, or locks of their own.")
			}
			a.file.now.Set(ref, answer)
			if _, name, ok := a.file.now.Get(ref); ok {
				a.file.used[name] = true
			}
		}
	}
	return nil
}
