package report

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// repeatedSection lists the workloads that restart at each render.
func repeatedSection(c *diff.Comparison) section {
	out := section{Part: repeated, Title: repeatedTitle(len(c.Repeated))}
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

// repeatedTitle returns in words how many workloads restart at each render.
func repeatedTitle(n int) string {
	if n == 1 {
		return "1 workload restarts at each render"
	}
	return fmt.Sprintf("%d workloads restart at each render", n)
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
		if !same[r.App] && !counted[r.Name] {
			n++
		}
	}
	return n
}
