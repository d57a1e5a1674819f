package main

import "fmt"

// closeRenders ends the use of caches of renders. Where one could not be written to, the run was as without it.
func (p *program) closeRenders() {
	for _, c := range p.wiring.CloseRenders() {
		p.say("render cache %s: %d found, %d rendered", c.Dir, c.Counts.Hits, c.Counts.Misses)
		if c.Damaged {
			fmt.Fprintf(p.err, "note: an entry of the render cache %s was damaged, and is made again\n", c.Dir)
		}
		if c.Err != nil {
			fmt.Fprintf(p.err, "note: nothing more is written to the render cache %s, and what is not found there is "+
				"rendered: %v\n", c.Dir, c.Err)
		}
	}
}
