package main

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/report"
)

// maxAlike is how many findings of one kind a person is shown unasked.
const maxAlike = 20

// style returns how findings are to look on standard error.
func (p *program) style() report.Style {
	noColor, _ := p.env(config.EnvNoColor)
	style := report.Style{Least: diag.Warning, Most: maxAlike, Color: noColor == "" && terminal(p.err)}
	if p.verbose {
		style.Least, style.Hints, style.Most = diag.Info, true, 0
	}
	return style
}

// resultStyle returns how a report is to look on standard output.
func (p *program) resultStyle() report.Style {
	style := p.style()
	style.Color = style.Color && terminal(p.out)
	style.All, style.Version = p.verbose, release
	return style
}
