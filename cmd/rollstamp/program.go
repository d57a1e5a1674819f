package main

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/wiring"
)

// program is what the commands share for one run.
type program struct {
	streams
	env        config.Env
	wiring     *wiring.Wiring
	verbose    bool // -v
	begun      bool // the command line was understood; what fails now is not the user's wording
	args       []string
	words      []string             // of args, those that may name a command that is not built yet
	serving    func(*plugin.Served) // in a worker: called instead of serving
	supervised *supervised          // reports what the run works on; nil where nobody watches
	kept       []byte               // standard input, for the processes that this one watches; nil where none reads it
	leftOut    *leftOut             // why files of folders were not read
	ends       []func()             // what is to be closed when the run ends
	exit       diag.Exit            // what a run without error ends with: findings may have reached --fail-on
}

// say prints a line with -v.
func (p *program) say(format string, args ...any) {
	if p.verbose {
		fmt.Fprintf(p.err, format+"\n", args...)
	}
}

// atEnd has something closed when the run ends.
func (p *program) atEnd(end func()) { p.ends = append(p.ends, end) }

// end closes what atEnd registered, the last first, and names what was left out.
func (p *program) end() {
	p.reportLeftOut()
	for _, end := range slices.Backward(p.ends) {
		end()
	}
}
