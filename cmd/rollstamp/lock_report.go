package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// behind is what lock --check finds, as JSON.
type behind struct {
	Changes  []lockChange  `json:"changes"`
	Restarts []lockRestart `json:"restarts"`
	// Unstamped are workloads of other applications that read what is behind, and do not restart.
	Unstamped []lockUnstamped `json:"unstamped,omitempty"`
	// Unknown are applications that are behind, and cannot be rendered as the lock has them: what restarts of them is
	// not known.
	Unknown []lockFailure `json:"unknown,omitempty"`
	Failed  []lockFailure `json:"failed"` // whether these are behind is not known
}

type lockChange struct {
	File string `json:"file"`
	Name string `json:"name"`
	Was  string `json:"was"` // "" where there is no line
	Is   string `json:"is"`
}

type lockRestart struct {
	Application string `json:"application"`
	Kind        string `json:"kind"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
}

type lockUnstamped struct {
	Application string `json:"application"`
	Workload    string `json:"workload"`
	Reads       string `json:"reads"`
	Of          string `json:"of"` // the application that has what it reads
}

type lockFailure struct {
	Application string `json:"application,omitempty"` // "" for a lock that several share
	Error       string `json:"error"`
}

// failures returns the errors of applications, and of locks.
func failures(names []string, errs []error, ofLocks error) []lockFailure {
	out := []lockFailure{}
	for i, err := range errs {
		for _, one := range diag.Unjoin(err) {
			out = append(out, lockFailure{names[i], errorText(one)})
		}
	}
	for _, one := range diag.Unjoin(ofLocks) {
		out = append(out, lockFailure{Error: errorText(one)})
	}
	return out
}

// report prints what is behind, and what would restart if it were not.
func (l *lockCommand) report(
	ctx context.Context, p *program, updated *locking.Result, failed []lockFailure,
) error {
	var out bytes.Buffer
	found := behind{
		Changes: []lockChange{}, Restarts: []lockRestart{}, Failed: failed,
	}
	for _, u := range updated.Locks {
		for _, c := range u.Changes() {
			printChange(&out, u, c)
			found.Changes = append(found.Changes, lockChange{fromHere(u.Path()), c.Name, c.Was, c.Is})
		}
	}
	var errs []error
	if len(found.Changes) > 0 {
		p.exit = diag.ExitFindings
		c, failed, unknown, err := sides.Locks(ctx, updated.Apps)
		if err != nil {
			return err
		}
		found.Unknown = unknownOf(updated.Apps, unknown)
		for _, u := range found.Unknown {
			fmt.Fprintf(&out, "what restarts of %s is not known, as its lock cannot be rendered: %s\n", u.Application, u.Error)
		}
		for i, err := range failed {
			if err != nil {
				errs = append(errs, err)
				found.Failed = append(found.Failed, lockFailure{updated.Apps[i].Name(), errorText(err)})
			}
		}
		for _, r := range c.Restarts {
			name := r.Name
			fmt.Fprintf(&out, "restarts %s of %s\n", manifest.Describe(name.Kind, name.Namespace, name.Name), r.App)
			found.Restarts = append(found.Restarts, lockRestart{r.App, name.Kind, name.Namespace, name.Name})
		}
		found.Unstamped = append(found.Unstamped, unstamped(c)...)
		for _, u := range found.Unstamped {
			fmt.Fprintf(&out, "does not restart %s of %s, which reads %s of %s\n", u.Workload, u.Application, u.Reads, u.Of)
		}
	}
	if l.output == "json" {
		return errors.Join(append(errs, p.emitJSON("what is behind", found, indentedJSON))...)
	}
	return errors.Join(append(errs, p.emit(&out))...)
}

// unknownOf returns the applications that cannot be rendered as their locks have them.
func unknownOf(apps []locking.Locked, errs []error) (out []lockFailure) {
	for i, err := range errs {
		if err != nil {
			out = append(out, lockFailure{apps[i].Name(), errorText(err)})
		}
	}
	return out
}

// unstamped returns the workloads of other applications that read what is rotated, and have no stamp of it.
func unstamped(c *diff.Comparison) (out []lockUnstamped) {
	for _, q := range c.Quiet {
		if q.Reason == diff.ReadElsewhere {
			out = append(out, lockUnstamped{q.ReaderApp, q.Reader, q.Name.String(), q.App})
		}
	}
	return out
}

// printChange prints a line that differs.
func printChange(out *bytes.Buffer, u *lock.Update, c lock.Change) {
	switch {
	case c.Was == "":
		fmt.Fprintf(out, "%s: + %s %s\n", fromHere(u.Path()), c.Name, c.Is)
	case c.Is == "":
		fmt.Fprintf(out, "%s: - %s %s\n", fromHere(u.Path()), c.Name, c.Was)
	default:
		fmt.Fprintf(out, "%s: %s %s -> %s\n", fromHere(u.Path()), c.Name, c.Was, c.Is)
	}
}

// printSettled prints what became of a lock that a merge left in conflict, or with one name twice, beside the lines
// that changed.
func printSettled(out *bytes.Buffer, u *lock.Update, changes []lock.Change) {
	if !errors.Is(u.Malformed(), lock.ErrConflict) && !errors.Is(u.Malformed(), lock.ErrDuplicate) {
		return
	}
	path, settled := fromHere(u.Path()), u.Settled()
	of, without := "two that a merge left", "the marks of a merge"
	if errors.Is(u.Malformed(), lock.ErrDuplicate) {
		of, without = "the lines that it had", "lines that stood there twice"
	}
	for _, c := range settled {
		isPrinted := func(other lock.Change) bool { return other.Name == c.Name }
		if !slices.ContainsFunc(changes, isPrinted) {
			fmt.Fprintf(out, "%s: %s %s counts, of %s\n", path, c.Name, c.Is, of)
		}
	}
	if len(settled) == 0 {
		fmt.Fprintf(out, "%s is written without %s\n", path, without)
	}
}
