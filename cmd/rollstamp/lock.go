package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

type lockCommand struct {
	renderFlags
	check   bool
	missing bool
	prune   bool
	rekey   bool
	update  []string
	output  string
	variant bool // flags say how applications are rendered
}

// variantFlags are those with which a chart is rendered in other ways, that read other secrets.
var variantFlags = []string{
	"namespace", "release-name", "name-template", "values", "set", "set-string", "set-file", "set-json", "set-literal",
	"show-only",
}

func newLock(p *program) *cobra.Command {
	var l lockCommand
	c := &cobra.Command{
		Use:   "lock [PATH...]",
		Short: "Write down the versions of external secrets, and the commits of other repositories",
		Long: `Render each PATH (by default the working folder), ask the stores for the version of every secret that
its workloads read and that is not in Git, and write these to the nearest rollstamp.lock upwards, or to
a new one in PATH. The lock holds no secret. With secrets.policy: lock, renders take the versions from
it and ask nobody: a rotation becomes a commit, and its review shows what restarts.

With --as argocd the commits of other repositories that applications read by a branch or range of versions
(refs) are written, too; that needs the permission network, or --repo URL=FOLDER for each of them.

It prints each line that it changes. A line that nothing reads any more is dropped from a lock in an
application's folder where PATH covers all that apps: in the configuration file describes for that folder
(all its environments, and all Applications), and no flag such as --values or --namespace is set; else,
with --as argocd and from a lock above PATH, only with --prune.

With --check nothing is written: it prints what is behind and which workloads would restart, and ends
with 1 if there is anything. Where a commit of the lock is gone, it says that what restarts is not known.

Asking needs the permission stores. Where a store has no versions, the permission store-values and a hash
key let a keyed digest of the value stand for one. The lock says which hash key that was made with: another
one is an error, unless --rekey says that it is to take its place.`,
		Example: `  rollstamp lock apps/shop --allow stores
  rollstamp lock --check 'apps/*' --allow stores
  rollstamp lock apps/shop --update apps/shop/db --allow stores
  rollstamp lock --missing 'apps/*' --allow stores`,
		RunE: func(c *cobra.Command, args []string) error {
			l.variant = slices.ContainsFunc(variantFlags, c.Flags().Changed)
			return p.isolated(c, args, func() error { return l.run(c.Context(), p, args) })
		},
	}
	l.add(c)
	f := c.Flags()
	addIsolate(f)
	f.BoolVar(&l.check, "check", false, "write nothing; report what is behind, and what would restart")
	f.BoolVar(&l.missing, "missing", false, "ask only for what the lock does not have; no line that is there moves")
	f.BoolVar(&l.prune, "prune", false,
		"drop lines that no PATH uses, also where other applications or environments may read them")
	f.BoolVar(&l.rekey, "rekey", false,
		"take digests of another hash key than those in the lock; what reads such keys restarts")
	f.StringArrayVar(&l.update, "update", nil,
		"move this key only, as the lock, explain or the manifest writes it; may be repeated")
	addFormat(c, &l.output, formats...)
	return c
}

func (l *lockCommand) run(ctx context.Context, p *program, args []string) error {
	if err := errors.Join(l.renderFlags.check(), oneOf("output", l.output, formats...)); err != nil {
		return err
	}
	if l.output == "json" && !l.check {
		return diag.Usage(errors.New("--output json belongs to --check"), "")
	}
	if l.missing && len(l.update) > 0 {
		return diag.Usage(errors.New("--missing and --update: pass one of them"), "")
	}
	l.asksAgain = func(name string) bool {
		return !l.missing && (len(l.update) == 0 || slices.Contains(l.update, name))
	}
	source, err := l.source(ctx, p, args)
	if err != nil {
		return err
	}
	names, err := source.Names(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(names, "-") {
		return diag.Usage(errors.New("a lock belongs to an application on disk, not to standard input"), "")
	}
	apps, failed := collect(ctx, source, names)
	p.warn(reportUntaken(apps))
	if l.check {
		l.addWas(ctx, p, args, names, apps)
	}
	updated, err := locking.Update(ctx, apps, locking.Options{
		Timeout: l.timeout, Stores: l.stores(p), Only: l.update, Missing: l.missing, Prune: l.prune, Rekey: l.rekey,
		Covers: l.covers(ctx, source),
	})
	if err != nil {
		return errors.Join(fleet.Join(names, failed), err)
	}
	found := updated.Findings
	for _, u := range updated.Locks {
		if !l.rekey {
			found = append(found, u.RekeyFinding()...)
		}
	}
	p.warn(found)
	for i, err := range updated.Errs {
		failed[i] = cmp.Or(failed[i], err)
	}
	if l.check {
		for _, u := range updated.Locks {
			updated.LockErr = errors.Join(updated.LockErr, u.Malformed())
		}
		err = l.report(ctx, p, updated, failures(names, failed, updated.LockErr))
	} else {
		err = l.write(ctx, p, apps, updated.Locks)
	}
	return errors.Join(fleet.Join(names, failed), updated.LockErr, err)
}

// addWas adds to applications that read other repositories at commits that are behind what they are at those of their
// locks. Where that cannot be had, what the new commit restarts is not known.
func (l *lockCommand) addWas(ctx context.Context, p *program, args, names []string, apps []*locking.App) {
	before := *l
	before.asksAgain = func(string) bool { return false } // all lines count
	var source app.Source
	for i, a := range apps {
		if a == nil || len(a.Followed()) == 0 {
			continue
		}
		var err error
		if source == nil {
			source, err = before.source(ctx, p, args)
		}
		if err == nil {
			a.Was, err = source.Application(ctx, names[i])
		}
		if a.WasErr = err; err != nil || slices.Equal(a.Was.Followed(), a.Followed()) {
			a.Was = nil
		}
	}
}

// covers returns a function that reports whether the run has all applications that may read a lock in a folder; nil
// where that is not known: other objects of an engine may lie elsewhere, and flags may choose one of several renders.
func (l *lockCommand) covers(ctx context.Context, source app.Source) func(folder string) bool {
	all, ok := source.(*inventory.Source)
	if !ok || l.variant {
		return nil
	}
	return func(folder string) bool { return all.Covers(ctx, folder) }
}

// stores returns what answers for an application: the stores, and where the user says so, the lock for what they do not
// know.
func (l *lockCommand) stores(p *program) func(*locking.App) sources.VersionResolver {
	return func(a *locking.App) sources.VersionResolver {
		s, key := a.Settings(), a.Stamping().Key
		stores := p.wiring.Stores(s, key)
		if s.OnError.Value != config.OnErrorLastKnown {
			return stores
		}
		return lock.LastKnown{Stores: stores, Place: s.Place(), Key: hashing.StoreKeyID(key), Merging: true}
	}
}

// reportUntaken reports applications that take nothing from a lock.
func reportUntaken(apps []*locking.App) (found []diag.Finding) {
	for _, a := range apps {
		if a != nil && a.Fetches() {
			found = append(found, lock.UntakenFinding(a.Settings(), a.Name())...)
		}
	}
	return found
}

// collect renders the applications, and returns them with what they fetch; nil for those that fail.
func collect(ctx context.Context, source app.Source, names []string) ([]*locking.App, []error) {
	apps := make([]*locking.App, len(names))
	errs := fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		a, err := source.Application(ctx, names[i])
		if err != nil {
			return err
		}
		apps[i], err = locking.Collect(ctx, a)
		return err
	}, nil)
	return apps, errs
}

// writeLocks writes what changed, and prints it. One that cannot be written does not stop the others. In dir, runs of
// this user see that another one writes a lock.
func (p *program) writeLocks(ctx context.Context, dir string, all lock.Updates) error {
	var out bytes.Buffer
	var errs []error
	for _, u := range all {
		changed, err := u.Write(ctx, dir, fleet.WriteFile)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if changed {
			p.say("%s is written", u.Path())
		}
		changes := u.Changes()
		for _, c := range changes {
			printChange(&out, u, c)
		}
		printSettled(&out, u, changes)
	}
	return errors.Join(append(errs, p.emit(&out))...)
}

// write writes the locks that hold something, or did.
func (l *lockCommand) write(ctx context.Context, p *program, apps []*locking.App, all lock.Updates) error {
	cache := ""
	for _, a := range apps {
		if a != nil {
			cache = cmp.Or(cache, a.Settings().CacheDir.Value)
		}
	}
	dir, err := guardDir(cache)
	if err != nil {
		return err
	}
	return p.writeLocks(ctx, dir, slices.DeleteFunc(all, (*lock.Update).Empty))
}
