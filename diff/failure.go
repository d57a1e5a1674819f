package diff

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
)

// failure returns an application that could not be rendered; not ok where it could.
func failure(name string, old, now *App) (change AppChange, ok bool) {
	change = AppChange{Name: name, Status: Failed}
	for _, side := range []struct {
		name string
		app  *App
	}{{"from", old}, {"to", now}} {
		if side.app != nil && side.app.Err != nil {
			problem := Problem{Side: side.name, Error: side.app.Err.Error(), Hint: diag.HintOf(side.app.Err),
				File: side.app.At.File, Line: side.app.At.Line}
			if unknown := (*UndescribedError)(nil); errors.As(side.app.Err, &unknown) {
				problem.By = unknown.By
			}
			if exit := diag.ExitOf(side.app.Err); exit == diag.ExitUsage || exit == diag.ExitSource {
				problem.Exit = exit
			}
			change.Problems = append(change.Problems, problem)
		}
	}
	change.OneFailure = len(change.Problems) == 2 && diag.IsSameFailure(old.Err, now.Err)
	change.Alike = change.OneFailure && now.SameFiles && !isOfRun(old.Err) && !isOfRun(now.Err)
	return change, len(change.Problems) > 0
}

// FailureExit returns the exit code of what could not be rendered, as other commands end with for it.
func (c *Comparison) FailureExit() diag.Exit {
	isNews := func(a AppChange) bool { return a.Status == Failed && !a.Alike }
	news, worst := slices.ContainsFunc(c.Apps, isNews), diag.ExitOK
	for _, a := range c.Apps {
		for _, p := range a.Problems {
			if !news || isNews(a) {
				worst = max(worst, cmp.Or(p.Exit, diag.ExitInput))
			}
		}
	}
	return worst
}

// usageError returns the error that all applications of a side have because the program was called in a wrong way; nil
// for none.
func usageError(s Side) error {
	isOther := func(a *App) bool { return a.Err == nil || a.At.File != "" || !isUsage(a.Err) }
	if len(s.Apps) == 0 || slices.ContainsFunc(s.Apps, isOther) {
		return nil
	}
	return s.Apps[0].Err
}

// isOfRun reports whether an error is one of how the program was called, and not of the files: a key that is not there.
func isOfRun(err error) bool {
	return errors.Is(err, hashing.ErrKeyNeeded) || isUsage(err)
}

// isUsage reports whether an error is that the program was called in a wrong way, whatever the files hold.
func isUsage(err error) bool {
	for known := (*diag.Error)(nil); errors.As(err, &known); err = known.Err {
		if known.Exit == diag.ExitUsage && known.Pos.File == "" {
			return true
		}
	}
	return false
}
