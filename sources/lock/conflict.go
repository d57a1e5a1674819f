package lock

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// conflictHint returns how the lines are mended that a merge left in conflict. A command writes all lines of its kind
// again, and none while lines of another kind are in conflict.
func (f *File) conflictHint(asked bool) string {
	kinds := map[Class]bool{}
	repositories := 0
	for name := range f.unresolved {
		if IsRepository(name) {
			repositories++
		}
		if e := f.entries[name]; e.isDecision() {
			kinds[Class(e.class)] = true
		} else {
			kinds[""] = true // a store knows
		}
	}
	switch {
	case len(kinds) > 1:
		return "Delete one of the lines: no single command writes all that are in conflict, as they are of several kinds."
	case !kinds[""]:
		return "Run '" + f.commandFor(slices.Collect(maps.Keys(kinds))[0]) +
			"' where the application is, or delete one of the lines."
	case repositories == len(f.unresolved):
		return "Run 'rollstamp lock --as argocd --allow network' with the Applications that read it, or delete one of " +
			"the lines."
	case asked:
		return "Run 'rollstamp lock' where its store may be asked and answers, or delete one of the lines."
	}
	return "Run 'rollstamp lock' for the application that reads it, or delete one of the lines."
}

// withMergeHint adds to the error of a line how the lock is mended, if a merge has left it so.
func withMergeHint(err error, path string, text []byte) error {
	if !isOfMerge(err) {
		return err
	}
	f, failed := parse(path, text, true)
	if failed != nil {
		f = &File{}
	}
	return f.withHint(err)
}

// withHint adds to the error of a line how this lock is mended, if a merge has left it so.
func (f *File) withHint(err error) error {
	var of *diag.Error
	if !isOfMerge(err) || !errors.As(err, &of) {
		return err
	}
	mended := *of
	mended.Hint = "Run 'rollstamp lock': it takes what both sides have, and asks where they differ."
	if slices.ContainsFunc(slices.Collect(maps.Keys(f.unresolved)), f.isDecided) {
		mended.Hint = f.conflictHint(false)
	}
	return &mended
}

func isOfMerge(err error) bool { return errors.Is(err, ErrConflict) || errors.Is(err, ErrDuplicate) }

// isDecided reports whether the line of a name holds what people decided.
func (f *File) isDecided(name string) bool { return f.entries[name].isDecision() }

// commandFor returns the command that writes the unresolved lines of a class again: all of them, for none can be
// written while others are in conflict.
func (f *File) commandFor(class Class) string {
	command := map[Class]string{Adopted: "rollstamp adopt", Approved: "rollstamp approve",
		Restart: "rollstamp restart --reason TEXT"}[class]
	var workloads []string
	for _, name := range slices.Sorted(maps.Keys(f.unresolved)) {
		if e := f.entries[name]; Class(e.class) == class {
			_, of, _ := strings.Cut(name, " ")
			workload, _, _ := strings.Cut(of, "#")
			workloads = append(workloads, strings.Replace(workload, "//", "/", 1)) // one without a namespace
		}
	}
	return command + " " + strings.Join(slices.Compact(workloads), " ")
}
