// Package man writes manual pages about the program's commands.
package man

import (
	"fmt"
	"io"
	"strings"
)

// Command is a command as "rollstamp __commands" prints it: with its flags and the commands below it.
type Command struct {
	Path     string // as it is typed: rollstamp argocd render
	Usage    string // the path with its arguments; "" where the command only holds others
	Short    string
	Long     string
	Example  string
	Flags    []Flag
	Commands []Command
}

// Flag is a flag of a command.
type Flag struct {
	Name    string
	Short   string // one letter
	Value   string // the kind of its value, "" for a switch
	Usage   string
	Default string
	Group   string // its heading
	Global  bool   // the commands below take it, too
}

// All returns a command and those below it, each before its own.
func All(c *Command) []*Command {
	out := []*Command{c}
	for i := range c.Commands {
		out = append(out, All(&c.Commands[i])...)
	}
	return out
}

// Source is what the head and the foot of manual pages say of the program.
type Source struct {
	Version string
	Date    string // of the release, as 2026-11-22
}

// Name returns the name of a command's manual page, without its section: rollstamp-argocd-render.
func Name(c *Command) string { return strings.ReplaceAll(c.Path, " ", "-") }

// Write writes the manual page of a command, in roff for section 1. The root is for what all commands take and for
// the list of commands that stand beside it.
func Write(w io.Writer, root, c *Command, from Source) error {
	p := printer{w: w}
	p.printf(".TH \"%s\" 1 \"%s\" \"rollstamp %s\" \"rollstamp\"\n", strings.ToUpper(Name(c)), from.Date, from.Version)
	p.printf(".nh\n.ad l\n.SH NAME\n%s \\- %s\n", roff(Name(c)), roff(c.Short))
	p.printf(".SH SYNOPSIS\n")
	if c.Usage != "" {
		p.printf(".B %s\n", roff(c.Usage))
	}
	if c.Usage != "" && c.Commands != nil {
		p.printf(".br\n")
	}
	if c.Commands != nil {
		p.printf(".B %s [command]\n", roff(c.Path))
	}
	p.text("DESCRIPTION", c.Long, c.Short+".")
	p.commands(c.Commands)
	p.flags(c.Flags, root, c)
	if c.Example != "" {
		p.printf(".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(dedent(c.Example)))
	}
	p.seeAlso(root, c)
	return p.err
}

// text writes a section of paragraphs; indented lines keep their breaks.
func (p *printer) text(title, text, fallback string) {
	if text == "" {
		text = fallback
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

func (p *printer) commands(commands []Command) {
	if len(commands) == 0 {
		return
	}
	p.printf(".SH COMMANDS\n")
	for i := range commands {
		p.printf(".TP\n.BR %s (1)\n%s\n", roff(Name(&commands[i])), roff(commands[i].Short))
	}
}

// flags writes the flags below the headings of their groups.
func (p *printer) flags(flags []Flag, root, c *Command) {
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
			pages = append(pages, "\\fB"+roff(Name(other))+"\\fR(1)")
		}
	}
	if pages != nil {
		p.printf(".SH SEE ALSO\n%s\n", strings.Join(pages, ",\n"))
	}
}

// isParent reports whether other is right below c.
func isParent(c, other *Command) bool {
	for i := range c.Commands {
		if &c.Commands[i] == other {
			return true
		}
	}
	return false
}

// printer writes until something fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func dedent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// roff escapes a text: hyphens are not broken or set as dashes, and no line is a request.
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
