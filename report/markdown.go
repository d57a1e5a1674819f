package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// MaxMarkdown is how long a comment on GitHub may be, in characters. GitLab takes more.
const MaxMarkdown = 65536

// diffMarkdown writes a comparison as a comment for a pull request: the restarts in sight, everything else folded,
// never longer than MaxMarkdown. What does not fit is counted.
func diffMarkdown(out *bytes.Buffer, c *diff.Comparison, _ Style) error {
	m := markdown{out: out, limit: MaxMarkdown - 512, many: len(c.Apps) > 1}
	m.headline(c)
	m.problems(c)
	for _, g := range groups {
		list, title := g.of(c.Restarts)
		m.restarts(list, title, g.part == replaces)
	}
	m.picture(c)
	m.quiet(c.Quiet)
	m.objects(c.Objects)
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
	many  bool
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

func (m *markdown) headline(c *diff.Comparison) {
	noise := 0
	for _, r := range c.Restarts {
		if partOf(r) == noisy {
			noise++
		}
	}
	m.put("### rollstamp: %s\n\n", Verdict(c))
	m.put("`%s` → `%s`", c.From, c.To)
	if len(c.Apps) > 1 {
		changed := 0
		for _, a := range c.Apps {
			if a.Status != diff.Same {
				changed++
			}
		}
		m.put(" · %d of %d applications change", changed, len(c.Apps))
	}
	if noise > 0 {
		m.put(" · restarts without a change of meaning: %d", noise)
	}
	if len(c.Quiet) > 0 {
		m.put(" · configuration that restarts nothing: %d", len(c.Quiet))
	}
	m.put("\n")
}

func (m *markdown) problems(c *diff.Comparison) {
	for _, a := range c.Apps {
		for _, p := range a.Problems {
			m.put("\n> [!CAUTION]\n> %s could not be rendered (%s):\n> %s\n",
				code(or(a.Name, ".")), code(side(p.Side, c)), escape(oneLine(p.Error)))
		}
	}
}

func (m *markdown) restarts(list []diff.Restart, title string, open bool) {
	if len(list) == 0 {
		return
	}
	const inSight = 15
	folded := !open || len(list) > inSight
	if folded {
		unfolded := map[bool]string{true: " open"}[open && len(list) <= 3*inSight]
		m.put("\n<details%s><summary><b>%s</b></summary>\n\n", unfolded, title)
	} else {
		m.put("\n**%s**\n\n", title)
	}
	m.put("| workload | why |\n|---|---|\n")
	for _, r := range list {
		name := "**" + escape(r.Kind) + "** " + code(strings.TrimPrefix(r.Name.String(), r.Kind+" "))
		if m.many && r.App != "" {
			name += "<br><sub>" + escape(r.App) + "</sub>"
		}
		if effect := Effect(r.Rollout); effect != "" {
			name += "<br><sub>" + escape(effect) + "</sub>"
		}
		var why []string
		causes := shown(r)
		for i, c := range causes {
			if i == maxFields {
				why = append(why, fmt.Sprintf("and %d more", len(causes)-i))
				break
			}
			line := escape(oneLine(CauseText(c)))
			if at := (diag.Position{File: c.File, Line: c.Line}).String(); at != "" && c.Noise && c.File != "" {
				line += " <sub>" + escape(at) + "</sub>"
			}
			why = append(why, line)
		}
		m.put("| %s | %s |\n", name, strings.Join(why, "<br>"))
	}
	if folded {
		m.out.WriteString("\n</details>\n")
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

func (m *markdown) quiet(all []diff.Quiet) {
	if len(all) == 0 {
		return
	}
	m.put("\n<details><summary>Configuration that changes and restarts nothing (%d)</summary>\n\n", len(all))
	for _, q := range all {
		m.put("- %s\n", escape(quietOf(q, m.many)))
	}
	m.out.WriteString("\n</details>\n")
}

func (m *markdown) objects(all []diff.ObjectChange) {
	if len(all) == 0 {
		return
	}
	m.put("\n<details><summary>Objects: %s</summary>\n\n", tally(all))
	for _, o := range all {
		var t bytes.Buffer
		view := text{out: &t, many: m.many}
		view.object(o)
		lines := strings.Split(strings.TrimRight(t.String(), "\n"), "\n")
		if len(lines) == 1 {
			m.put("- %s\n", code(strings.TrimSpace(lines[0])))
			continue
		}
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "  ")
		}
		m.put("```diff\n%s\n```\n", strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''"))
	}
	m.out.WriteString("\n</details>\n")
}

// code shows a text as it is, in a line.
func code(s string) string {
	s = oneLine(s)
	if !strings.Contains(s, "`") {
		return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
	}
	return escape(s)
}

// escape makes a text one that Markdown shows as it is.
func escape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;",
		"[", "\\[", "]", "\\]", "|", "\\|", "#", "\\#", "@", "&#64;", "~", "\\~").
		Replace(s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
