package main

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// noteAdopted says that an application is adopted already, and of how many references with other digests than today's.
func (p *program) noteAdopted(s *subject, already map[consumed]bool) {
	now, others := s.digests(), []string{}
	for of, held := range already {
		if len(now.all[of]) > 0 && !held {
			others = append(others, of.workload+"#"+of.object)
		}
	}
	if len(others) == 0 {
		p.say("%s is adopted already: name the workloads that are to be adopted once more", s.Name())
		return
	}
	slices.Sort(others)
	first := others[0]
	if more := len(others) - 1; more > 0 {
		first += fmt.Sprintf(" and %d more", more)
	}
	fmt.Fprintf(p.err, "note: %s is adopted already, with another digest than today's for %s: changed since, or adopted for "+
		"another application of this name\n", s.Name(), first)
}

// adoptedIn returns what lines adopt of an application, and whether one holds today's digest.
func (s *subject) adoptedIn(lines []aboutLine) map[consumed]bool {
	out := map[consumed]bool{}
	for _, line := range lines {
		if line.Class == lock.Adopted {
			out[line.of] = false
		}
	}
	for i := range s.Holds {
		of := consumedBy(s.Plan, &s.Holds[i])
		if _, is := out[of]; is && s.Holds[i].Held == plan.Adopted {
			out[of] = true
		}
	}
	return out
}
