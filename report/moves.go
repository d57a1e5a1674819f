package report

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diff"
)

// movingSection lists the applications that move to another namespace or cluster.
func movingSection(c *diff.Comparison) section {
	out := section{Part: moving}
	for _, a := range c.Apps {
		if a.Move != nil {
			one := item{Head: or(a.Name, "."), Lines: []line{{Text: moveText(a.Move)}}}
			if isSureToMove(a) {
				one.Lines = append(one.Lines, line{Text: "Whether what lies in the old place is deleted is up to what applies it."})
			}
			out.Items = append(out.Items, one)
		}
	}
	if out.Title = movesTitle(len(out.Items)); !slices.ContainsFunc(c.Apps, isSureToMove) {
		out.Title = "Applications that may move"
	}
	return out
}

// isSureToMove reports whether an application moves for certain.
func isSureToMove(a diff.AppChange) bool {
	return a.Move != nil && (!a.Move.Unsure || a.Move.FromNamespace != "")
}

func movesTitle(n int) string {
	if n == 1 {
		return "1 application moves"
	}
	return fmt.Sprintf("%d applications move", n)
}

// moveText returns from where an application moves to where, and what that means for its workloads.
func moveText(m *diff.Move) string {
	text := ""
	if m.Was != "" {
		text = "it was " + m.Was + ", and "
	}
	if m.FromNamespace != "" {
		text += "moves from namespace " + m.FromNamespace + " to " + m.ToNamespace
	}
	switch {
	case m.Unsure && m.FromNamespace != "":
		text += "; "
	case m.FromNamespace != "" && m.FromCluster != "":
		text += " and "
	}
	switch {
	case m.Unsure:
		text += "goes from cluster " + m.FromCluster + " to " + m.ToCluster + ", and whether that is the same is not known"
	case m.FromCluster != "" && m.FromNamespace != "":
		text += "from cluster " + m.FromCluster + " to " + m.ToCluster
	case m.FromCluster != "":
		text += "moves from cluster " + m.FromCluster + " to " + m.ToCluster
	}
	switch m.Workloads {
	case 0:
		return text
	case 1:
		return text + ": its workload starts afresh there"
	}
	return text + fmt.Sprintf(": its %d workloads start afresh there", m.Workloads)
}

// movingVerdict returns in words how many applications move, and how many of their workloads start in the new place.
func movingVerdict(c *diff.Comparison) []string {
	apps, unsure := 0, 0
	for _, a := range c.Apps {
		switch {
		case isSureToMove(a):
			apps++
		case a.Move != nil:
			unsure++
		}
	}
	var out []string
	if apps > 0 {
		text := movesTitle(apps)
		switch n := startingElsewhere(c); {
		case n == 1:
			text += ": 1 workload starts afresh in another place"
		case n > 1:
			text += fmt.Sprintf(": %d workloads start afresh in another place", n)
		}
		out = append(out, text)
	}
	switch {
	case unsure == 1:
		out = append(out, "1 application may move to another cluster")
	case unsure > 1:
		out = append(out, fmt.Sprintf("%d applications may move to other clusters", unsure))
	}
	return out
}

// startingElsewhere counts the workloads that start afresh because their application moves.
func startingElsewhere(c *diff.Comparison) int {
	n := 0
	for _, a := range c.Apps {
		if a.Move != nil {
			n += a.Move.Workloads
		}
	}
	return n
}
