package main

import (
	"fmt"
	"io"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/report"
)

// progress is a line on a terminal that counts applications. Its zero value shows nothing.
type progress struct {
	w     io.Writer
	total int
}

// progress returns a line for a run over so many applications, where there is more than one and somebody to read it.
func (p *program) progress(total int) progress {
	if total < 2 || !terminal(p.err) {
		return progress{}
	}
	return progress{w: p.err, total: total}
}

func (l progress) show(done int) {
	if l.w != nil {
		fmt.Fprintf(l.w, "\rrendered %d of %d", done, l.total)
	}
}

func (l progress) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}

// maxAlike is how many findings of one kind a person is shown unasked.
const maxAlike = 20

// style reports how findings are to look on standard error.
func (p *program) style() report.Style {
	noColor, _ := p.env(config.EnvNoColor)
	style := report.Style{Least: diag.Warning, Most: maxAlike, Color: noColor == "" && terminal(p.err)}
	if p.verbose {
		style.Least, style.Hints, style.Most = diag.Info, true, 0
	}
	return style
}
