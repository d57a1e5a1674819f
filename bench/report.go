package main

import (
	"fmt"
	"io"
	"strings"
)

// goal is what a quotient of ours and theirs is to reach. The zero goal is none.
type goal struct {
	reach, stretch float64
	times          bool // written as so many times less
}

func atMost(reach, stretch float64) goal    { return goal{reach: reach, stretch: stretch} }
func timesLess(reach, stretch float64) goal { return goal{reach: reach, stretch: stretch, times: true} }

// verdict returns what a quotient reached.
func (g goal) verdict(quotient float64) string {
	better := func(limit float64) bool {
		if g.times {
			return 1/quotient >= limit
		}
		return quotient <= limit
	}
	switch {
	case g.reach == 0:
		return ""
	case g.stretch > 0 && better(g.stretch):
		return "stretch"
	case better(g.reach):
		return "yes"
	}
	return "no"
}

func (g goal) String() string {
	if g.reach == 0 {
		return ""
	}
	s := g.format(g.reach)
	if g.stretch > 0 {
		s += " (" + g.format(g.stretch) + ")"
	}
	return s
}

func (g goal) format(v float64) string {
	if g.times {
		return fmt.Sprintf("%.3g x less", v)
	}
	return fmt.Sprintf("%.2f x", v)
}

func (g goal) ratio(quotient float64) string {
	if g.times {
		return g.format(1 / quotient)
	}
	return g.format(quotient)
}

// table prints rows of Markdown as soon as they are known: a run takes minutes.
type table struct {
	w      io.Writer
	failed int
}

func (t *table) head() {
	t.row("work", "against", "theirs", "ours", "ratio", "goal (stretch)", "reached", "checked in this run")
	t.row("---", "---", "---", "---", "---", "---", "---", "---")
}

func (t *table) row(cells ...string) { fmt.Fprintf(t.w, "| %s |\n", strings.Join(cells, " | ")) }

// fail is a row that could not be measured, or whose outputs are not equal: its ratio means nothing.
func (t *table) fail(work, against string, err error) {
	t.failed++
	t.row(work, against, "", "", "", "", "not counted", err.Error())
}

// claim is one figure of a row, with what it is to reach.
type claim struct {
	what   string // "" for CPU time
	figure figure
	unit   string
	goal   goal
}

func (t *table) result(work, against string, p pair, claims []claim, checked string) {
	for _, c := range claims {
		theirs, ours, q := p.medians(c.figure)
		if theirs == 0 {
			continue // this system does not report it
		}
		title := work
		if c.what != "" {
			title += ", " + c.what
		}
		t.row(title, against, amount(theirs, c.unit), amount(ours, c.unit), c.goal.ratio(q), c.goal.String(),
			c.goal.verdict(q), checked)
	}
}

func amount(v float64, unit string) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
