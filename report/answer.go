package report

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diff"
)

// answer is a comparison as all reports show it: what is in one of them is in all of them.
type answer struct {
	Headline string    `json:"headline"`
	Sides    []string  `json:"sides"`
	Facts    []string  `json:"facts"`
	Sections []section `json:"sections"` // those that hold something, the most urgent first
}

// answerOf returns the answer that a comparison is.
func answerOf(c *diff.Comparison, style Style) answer {
	return answerWith(c, style, objectSection(c, style))
}

// answerWith returns the answer that a comparison is, with this section of its objects.
func answerWith(c *diff.Comparison, style Style, objects section) answer {
	a := answer{Headline: Verdict(c), Sides: []string{c.From, c.To}, Facts: factsOf(c), Sections: []section{}}
	for _, s := range []section{
		protectedSection(c), movingSection(c), blockedSection(c), repeatedSection(c),
		restartSection(groups[0], c), restartSection(groups[1], c),
		restartSection(groups[2], c), staleSection(c), unknownSection(c), quietSection(c), objects,
		findingSection(c, style), unstableSection(c), failureSection(c, style),
	} {
		if len(s.Items) == 0 && s.Note == "" && s.Part != changed {
			continue
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}

// factsOf returns figures about a comparison.
func factsOf(c *diff.Comparison) []string {
	out := []string{}
	if c.Shard != nil {
		out = append(out, fmt.Sprintf("part %d of %d", c.Shard.Number, c.Shard.Of))
	}
	if len(c.Apps) > 1 {
		changed := 0
		for _, a := range c.Apps {
			if a.Status != diff.Same && a.Status != diff.Failed {
				changed++
			}
		}
		out = append(out, fmt.Sprintf("%d of %d applications change", changed, len(c.Apps)))
	}
	if len(c.Quiet) > 0 {
		out = append(out, fmt.Sprintf("configuration that restarts nothing: %d", len(c.Quiet)))
	}
	return out
}
