package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// splitDecided divides arguments into objects, which are written as KIND/NAME or KIND/NAMESPACE/NAME, and paths: an
// argument that is there is a path.
func splitDecided(args []string) (picks []identity, paths []string, err error) {
	for _, arg := range args {
		_, absent := os.Stat(arg)
		id, isName := parseIdentity(arg)
		switch {
		case absent == nil || fleet.IsPattern(arg) || strings.Contains(arg, "@"):
			paths = append(paths, arg)
		case isName:
			picks = append(picks, id)
		default:
			return nil, nil, diag.Input(diag.Position{File: arg}, errors.New("no such file or folder, and not KIND/NAME"),
				"A workload is written as Deployment/web, or with its namespace as Deployment/shop/web.")
		}
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	return picks, paths, nil
}

// findEach returns the error of an argument that no workload is meant by.
func findEach(command string, picks []identity, all []subject) error {
	for _, one := range picks {
		found := slices.ContainsFunc(all, func(s subject) bool {
			return slices.ContainsFunc(s.Workloads, func(w plan.Workload) bool { return one.is(w.Kind, w.Namespace, w.Name) })
		})
		if !found {
			return meansNone(command, one, all)
		}
	}
	return nil
}

// meansNone is the error about an argument that no workload is meant by.
func meansNone(command string, one identity, all []subject) error {
	err := fmt.Errorf("%s %s: no workload is meant by it", command, one)
	if at, hint := hintInConflict(one, all); hint != "" {
		return diag.Input(at, err, hint)
	}
	if hint := hintAtApplication(command, one, all); hint != "" {
		return diag.Input(diag.Position{}, err, hint)
	}
	hint := "rollstamp explain lists those that there are."
	if command == "restart" && anyWorkload(all, one.isReadBy) {
		hint = fmt.Sprintf("rollstamp restart --all-consuming %s restarts the workloads that read it.", one)
	}
	return diag.Input(diag.Position{}, err, hint)
}

// anyWorkload reports whether a workload of some applications is one.
func anyWorkload(all []subject, is func(*plan.Workload) bool) bool {
	for i := range all {
		for k := range all[i].Workloads {
			if is(&all[i].Workloads[k]) {
				return true
			}
		}
	}
	return false
}

// hintAtApplication returns what to do where there is no workload at all, as at the top of a repository; else "".
func hintAtApplication(command string, one identity, all []subject) string {
	if anyWorkload(all, func(*plan.Workload) bool { return true }) {
		return ""
	}
	return fmt.Sprintf("Nothing that was rendered has a workload. Name the application, too, as in: rollstamp %s 'apps/*' %s",
		command, one)
}

// hintInConflict returns what to do about lines in conflict that are about a workload which a command has nothing to do
// for, and where they are; "" where no lock is in conflict.
func hintInConflict(one identity, all []subject) (at diag.Position, hint string) {
	var left *diag.Error
	if !errors.As(leftByMerge(all), &left) {
		return at, ""
	}
	which := "the lines that a merge left in conflict there"
	if errors.Is(left, lock.ErrDuplicate) {
		which = "the lines of one key there"
	}
	return left.Pos, fmt.Sprintf("Where %s are about %s, they have no effect: delete them.", which, one)
}

// aboutLine is a line of a lock, and what of an application it is about.
type aboutLine struct {
	lock.Decision
	of consumed
}

// lines returns the lines of a lock about an application.
func (s *subject) lines(f *lock.File, names ...lock.Application) (out []aboutLine) {
	all := f.Decisions(names...)
	for i, workload := range policy.Meant(all, s.eachWorkload) {
		out = append(out, aboutLine{all[i], consumed{workload, all[i].Object}})
	}
	return out
}

func (s *subject) eachWorkload(yield func(policy.WorkloadName) bool) {
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if !yield(policy.WorkloadName{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}) {
			return
		}
	}
}

// forgetUnused removes the lines of a class that name an application in one way and are not used. Those under its path
// may hold for others of that path, and for who renders the path.
func (s *subject) forgetUnused(u *lock.Update, name lock.Application, class lock.Class, used map[consumed]bool) {
	for _, line := range s.lines(u.New(), name) {
		if line.Class == class && !used[line.of] {
			u.Forget(name, line.Decision)
		}
	}
}

// forgetGoneRestarts removes the restarts of workloads that are gone: under one name of an application, and those of
// applications whose folders are. No other command drops them.
func (s *subject) forgetGoneRestarts(u *lock.Update, name lock.Application) {
	u.ForgetGone(lock.Restart, s.Settings().Place().Files)
	present := map[consumed]bool{}
	for w := range s.eachWorkload {
		present[consumed{workload: policy.WorkloadID(w.Kind, w.Namespace, w.Name)}] = true
	}
	s.forgetUnused(u, name, lock.Restart, present)
}

// refuseMerge returns the error of a lock that a merge left in conflict, where no workload is named: which side counts
// is not said then, and a line that one side deleted would be back. To drop lines is refused where it is not known
// which of two counts.
func refuseMerge(all []subject, picks []identity, drop bool) error {
	switch {
	case len(picks) > 0:
		return nil
	case drop:
		return unresolved(all)
	}
	return leftByMerge(all)
}

// unresolved returns the error of locks in which a merge left two lines about the same, or none.
func unresolved(all []subject) (err error) {
	var locks lock.Updates
	for i := range all {
		if _, failed := locks.At(all[i].Settings().Place()); failed != nil {
			return failed
		}
	}
	for _, u := range locks {
		err = errors.Join(err, u.Err())
	}
	return err
}

// leftByMerge returns the error of the first lock that a merge left in conflict, or none.
func leftByMerge(all []subject) error {
	var locks lock.Updates
	for i := range all {
		if _, err := locks.At(all[i].Settings().Place()); err != nil {
			return err
		}
	}
	for _, u := range locks {
		if err := u.Malformed(); errors.Is(err, lock.ErrConflict) || errors.Is(err, lock.ErrDuplicate) {
			return err
		}
	}
	return nil
}

// decide writes decisions about workloads into the locks that are in force for their applications, prints the lines
// that changed, and reports whether any did.
func (p *program) decide(
	ctx context.Context, all []subject, change func(*subject, *lock.Update, []lock.Application),
) (changed bool, err error) {
	var locks lock.Updates
	cache := ""
	if err := refuseShared(all, &locks); err != nil {
		return false, err
	}
	for i := range all {
		s := &all[i]
		u, err := locks.At(s.Settings().Place())
		if err != nil {
			return false, err
		}
		cache = s.Settings().CacheDir.Value
		change(s, u, pipeline.Applications(s.Application, u.Path(), u.Old()))
	}
	dir, err := guardDir(cache)
	if err != nil {
		return false, err
	}
	locks = slices.DeleteFunc(locks, func(u *lock.Update) bool {
		return len(u.Changes()) == 0 && u.Malformed() == nil
	})
	begun := 0
	for _, u := range locks {
		if u.Old().Path() == "" {
			begun++
		}
	}
	if err := p.writeLocks(ctx, dir, locks); err != nil {
		return len(locks) > 0, err
	}
	if begun > 1 {
		fmt.Fprintf(p.err, "note: %d locks are new, one in the folder of each application; to have one for all, delete them, "+
			"put an empty file %s into a folder above, such as the top of the repository, and run this again\n",
			begun, lock.FileName)
	}
	return len(locks) > 0, nil
}
