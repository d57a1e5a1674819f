package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// Join makes one comparison of the parts of a run that was divided by applications. It is what one run over all of
// them would have returned.
func Join(parts []*Comparison) (*Comparison, error) {
	if len(parts) == 0 {
		return nil, diag.Usage(fmt.Errorf("join comparisons: there is none"), "")
	}
	first := parts[0]
	all := &Comparison{Schema: Schema, From: first.From, To: first.To, Apps: []AppChange{}, Restarts: []Restart{},
		Quiet:   []Quiet{},
		Objects: []ObjectChange{}, Edges: []Edge{}, Findings: []diag.Finding{}}
	seen := map[string]bool{}
	for _, p := range parts {
		if p.From != all.From || p.To != all.To {
			return nil, diag.Usage(fmt.Errorf("join comparisons: one is of %s and %s, another of %s and %s", all.From, all.To,
				p.From, p.To),
				"Join the parts of one run.")
		}
		for _, a := range p.Apps {
			if seen[a.Name] {
				return nil, diag.Usage(fmt.Errorf("join comparisons: application %s is in two of them", a.Name),
					"Set a different --shard for each part.")
			}
			seen[a.Name] = true
		}
		all.Apps = append(all.Apps, p.Apps...)
		all.Restarts = append(all.Restarts, p.Restarts...)
		all.Quiet = append(all.Quiet, p.Quiet...)
		all.Objects = append(all.Objects, p.Objects...)
		all.Edges = append(all.Edges, p.Edges...)
		all.Findings = append(all.Findings, p.Findings...)
	}
	slices.SortFunc(all.Apps, func(a, b AppChange) int { return cmp.Compare(a.Name, b.Name) })
	all.sort()
	return all, nil
}
