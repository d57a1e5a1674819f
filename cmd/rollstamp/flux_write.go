package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/rounds"
)

// writeFluxFiles writes the files: all of them, or none where one cannot be written. Where something else of the run
// has failed, it prints which ones are written.
func writeFluxFiles(p *program, changed []*fluxFile, failed bool) error {
	for i, file := range changed {
		if _, err := fleet.WriteFile(file.name, bytes.NewBuffer(file.text)); err != nil {
			return errors.Join(err, restoreFluxFiles(changed[:i]))
		}
	}
	if failed {
		noteWritten(p, changed)
	}
	for _, file := range changed {
		for _, m := range file.edited {
			if len(m.wanted.Stamps) > 0 {
				p.say("%s: stamps of what %s applies are written", file.name, m.wanted)
			}
		}
	}
	return nil
}

// noteWritten prints in one line that files were written, though others could not be.
func noteWritten(p *program, changed []*fluxFile) {
	what := ""
	switch len(changed) {
	case 0:
		return
	case 1:
		what = changed[0].name + " is"
	default:
		what = fmt.Sprintf("%d files are", len(changed))
	}
	fmt.Fprintf(p.err, "rollstamp: %s written and can stay; run this again when what failed is mended\n", what)
}

// restoreFluxFiles writes files as they were.
func restoreFluxFiles(written []*fluxFile) error {
	var errs []error
	for _, file := range written {
		if _, err := fleet.WriteFile(file.name, bytes.NewBuffer(file.have)); err != nil {
			errs = append(errs, fmt.Errorf("restore what was there before: %w", err))
		}
	}
	return errors.Join(errs...)
}

// fluxFailure is an object of Flux whose stamps are not known, because it cannot be rendered.
type fluxFailure struct {
	object string // as errors name it
	pos    diag.Position
	folder string // that it is built from; "" where that is not known
}

// failedObjects returns those of the run.
func failedObjects(source app.Described, names []string, errs []error) (out []fluxFailure) {
	all, ok := source.(*rounds.Source)
	for i, name := range names {
		if of := source.Objects(name); ok && errs[i] != nil && len(of) > 0 {
			out = append(out, fluxFailure{of[0], all.Position(name), source.Folder(name)})
		}
	}
	return out
}

// fail takes the objects of all members, and those that failed.
func (r *fluxRun) fail(objects []string, failed []fluxFailure) {
	r.objects, r.failed = objects, failed
	for _, m := range r.members {
		m.wanted.Keeps = r.mayBeFailed
	}
}

// unstamped returns the objects whose stamps stay as they are: those that failed, and those that are kept.
func (r *fluxRun) unstamped() []fluxFailure {
	out := slices.Clip(r.failed)
	for _, m := range r.members {
		if m.isKept {
			out = append(out, fluxFailure{object: m.wanted.String(), pos: m.wanted.Pos})
		}
	}
	return out
}

// mayBeFailed reports whether an object of a name, as patches have it, may be one that failed: a prefix, a suffix or a
// variable may make its name of that.
func (r *fluxRun) mayBeFailed(kind, name string) bool {
	return slices.ContainsFunc(r.unstamped(), func(f fluxFailure) bool {
		return strings.HasPrefix(f.object, kind+" ") && (hasParts(f.object, name) || strings.Contains(name, "${"))
	})
}

// hasParts reports whether the name of an object is another one, or has that between a prefix and a suffix: the whole
// parts of it, which signs divide.
func hasParts(object, name string) bool {
	divided := func(name string) string { return "-" + strings.ReplaceAll(name, ".", "-") + "-" }
	own := object[strings.LastIndexAny(object, " /")+1:]
	return strings.Contains(divided(own), divided(name))
}

// failedAt returns those whose lines are the same as those of an object, with their places.
func (r *fluxRun) failedAt(one *fluxPlace) (out []string) {
	for _, f := range r.unstamped() {
		if f.pos == one.wanted.Pos && f.object != one.wanted.String() {
			out = append(out, fmt.Sprintf("%s, which fails,", f.object))
		}
	}
	return out
}

// failedBelow reports whether one that failed is built from a folder that a file lies in.
func (r *fluxRun) failedBelow(name string) bool {
	for _, f := range r.failed {
		folder, err := files.RealPath(nil, f.folder)
		file, notThere := files.RealPath(nil, name)
		if f.folder != "" && err == nil && notThere == nil && files.Within(folder, file) {
			return true
		}
	}
	return false
}
