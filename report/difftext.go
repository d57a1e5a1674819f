package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/hashing"
)

// maxFields is how many fields of an object are shown, where not all are.
const maxFields = 8

// diffText writes a comparison for a person at a terminal: what restarts, what restarts without need, what changes and
// restarts nothing, and the objects.
func diffText(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	t := text{out: out, style: style, many: len(c.Apps) > 1}
	for _, a := range c.Apps {
		for _, p := range a.Problems {
			t.section("")
			t.line(red, "%s could not be rendered (%s):", or(a.Name, "."), side(p.Side, c))
			t.line("", "  %s", p.Error)
			if p.Hint != "" {
				t.line("", "  hint: %s", p.Hint)
			}
		}
	}
	for _, g := range groups {
		t.restarts(g, c.Restarts)
	}
	t.quiet(c.Quiet)
	t.objects(c.Objects)
	if !c.Differs() && !c.Failed() {
		t.line("", "nothing differs")
	}
	return nil
}

// text writes one comparison.
type text struct {
	out   *bytes.Buffer
	style Style
	many  bool // there are several applications
}

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

func (t *text) line(color, format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if t.style.Color && color != "" {
		line = color + line + plain
	}
	t.out.WriteString(line + "\n")
}

func (t *text) section(title string) {
	if t.out.Len() > 0 {
		t.out.WriteByte('\n')
	}
	if title != "" {
		t.line(bold, "%s", title)
	}
}

func (t *text) restarts(g group, all []diff.Restart) {
	list, title := g.of(all)
	if len(list) == 0 {
		return
	}
	t.section(title)
	for _, r := range list {
		head := "  " + r.Name.String()
		if t.many && r.App != "" {
			head += " of " + r.App
		}
		if effect := Effect(r.Rollout); effect != "" {
			head += " (" + effect + ")"
		}
		color := yellow
		if r.Noise {
			color = ""
		}
		t.line(color, "%s", head)
		for _, c := range shown(r) {
			t.cause(c)
		}
	}
}

func (t *text) cause(c diff.Cause) {
	t.line("", "    %s", CauseText(c))
	if at := (diag.Position{File: c.File, Line: c.Line}).String(); at != "" && c.Noise {
		t.line("", "      %s", at)
	}
}

func (t *text) quiet(all []diff.Quiet) {
	if len(all) == 0 {
		return
	}
	t.section("Configuration that changes and restarts nothing")
	for _, q := range all {
		t.line("", "  %s", quietOf(q, t.many))
	}
}

func (t *text) objects(all []diff.ObjectChange) {
	if len(all) == 0 {
		return
	}
	t.section("Objects: " + tally(all))
	for _, o := range all {
		t.object(o)
	}
}

func (t *text) object(o diff.ObjectChange) {
	sign, color := "~", ""
	switch o.Change {
	case diff.Addition:
		sign, color = "+", green
	case diff.Removal:
		sign, color = "-", red
	}
	head := sign + " " + o.Name.String()
	if o.Was != "" {
		head += " (was " + o.Was + ")"
	}
	if t.many && o.App != "" {
		head += " of " + o.App
	}
	t.line(color, "  %s", head)
	fields := o.Fields
	if !t.style.All { // the stamps follow from the causes above
		fields = slices.DeleteFunc(slices.Clone(fields), func(f diff.FieldChange) bool {
			return strings.Contains(f.Path, hashing.Prefix)
		})
	}
	if len(fields) == 0 && len(o.Fields) > 0 {
		t.line("", "      its stamps")
	}
	for i, f := range fields {
		if i == maxFields && !t.style.All {
			t.line("", "      and %d more; -v shows all", len(fields)-i)
			break
		}
		t.line("", "      %s", FieldText(f))
	}
}
