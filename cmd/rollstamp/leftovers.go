package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/index"
)

// outputFolder is what a run of render knows of the folder that it writes to.
type outputFolder struct {
	source    app.Source
	run       index.Run
	argument  func(name string) string // the one that names an application
	leftovers []index.Leftover
	ignores   *ignoredFiles
}

// layout returns how the folder's files are named.
func (o *outputFolder) layout() fleet.Layout { return fleet.LayoutOf(config.AppKind(o.run.As)) }

// close writes the index after a run that wrote files; what is left over is removed where that is wanted and no
// application failed, and reported else.
func (o *outputFolder) close(
	ctx context.Context, p *program, prune bool, done *rendered, names []string, errs []error,
) error {
	o.noteTwice(names, p.err)
	change, cache := index.Change{Written: map[string]string{}}, ""
	for i, name := range names {
		if errs[i] == nil {
			change.Written[name], cache = o.argument(name), done.apps[i].Settings().CacheDir.Value
		}
	}
	failed := prune && (len(change.Written) < len(names) || o.failsElsewhere(ctx, names))
	stays := o.leftovers
	if prune && !failed {
		change.Removed, stays = split(o.leftovers)
		if err := o.prune(p.err, change.Removed); err != nil {
			return err
		}
	}
	for _, l := range stays {
		fmt.Fprintf(p.err, "note: %s is not rendered any more: %s\n", l.File, whyStays(l, failed))
	}
	dir, err := guardDir(cache)
	if err != nil {
		return err
	}
	return o.run.Write(context.WithoutCancel(ctx), dir, change) // the files are written
}

// failsElsewhere reports whether an application of another shard cannot be made: what it would lead to is not known.
func (o *outputFolder) failsElsewhere(ctx context.Context, names []string) bool {
	own := make(map[string]bool, len(names))
	for _, name := range names {
		own[name] = true
	}
	return slices.ContainsFunc(o.run.Names, func(name string) bool {
		if own[name] {
			return false
		}
		_, err := o.source.Application(ctx, name)
		return err != nil
	})
}

// split divides leftovers into those that may be removed and the others.
func split(all []index.Leftover) (removable, others []index.Leftover) {
	for _, l := range all {
		if l.Listed && !l.Unasked {
			removable = append(removable, l)
		} else {
			others = append(others, l)
		}
	}
	return removable, others
}

// prune removes files and names them.
func (o *outputFolder) prune(w io.Writer, all []index.Leftover) error {
	if len(all) == 0 {
		return nil
	}
	if err := o.run.Remove(all); err != nil {
		return err
	}
	for _, l := range all {
		fmt.Fprintf(w, "%s is removed: %s is not rendered any more\n", l.File, l.Name)
	}
	return nil
}

// whyStays returns why a file stays, and what to do about it.
func whyStays(l index.Leftover, failed bool) string {
	switch {
	case l.Unasked:
		return "what it was made of is gone; a pattern in quotes, as 'apps/*', covers that with --prune"
	case !l.Listed:
		return index.Name + " does not have it, so it is yours to remove"
	case failed:
		return "nothing is pruned where an application fails"
	}
	return "--prune removes it"
}

// asStale returns the leftovers that a check finds: those that the run was asked for.
func (o *outputFolder) asStale(ctx context.Context) (out []*fleet.Stale, _ error) {
	for _, l := range o.leftovers {
		if l.Unasked {
			continue
		}
		stale, err := fleet.LeftoverFile(ctx, l.Name, l.File)
		if err != nil {
			return nil, err
		}
		out = append(out, stale)
	}
	return out, nil
}

// list writes which files a check finds left over.
func (o *outputFolder) list(w io.Writer) {
	if o.ignores.isStale() {
		fmt.Fprintf(w, "%s is not what a render writes: run it without --check, and commit that.\n\n", o.ignores.file)
	}
	asked := slices.DeleteFunc(slices.Clone(o.leftovers), func(l index.Leftover) bool { return l.Unasked })
	if len(asked) == 0 {
		return
	}
	fmt.Fprintf(w, "%s in %s left over from applications that are gone: "+
		"run it with --prune instead of --check, and commit that.\n", diag.Count(len(asked), "file"), o.run.Dir)
	for _, l := range asked {
		fmt.Fprintf(w, "  %s", l.File)
		if !l.Listed {
			fmt.Fprintf(w, " (%s does not have it: remove it yourself)", index.Name)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
