package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// MaxMarkdown is how long a comment on GitHub may be, in characters. GitLab takes more.
const MaxMarkdown = 65536

// inSight is how many items of a section are shown without a click.
const inSight = 15

// diffMarkdown writes a comparison as a comment for a pull request: what is urgent in sight, everything else folded,
// never longer than MaxMarkdown. What does not fit is counted.
func diffMarkdown(out *bytes.Buffer, c *diff.Comparison, style Style) error {
	m := markdown{out: out, limit: MaxMarkdown - 512}
	a := answerOf(c, style)
	m.put("### rollstamp: %s\n\n`%s` → `%s`", escape(a.Headline), a.Sides[0], a.Sides[1])
	for _, fact := range a.Facts {
		m.put(" · %s", fact)
	}
	m.put("\n")
	drawn := false
	for _, s := range a.Sections {
		if !drawn && !slices.Contains([]part{guarded, moving, blocked, repeated, replaces, noisy, still, outdated}, s.Part) {
			m.picture(c)
			drawn = true
		}
		m.section(s)
	}
	if !drawn {
		m.picture(c)
	}
	if m.left > 0 {
		fmt.Fprintf(out, "\n*%d more lines did not fit here; `rollstamp diff` shows all of them.*\n", m.left)
	}
	return nil
}

// markdown writes until its limit is reached.
type markdown struct {
	out   *bytes.Buffer
	limit int // bytes
	left  int // lines that did not fit
}

// put writes a text whole, or not at all. It counts characters as GitHub does.
func (m *markdown) put(format string, args ...any) bool {
	text := fmt.Sprintf(format, args...)
	if m.out.Len()+len(text) > m.limit {
		m.left += strings.Count(strings.TrimSpace(text), "\n") + 1
		return false
	}
	m.out.WriteString(text)
	return true
}

// section writes a section: what is urgent open, where it is not long.
func (m *markdown) section(s section) {
	open := slices.Contains([]part{guarded, moving, blocked, repeated, replaces, outdated, unclear}, s.Part)
	folded := !open || len(s.Items) > inSight
	switch {
	case folded:
		title := escape(s.Title)
		if s.Part != changed && s.Part != quiet && strings.IndexByte("0123456789", s.Title[0]) < 0 {
			title += fmt.Sprintf(" (%d)", len(s.Items))
		}
		unfolded := map[bool]string{true: " open"}[open && len(s.Items) <= 3*inSight]
		if !m.put("\n<details%s><summary><b>%s</b></summary>\n\n", unfolded, title) {
			return
		}
	default:
		if !m.put("\n**%s**\n\n", escape(s.Title)) {
			return
		}
	}
	switch s.Part {
	case repeated, replaces, noisy, still:
		m.table(s.Items)
	case changed:
		m.fence(s.Items)
	default:
		m.list(s.Items)
	}
	if s.Note != "" {
		m.put("\n%s\n", escape(s.Note))
	}
	if folded {
		m.out.WriteString("\n</details>\n")
	}
}

// table writes workloads with their causes.
func (m *markdown) table(items []item) {
	m.put("| workload | why |\n|---|---|\n")
	for _, one := range items {
		kind, name, named := strings.Cut(one.Head, " ")
		head := "**" + escape(kind) + "** " + code(name)
		if len(one.Names) > 0 || !named {
			head = "**" + escape(one.Head) + "**"
		}
		if one.App != "" {
			head += "<br><sub>" + escape(one.App) + "</sub>"
		}
		if len(one.Notes) > 0 {
			head += "<br><sub>" + escape(join(one.Notes)) + "</sub>"
		}
		if n := len(one.Names); n > 0 {
			head += "<br><sub>" + escape(joinSome(one.Names, maxNames)) + "</sub>"
		}
		why := make([]string, 0, len(one.Lines))
		for _, l := range one.Lines {
			text := escape(oneLine(l.Text))
			if l.At != "" {
				text += " <sub>" + escape(l.At) + "</sub>"
			}
			why = append(why, text)
		}
		m.put("| %s | %s |\n", head, strings.Join(why, "<br>"))
	}
}

// list writes items with their lines.
func (m *markdown) list(items []item) {
	for _, one := range items {
		text := escape(oneLine(one.name()))
		if len(one.Lines) == 1 {
			text += ": " + escape(oneLine(one.Lines[0].Text)) + position(one.Lines[0].At)
		}
		if len(one.Names) > 0 {
			text += ": " + escape(oneLine(joinSome(one.Names, maxNames)))
		}
		text = "- " + text + "\n"
		if len(one.Lines) > 1 {
			for _, l := range one.Lines {
				text += "  - " + escape(oneLine(l.Text)) + position(l.At) + "\n"
			}
		}
		m.put("%s", text)
	}
}

func position(at string) string {
	if at == "" {
		return ""
	}
	return " <sub>" + escape(at) + "</sub>"
}

// fence writes objects as a diff, whose lines a code host colours.
func (m *markdown) fence(items []item) {
	if !m.put("```diff\n") {
		return
	}
	for _, one := range items {
		var text strings.Builder
		head := visible(oneLine(one.name()))
		if one.Sign == "~" {
			head = "@@ " + head + " @@"
		} else {
			head = one.Sign + " " + head
		}
		text.WriteString(head + "\n")
		for _, l := range one.Lines {
			fence(&text, l)
		}
		if len(one.Names) > 0 {
			most := maxSame
			if one.Sign == "-" {
				most = maxNames
			}
			for _, l := range wrap(visible(oneLine(joinSome(one.Names, most))), columns) {
				text.WriteString("  " + l + "\n")
			}
		}
		m.put("%s", strings.ReplaceAll(text.String(), "```", "'''"))
	}
	m.out.WriteString("```\n")
}

func fence(text *strings.Builder, l line) {
	path := visible(oneLine(strings.TrimSuffix(strings.TrimSuffix(l.Text, " added"), " removed")))
	if l.From == nil && l.To == nil {
		text.WriteString("  " + visible(oneLine(l.Text)) + "\n")
	}
	switch {
	case l.From != nil && l.To != nil:
		from, to := briefs(*l.From, *l.To)
		text.WriteString("- " + path + ": " + visible(from) + "\n+ " + path + ": " + visible(to) + "\n")
	case l.From != nil:
		text.WriteString("- " + path + ": " + visible(brief(*l.From)) + "\n")
	case l.To != nil:
		text.WriteString("+ " + path + ": " + visible(brief(*l.To)) + "\n")
	}
	for i, h := range l.Hunk {
		if i == maxHunk {
			fmt.Fprintf(text, "  and %d more lines\n", len(l.Hunk)-i)
			break
		}
		text.WriteString(visible(h) + "\n")
	}
}

// largest is how many edges a picture may have and still be read.
const largest = 30

// picture draws what configuration restarts what.
func (m *markdown) picture(c *diff.Comparison) {
	var edges []diff.Edge
	for _, e := range c.Edges {
		if e.Restarts {
			edges = append(edges, e)
		}
	}
	if len(edges) == 0 || len(edges) > largest {
		return
	}
	m.put("\n<details><summary>What restarts what</summary>\n\n```mermaid\n%s```\n\n</details>\n", mermaid(edges))
}

// code shows a text as it is, in a line.
func code(s string) string {
	s = visible(oneLine(s))
	if !strings.Contains(s, "`") {
		return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
	}
	return escape(s)
}

// escape makes a text one that Markdown shows as it is.
func escape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;",
		"[", "\\[", "]", "\\]", "|", "\\|", "#", "\\#", "@", "&#64;", "~", "\\~").
		Replace(visible(s))
}
