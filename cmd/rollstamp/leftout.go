package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

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
	p.leftOut.add(err)
}

// leftOut are why files were left out, each once: both sides of a comparison may have one.
type leftOut struct {
	mu   sync.Mutex
	errs []error
}

func (l *leftOut) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.errs, func(other error) bool { return other.Error() == err.Error() }) {
		l.errs = append(l.errs, err)
	}
}

// reportLeftOut names the first files that were not read, and says how many more there are.
func (p *program) reportLeftOut() {
	const most = 5
	for i, err := range p.leftOut.errs {
		if i == most && len(p.leftOut.errs) > most+1 {
			fmt.Fprintf(p.err, "%d more files were left out; -v names them\n", len(p.leftOut.errs)-most)
			return
		}
		fmt.Fprintf(p.err, "%v: left out\n", err)
	}
}
