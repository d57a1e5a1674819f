package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// Restarts counts the workloads whose running pods are replaced.
func Restarts(c *diff.Comparison) int {
	n := 0
	for _, r := range c.Restarts {
		if partOf(r) != still {
			n++
		}
	}
	return n
}

// restartsBesides returns the restarts of running pods but those of workloads that are counted already: they will not
// come up, or restart at each render.
func restartsBesides(c *diff.Comparison) []diff.Restart {
	named := namedBefore(c)
	return slices.DeleteFunc(slices.Clone(c.Restarts), func(r diff.Restart) bool {
		return partOf(r) == still || named[workloadOf(r.Name)]
	})
}

// namedBefore returns the workloads that will not come up and those that restart at each render.
func namedBefore(c *diff.Comparison) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, b := range c.Blocked {
		if b.Reason != diff.Refused {
			out[workloadOf(b.Name)] = true
		}
	}
	for _, r := range c.Repeated {
		out[workloadOf(r.Name)] = true
	}
	return out
}

// workloadOf returns by what a workload is known: its name without its place.
func workloadOf(n diff.Name) [2]string { return [2]string{n.App, n.String()} }

// Verdict returns the result of a comparison in one line, the same in all reports. It is no all-clear where something
// is not known.
func Verdict(c *diff.Comparison) string {
	var parts []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, one)
		case n > 1:
			parts = append(parts, fmt.Sprintf(many, n))
		}
	}
	if n := len(c.Unapproved()); n > 0 {
		parts = append(parts, protectedTitle(n))
	}
	parts = append(parts, movingVerdict(c)...)
	starts, refused := countHindered(c)
	say(starts, "1 workload will not come up", "%d workloads will not come up")
	say(refused, "1 change is refused by the API server", "%d changes are refused by the API server")
	parts = append(parts, deletedWith(c)...)
	if len(c.Repeated) > 0 {
		parts = append(parts, repeatedTitle(c))
	}
	parts = append(parts, otherKeys(c)...)
	restarts := restartsBesides(c)
	nothing := forNothing(restarts)
	say(len(restarts), "1 workload restarts"+nothing, "%d workloads restart"+nothing)
	say(c.RemovedWorkloads(), "1 workload is removed", "%d workloads are removed")
	parts = append(parts, unknowns(c)...)
	failed, alike, undescribed := countFailed(c)
	unread := filesUnread(c)
	if len(parts) > 0 || !c.HasFailures() {
		parts, unread = append(parts, unread...), nil
	}
	say(failed, "1 application could not be rendered", "%d applications could not be rendered")
	say(undescribed, "whether 1 application is there is not known here",
		"whether %d applications are there is not known here")
	if alike > 0 && c.HasFailures() && len(parts) == 0 {
		parts = append(parts, "nothing could be compared")
	}
	parts = append(parts, unread...)
	switch {
	case len(parts) == 1 && len(c.Unapproved()) > 0:
		parts = append(parts, "no workload restarts")
	case len(parts) == 1 && len(c.Repeated) > 0:
		const differs, same = "no other workload restarts", "nothing else differs"
		parts = append(parts, map[bool]string{true: differs, false: same}[c.Differs()])
	case len(parts) > 0:
	default:
		parts = append(parts, map[bool]string{true: "no workload restarts", false: "nothing differs"}[c.Differs()])
		say(alike, "1 application fails as before", "%d applications fail as before")
		say(len(applicationsWith(c, diff.NoObject)), "1 application renders no object", "%d applications render no object")
	}
	say(len(applicationsWith(c, diff.StampsBefore)), "1 adopted application may have been stamped before",
		"%d adopted applications may have been stamped before")
	say(len(c.Stale), "the stamps of 1 workload are stale", "the stamps of %d workloads are stale")
	const waits, wait = "1 workload waits until Flux resumes it", "%d workloads wait until Flux resumes them"
	say(suspendedWorkloads(c), waits, wait)
	say(waitingReaders(c), "1 workload waits for approval", "%d workloads wait for approval")
	if c.Shard != nil {
		return fmt.Sprintf("%s (part %d of %d)", strings.Join(parts, "; "), c.Shard.Number, c.Shard.Of)
	}
	return strings.Join(parts, "; ")
}

// suspendedWorkloads counts the workloads that change when what applies them is resumed.
func suspendedWorkloads(c *diff.Comparison) (n int) {
	for _, r := range c.Restarts {
		if r.Rollout.Effect == diff.Suspended {
			n++
		}
	}
	return n
}

// countFailed counts the applications that could not be rendered, those that fail as before, and those that are
// not known on a side.
func countFailed(c *diff.Comparison) (failed, alike, undescribed int) {
	for _, a := range c.Apps {
		switch {
		case a.Alike:
			alike++
		case isUndescribed(a):
			undescribed++
		case a.Status == diff.Failed:
			failed++
		}
	}
	return failed, alike, undescribed
}

// isUndescribed reports whether what describes an application failed on a side.
func isUndescribed(a diff.AppChange) bool {
	return slices.ContainsFunc(a.Problems, func(p diff.Problem) bool { return p.By != "" })
}

// waitingReaders counts the workloads of which a change waits for approval.
func waitingReaders(c *diff.Comparison) int {
	seen := map[[2]string]bool{}
	for _, q := range c.Quiet {
		if q.Reason == diff.Waits {
			seen[[2]string{cmp.Or(q.ReaderApp, q.App), q.Reader}] = true
		}
	}
	return len(seen)
}

// forNothing returns how many of the restarts are without need.
func forNothing(restarts []diff.Restart) string {
	n := 0
	for _, r := range restarts {
		if partOf(r) == noisy {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case n == 1 && len(restarts) == 1:
		return " for nothing"
	case n == len(restarts):
		return ", all of them for nothing"
	}
	return fmt.Sprintf(", %d of them for nothing", n)
}

// unknowns returns what changes and cannot be judged, in words.
func unknowns(c *diff.Comparison) []string {
	var out []string
	renamed, moved := 0, 0
	for _, u := range c.Unknown {
		switch {
		case u.Reason == diff.Renamed:
			renamed++
		case u.Reason == diff.Moved:
			moved++
		}
	}
	out = append(out, elsewheres(c)...)
	if moved == 1 {
		out = append(out, "1 workload comes from another application: whether it restarts is not known here")
	} else if moved > 1 {
		const many = "%d workloads come from other applications: whether they restart is not known here"
		out = append(out, fmt.Sprintf(many, moved))
	}
	out = append(out, uncertains(c)...)
	out = append(out, failedReaders(c)...)
	if renamed > 0 {
		out = append(out, otherNames(renamed))
	}
	return out
}

// filesUnread returns the changed files that nothing reads, in words.
func filesUnread(c *diff.Comparison) (out []string) {
	files, perhaps := 0, 0
	for _, u := range c.Unknown {
		switch {
		case c.Shard != nil:
		case u.Reason == diff.Unread:
			files++
		case u.Reason == diff.PerhapsRead:
			perhaps++
		}
	}
	switch {
	case files == 1:
		out = append(out, "1 changed file that no application here reads")
	case files > 1:
		out = append(out, fmt.Sprintf("%d changed files that no application here reads", files))
	}
	if perhaps > 0 {
		out = append(out, perhapsRead(perhaps))
	}
	return out
}

// uncertains returns of how many workloads it is not known whether they come up, in words.
func uncertains(c *diff.Comparison) []string {
	seen := map[diff.Name]bool{}
	for _, u := range c.Unknown {
		if u.Reason == diff.Uncertain {
			seen[*u.Object] = true
		}
	}
	switch n := len(seen); n {
	case 0:
		return nil
	case 1:
		return []string{"whether 1 workload comes up is not known here"}
	default:
		return []string{fmt.Sprintf("whether %d workloads come up is not known here", n)}
	}
}

// applicationsWith returns the applications of which something is not known for a reason.
func applicationsWith(c *diff.Comparison, reason diff.Ignorance) []string {
	var out []string
	for _, u := range c.Unknown {
		if u.Reason == reason {
			out = append(out, or(u.App, "."))
		}
	}
	return out
}
