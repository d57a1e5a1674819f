package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// mostUnused is how many workloads of which the same holds have a finding each.
const mostUnused = 3

// isGone is why a line has no effect whose workload the render does not have.
const isGone = "is not in the render"

// unusedLines are lines of a lock that have no effect, by the reason, in the order of the first of each.
type unusedLines struct {
	reasons  []*unusedFor
	by       map[string]*unusedFor
	reported map[string]bool // workloads: the first reason counts
}

// unusedFor are the lines that have no effect for one reason.
type unusedFor struct {
	why     string
	first   []*lock.Decision // one for each workload, the first few
	count   int              // of workloads
	classes []lock.Class
}

// add adds a line, which has no effect because its workload is as why says: "is not in the render".
func (u *unusedLines) add(one *lock.Decision, why string) {
	if u.by == nil {
		u.by, u.reported = map[string]*unusedFor{}, map[string]bool{}
	}
	of := u.by[why]
	if of == nil {
		of = &unusedFor{why: why}
		u.by[why], u.reasons = of, append(u.reasons, of)
	}
	if !slices.Contains(of.classes, one.Class) {
		of.classes = append(of.classes, one.Class)
	}
	if u.reported[one.Workload] {
		return
	}
	u.reported[one.Workload] = true
	if of.count++; len(of.first) < mostUnused {
		of.first = append(of.first, one)
	}
}

func (u *unusedLines) findings() (found []diag.Finding) {
	for _, of := range u.reasons {
		if of.count > mostUnused {
			found = append(found, of.finding())
			continue
		}
		for _, one := range of.first {
			what := manifest.Describe(SplitWorkloadID(one.Workload))
			f := diag.New(diag.DecisionUnused, what, what+" "+of.why+", and a line of the lock is about it")
			found = append(found, f.At(one.Pos))
		}
	}
	return found
}

// finding returns the finding about many workloads.
func (of *unusedFor) finding() diag.Finding {
	names := make([]string, len(of.first))
	for i, one := range of.first {
		names[i] = manifest.Describe(SplitWorkloadID(one.Workload))
	}
	f := diag.New(diag.DecisionUnused, "", fmt.Sprintf("each of %s and %s %s, and lines of the lock are about them",
		strings.Join(names, ", "), diag.Count(of.count-len(names), "other workload"), of.why))
	f.Hint = of.hint()
	return f.At(of.first[0].Pos)
}

// hint returns what takes the lines out.
func (of *unusedFor) hint() string {
	has := func(class lock.Class) bool { return slices.Contains(of.classes, class) }
	var commands []string
	if has(lock.Adopted) {
		commands = append(commands, "rollstamp adopt --prune")
	}
	if has(lock.Approved) {
		commands = append(commands, "rollstamp approve --prune")
	}
	if len(commands) == 0 && has(lock.Restart) && of.why == isGone { // either of them drops it
		commands = append(commands, "rollstamp adopt --prune")
	}
	hint := "Delete the lines."
	if len(commands) > 0 {
		hint = "Run " + strings.Join(commands, " and ") + "."
	}
	if len(commands) > 0 && has(lock.Restart) && of.why != isGone {
		hint += " Lines 'restart' are deleted by hand."
	}
	return hint
}
