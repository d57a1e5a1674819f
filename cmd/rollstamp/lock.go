package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

type lockCommand struct {
	renderFlags
	check  bool
	prune  bool
	rekey  bool
	update []string
}

func newLock(p *program) *cobra.Command {
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
key let a keyed digest of the value stand for one. The lock says which hash key that was made with: another
one is an error, unless --rekey says that it is to take its place.`,
		Example: `  rollstamp lock apps/shop --allow stores
  rollstamp lock --check apps/* --allow stores
  rollstamp lock apps/shop --update apps/shop/db --allow stores`,
		RunE: func(c *cobra.Command, args []string) error { return l.run(c.Context(), p, args) },
	}
	l.add(c)
	f := c.Flags()
	f.BoolVar(&l.check, "check", false, "write nothing; report what is behind, and what would restart")
	f.BoolVar(&l.prune, "prune", false,
		"also drop lines that no PATH uses from a lock above PATH, which may serve others")
	f.BoolVar(&l.rekey, "rekey", false,
		"take digests of another hash key than those in the lock; what reads such keys restarts")
	f.StringArrayVar(&l.update, "update", nil,
		"move this key only, as the lock, explain or the manifest writes it; may be repeated")
	return c
}

func (l *lockCommand) run(ctx context.Context, p *program, args []string) error {
	if err := l.renderFlags.check(); err != nil {
		return err
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
	apps, err := collect(ctx, source, names)
	if err != nil {
		return err
	}
	var found []diag.Finding
	for _, a := range apps {
		if a.Fetches() {
			found = append(found, lock.Untaken(a.Settings(), a.Name())...)
		}
	}
	p.warn(found)
	stores := func(a *locking.App) sources.VersionResolver { return p.wiring.Stores(a.Settings(), a.Stamping().Key) }
	updated, err := locking.Update(ctx, apps, locking.Options{
		Timeout: l.timeout, Stores: stores, Only: l.update, Prune: l.prune, Rekey: l.rekey,
	})
	if err != nil {
		return err
	}
	found = nil
	for _, u := range updated.Locks {
		if !l.rekey {
			found = append(found, u.Rekeyed()...)
		}
	}
	p.warn(found)
	if l.check {
		return checkLocks(ctx, p, updated)
	}
	return writeLocks(p, updated.Locks)
}

// collect renders the applications, and returns them with what they fetch.
func collect(ctx context.Context, source app.Source, names []string) ([]*locking.App, error) {
	apps := make([]*locking.App, len(names))
	errs := fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		a, err := source.Application(ctx, names[i])
		if err != nil {
			return err
		}
		apps[i], err = locking.Collect(ctx, a)
		return err
	}, nil)
	return apps, fleet.Join(names, errs)
}

// writeLocks writes what changed, and prints it.
func writeLocks(p *program, all lock.Updates) error {
	var out bytes.Buffer
	for _, u := range all {
		if u.Empty() {
			continue // everything is in Git
		}
		changed, err := fleet.WriteFile(u.Path(), u.New())
		if err != nil {
			return err
		}
		if changed {
			p.say("%s is written", u.Path())
		}
		printChanges(&out, u)
	}
	return p.emit(&out)
}

// checkLocks reports what is behind, and what would restart if it were not.
func checkLocks(ctx context.Context, p *program, updated *locking.Result) error {
	var out bytes.Buffer
	for _, u := range updated.Locks {
		printChanges(&out, u)
	}
	if out.Len() == 0 {
		return nil
	}
	p.exit = diag.ExitFindings
	c, err := sides.Locks(ctx, updated.Apps)
	if err != nil {
		return err
	}
	for _, r := range c.Restarts {
		fmt.Fprintf(&out, "restarts %s\n", strings.TrimSpace(r.Name.String()))
	}
	return p.emit(&out)
}

// printChanges prints each line that differs.
func printChanges(out *bytes.Buffer, u *lock.Update) {
	for _, c := range u.Changes() {
		switch {
		case c.Was == "":
			fmt.Fprintf(out, "%s: + %s %s\n", fromHere(u.Path()), c.Name, c.Is)
		case c.Is == "":
			fmt.Fprintf(out, "%s: - %s %s\n", fromHere(u.Path()), c.Name, c.Was)
		default:
			fmt.Fprintf(out, "%s: %s %s -> %s\n", fromHere(u.Path()), c.Name, c.Was, c.Is)
		}
	}
}

// fromHere returns a path as it is from the working folder, where it lies in that.
func fromHere(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	if rel, ok := files.Rel(here, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}
