package reference

import (
	"fmt"
	"io"
	"strings"
)

// Source is what the head and the foot of manual pages say of the program.
type Source struct {
	Version string
	Date    string // of the release, as 2026-11-22
}

// ManName returns the name of a command's manual page, without its section: rollstamp-argocd-render.
func ManName(c *Command) string { return strings.ReplaceAll(c.Path, " ", "-") }

// WriteMan writes the manual page of a command, in roff for section 1. The root is for what all commands take and for
// the list of commands that stand beside it.
func WriteMan(w io.Writer, root, c *Command, from Source) error {
	p := printer{w: w}
	p.printf(".TH \"%s\" 1 \"%s\" \"rollstamp %s\" \"rollstamp\"\n", strings.ToUpper(ManName(c)), from.Date, from.Version)
	p.printf(".nh\n.ad l\n.SH NAME\n%s \\- %s\n", roff(ManName(c)), roff(c.Short))
	p.printf(".SH SYNOPSIS\n")
	if c.Usage != "" {
		p.printf(".B %s\n", roff(c.Usage))
	}
	if c.Commands != nil {
		p.printf(".br\n.B %s [command]\n", roff(c.Path))
	}
	p.manText("DESCRIPTION", c.Long, c.Short+".")
	p.manCommands(c.Commands)
	p.manFlags(c.Flags, root, c)
	if c.Example != "" {
		p.printf(".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(dedent(c.Example)))
	}
	p.seeAlso(root, c)
	return p.err
}

// manText writes a section of paragraphs; indented lines keep their breaks.
func (p *printer) manText(title, text, otherwise string) {
	if text == "" {
		text = otherwise
	}
	p.printf(".SH %s\n", title)
	code := false
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		switch {
		case indented && !code:
			p.printf(".RS 4\n.nf\n")
		case !indented && code:
			p.printf(".fi\n.RE\n")
		}
		code = indented
		switch {
		case line == "":
			p.printf(".PP\n")
		default:
			p.printf("%s\n", roff(strings.TrimLeft(line, "\t #")))
		}
	}
	if code {
		p.printf(".fi\n.RE\n")
	}
}

func (p *printer) manCommands(commands []Command) {
	if len(commands) == 0 {
		return
	}
	p.printf(".SH COMMANDS\n")
	for i := range commands {
		p.printf(".TP\n.BR %s (1)\n%s\n", roff(ManName(&commands[i])), roff(commands[i].Short))
	}
}

// manFlags writes the flags below the headings of their groups.
func (p *printer) manFlags(flags []Flag, root, c *Command) {
	if c != root {
		for _, f := range root.Flags {
			if f.Global {
				flags = append(flags[:len(flags):len(flags)], f)
			}
		}
	}
	if len(flags) == 0 {
		return
	}
	p.printf(".SH OPTIONS\n")
	group := ""
	for _, f := range flags {
		if f.Group != group {
			group = f.Group
			p.printf(".SS %s\n", roff(group))
		}
		name := "\\-\\-" + roff(f.Name)
		if f.Short != "" {
			name = "\\-" + f.Short + ", " + name
		}
		p.printf(".TP\n\\fB%s\\fR", name)
		if f.Value != "" {
			p.printf(" \\fI%s\\fR", roff(f.Value))
		}
		usage := f.Usage
		if f.Default != "" {
			usage += fmt.Sprintf(" (default %s)", f.Default)
		}
		p.printf("\n%s\n", roff(usage))
	}
}

func (p *printer) seeAlso(root, c *Command) {
	var pages []string
	for _, other := range All(root) {
		if other != c && (isParent(other, c) || isParent(c, other)) {
			pages = append(pages, "\\fB"+roff(ManName(other))+"\\fR(1)")
		}
	}
	if pages != nil {
		p.printf(".SH SEE ALSO\n%s\n", strings.Join(pages, ",\n"))
	}
}

func isParent(c, other *Command) bool {
	for i := range c.Commands {
		if &c.Commands[i] == other {
			return true
		}
	}
	return false
}

// roff returns a text that stands for itself: hyphens are not broken or set as dashes, and no line is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "\\(ga").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
