package main

import (
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// leaveOut notes why a file of a folder is not read. A template of a chart, which is no manifest yet, is named with -v
// only.
func (p *program) leaveOut(system files.System, err error) {
	var known *diag.Error
	if p.verbose || errors.As(err, &known) && typed.IsTemplate(system, known.Pos.File) {
		p.say("%v: left out", err)
		return
	}
	p.leftOut = append(p.leftOut, err)
}

// reportLeftOut names the first files that were not read, and says how many more there are.
func (p *program) reportLeftOut() {
	const most = 5
	for i, err := range p.leftOut {
		if i == most && len(p.leftOut) > most+1 {
			fmt.Fprintf(p.err, "%d more files were left out; -v names them\n", len(p.leftOut)-most)
			return
		}
		fmt.Fprintf(p.err, "%v: left out\n", err)
	}
}
