package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diff"
)

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// diffText writes a comparison for a person at a terminal.
func diffText(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	t := text{out: out, style: style}
	a := answerOf(c, style)
	t.line(bold, 0, a.Headline)
	for i, s := range a.Sections {
		if i > 0 || s.Title != a.Headline {
			out.WriteByte('\n')
			t.line(bold, 0, s.Title)
		}
		for i, one := range s.Items {
			if i == maxItems && !style.All {
				t.line("", 2, fmt.Sprintf("and %d more; -v shows all", len(s.Items)-i))
				break
			}
			t.item(s.Part, one)
		}
		if s.Note != "" {
			t.line("", 2, s.Note)
		}
	}
	return nil
}

// text writes one comparison.
type text struct {
	out   *bytes.Buffer
	style Style
}

// line writes a text with an indentation, broken between words where it is wide.
func (t *text) line(color string, indent int, s string) {
	s = visible(strings.TrimRight(s, " "))
	for i, part := range wrap(s, columns-indent) {
		pad := strings.Repeat(" ", indent)
		if i > 0 {
			pad += "  "
		}
		if t.style.Color && color != "" {
			part = color + part + plain
		}
		t.out.WriteString(pad + part + "\n")
	}
}

// item writes one item of a section.
func (t *text) item(in part, one item) {
	head, color := one.name(), ""
	switch {
	case one.Sign == "+":
		color = green
	case one.Sign == "-", in == failures, in == moving, in == blocked, in == guarded:
		color = red
	case in == replaces, in == repeated:
		color = yellow
	}
	if one.Sign != "" {
		head = one.Sign + " " + head
	}
	if len(one.Lines) == 1 && (in == quiet || in == unstable || in == unclear || in == found) && len(one.Names) == 0 {
		t.line(color, 2, head+": "+one.Lines[0].Text)
		t.position(one.Lines[0].At)
		return
	}
	most := maxNames
	if in == changed && one.Sign != "-" || in == failures || in == moving || in == unclear {
		most = maxSame
	}
	if len(one.Names) > 0 && len(one.Lines) == 0 {
		t.line(color, 2, head+": "+t.joinNames(one.Names, most))
		return
	}
	if len(one.Names) > 0 {
		head += ":"
	}
	t.line(color, 2, head)
	indent := 4
	if in == changed {
		indent = 6
	}
	for _, l := range one.Lines {
		if in == failures { // errors are copied, and searched for
			t.out.WriteString(strings.Repeat(" ", indent) + visible(l.Text) + "\n")
			continue
		}
		t.detail(indent, l)
		t.position(l.At)
	}
	if len(one.Names) > 0 {
		t.line("", indent, t.joinNames(one.Names, most))
	}
}

func (t *text) position(at string) {
	if at != "" {
		t.line("", 6, at)
	}
}

// detail writes a line below an item: with its values where that is not too wide, and else the values below it.
func (t *text) detail(indent int, l line) {
	if l.From == nil && l.To == nil {
		if len(l.Hunk) > 0 {
			l.Text += ":"
		}
		t.line("", indent, l.Text)
		t.hunk(indent+2, l.Hunk)
		return
	}
	short, from, to := l.Text+": ", "", ""
	switch {
	case l.From != nil && l.To != nil:
		from, to = briefs(*l.From, *l.To)
		short += from + " -> " + to
	case l.To != nil:
		short += withVerb(l, "added", brief(*l.To))
	default:
		short += withVerb(l, "removed", brief(*l.From))
	}
	if utf8.RuneCountInString(short) <= columns-indent || l.From == nil || l.To == nil {
		t.line("", indent, short)
		return
	}
	t.line("", indent, l.Text+":")
	t.line(red, indent+2, "- "+from)
	t.line(green, indent+2, "+ "+to)
}

// withVerb appends a word to an item of a list, of which the path does not say what became of it.
func withVerb(l line, word, value string) string {
	if strings.HasSuffix(l.Text, " "+word) {
		return value
	}
	return value + " " + word
}

func (t *text) hunk(indent int, lines []string) {
	for i, l := range lines {
		if i == maxHunk && !t.style.All {
			t.line("", indent, fmt.Sprintf("and %d more lines; -v shows all", len(lines)-i))
			return
		}
		color := map[byte]string{'+': green, '-': red}[(l + " ")[0]]
		l = visible(l)
		if r := []rune(l); len(r) > columns-indent && !t.style.All {
			l = string(r[:columns-indent-3]) + "..."
		}
		if t.style.Color && color != "" {
			l = color + l + plain
		}
		t.out.WriteString(strings.Repeat(" ", indent) + strings.TrimRight(l, " ") + "\n")
	}
}

// joinNames joins names, not all where there are many.
func (t *text) joinNames(names []string, most int) string {
	if len(names) <= most || t.style.All {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more; -v shows all", len(names)-most)
}
