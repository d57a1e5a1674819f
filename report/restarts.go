package report

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// partOf returns the section that lists a restart.
func partOf(r diff.Restart) part {
	switch {
	case !r.Rollout.Replaces():
		return still
	case r.Noise:
		return noisy
	}
	return replaces
}

// group is a section of restarts, under a title for one and for several.
type group struct {
	part      part
	one, many string
}

var groups = []group{
	{replaces, "1 workload restarts", "%d workloads restart"},
	{noisy, "1 workload restarts, and nothing that it reads has changed",
		"%d workloads restart, and nothing that they read has changed"},
	{still, "1 workload changes and does not restart by itself", "%d workloads change and do not restart by themselves"},
}

// restartSection lists the restarts of a group. Workloads that restart for the same causes are one item.
func restartSection(g group, c *diff.Comparison) section {
	out := section{Part: g.part, Title: g.one}
	elsewhere := listedBefore(c)
	for _, r := range c.Restarts {
		if partOf(r) != g.part || elsewhere(r) {
			continue
		}
		one := item{Head: r.Name.String(), App: appOf(c, r.App)}
		if effect := Effect(r.Rollout); effect != "" {
			one.Notes = append(one.Notes, effect)
		}
		one.Lines = causeLines(visibleCauses(r))
		out.Items = append(out.Items, one)
	}
	if n := len(out.Items); n != 1 {
		out.Title = fmt.Sprintf(g.many, n)
	}
	out.Items = fold(out.Items, func(n int) string { return fmt.Sprintf("%d workloads", n) })
	return out
}

// listedBefore returns what reports whether a restart is listed with what will not come up or restarts at each render.
func listedBefore(c *diff.Comparison) func(diff.Restart) bool {
	refused, named := refusedOf(c), namedBefore(c)
	return func(r diff.Restart) bool {
		if r.Rollout.Effect == diff.Rejected {
			return refused[workloadOf(r.Name)]
		}
		return partOf(r) != still && named[workloadOf(r.Name)]
	}
}

// causesBefore returns the causes of the restarts that are listed before the others, by workload.
func causesBefore(c *diff.Comparison) map[[2]string][]line {
	out, listed := map[[2]string][]line{}, listedBefore(c)
	for _, r := range c.Restarts {
		if listed(r) {
			out[workloadOf(r.Name)] = causeLines(visibleCauses(r))
		}
	}
	return out
}

// refusedOf returns the objects of which the API server refuses a change.
func refusedOf(c *diff.Comparison) map[[2]string]bool {
	refused := map[[2]string]bool{}
	for _, b := range c.Blocked {
		refused[workloadOf(b.Name)] = b.Reason == diff.Refused || refused[workloadOf(b.Name)]
	}
	return refused
}

// causeLines returns a line for each cause; what comes to a list and goes from it is one.
func causeLines(causes []diff.Cause) []line {
	var out []line
	for i := 0; i < len(causes); i++ {
		c := causes[i]
		l := line{Text: CauseText(c)}
		if c.Noise {
			l.At = diag.Position{File: c.File, Line: c.Line}.String()
		}
		n := 1
		for c.Item && i+n < len(causes) && causes[i+n].Item && causes[i+n].Path == c.Path {
			n++
		}
		if n > 1 {
			l.Text = c.Path + ": " + itemsText(causes[i:i+n])
		}
		out = append(out, l)
		i += n - 1
	}
	return out
}

// itemsText returns which items come to a list and which go.
func itemsText(causes []diff.Cause) string {
	var parts []string
	for _, change := range []diff.Change{diff.Addition, diff.Removal} {
		var items []string
		for _, c := range causes {
			if c.Change == change {
				items = append(items, brief(c.From+c.To))
			}
		}
		if len(items) > 0 {
			parts = append(parts, joinSome(items, 4)+" "+string(change))
		}
	}
	return strings.Join(parts, "; ")
}

// visibleCauses returns the causes of a restart that a reader wants to see: of what only moves along with them, no more
// than that it does.
func visibleCauses(r diff.Restart) []diff.Cause {
	if r.Noise {
		return r.Causes
	}
	var out []diff.Cause
	var along []string
	for _, c := range r.Causes {
		if c.Noise {
			along = append(along, c.Path)
		} else {
			out = append(out, c)
		}
	}
	if len(along) > 0 {
		out = append(out, diff.Cause{Reason: movesAlong, Path: strings.Join(along, ", ")})
	}
	return out
}
