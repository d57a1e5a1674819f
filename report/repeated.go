package report

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// repeatedSection lists the workloads that restart, or are refused, at each render.
func repeatedSection(c *diff.Comparison) section {
	out := section{Part: repeated, Title: repeatedTitle(c)}
	causes, hindered := causesBefore(c), map[[2]string]bool{}
	for _, b := range c.Blocked {
		hindered[workloadOf(b.Name)] = true // its causes are there
	}
	for _, r := range c.Repeated {
		one := item{Head: r.Name.String(), App: appOf(c, r.App)}
		if effect := Effect(r.Rollout); effect != "" {
			one.Notes = append(one.Notes, effect)
		}
		at := diag.Position{File: r.File, Line: r.Line}.String()
		one.Lines = []line{{Text: "another value in each render: " + joinSome(r.Paths, 12), At: at}}
		if !hindered[workloadOf(r.Name)] {
			one.Lines = append(one.Lines, causes[workloadOf(r.Name)]...)
		}
		out.Items = append(out.Items, one)
	}
	return out
}

// repeatedTitle returns in words how many workloads restart at each render, and how many are refused.
func repeatedTitle(c *diff.Comparison) string {
	var parts []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 workload "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d workloads %s", n, many))
		}
	}
	refused := 0
	for _, r := range c.Repeated {
		if r.Rollout.Effect == diff.Rejected {
			refused++
		}
	}
	say(len(c.Repeated)-refused, "restarts at each render", "restart at each render")
	say(refused, "is refused at each render", "are refused at each render")
	return strings.Join(parts, "; ")
}

// repeatedVerb returns what becomes of such a workload, between its name and the places that differ.
func repeatedVerb(r diff.Repeated) string {
	if r.Rollout.Effect == diff.Rejected {
		return " is refused at each render: "
	}
	return " restarts at each render: "
}

// restartsByRender counts the workloads of applications that change which restart at each render and have no other
// cause.
func restartsByRender(c *diff.Comparison) int {
	same, counted, n := map[string]bool{}, map[diff.Name]bool{}, 0
	for _, a := range c.Apps {
		same[a.Name] = a.Status == diff.Same
	}
	for _, r := range c.Restarts {
		counted[r.Name] = partOf(r) != still
	}
	for _, r := range c.Repeated {
		if !same[r.App] && !counted[r.Name] && r.Rollout.Effect != diff.Rejected {
			n++
		}
	}
	return n
}
