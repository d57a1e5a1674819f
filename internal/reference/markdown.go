package reference

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes the page of a command and of those below it. The flags of settings, which many commands share,
// are named with a link to settings, the page that explains them.
func WriteMarkdown(w io.Writer, root *Command, settings string) error {
	p := printer{w: w}
	p.printf("# Commands\n\n<!-- made by make docs from the help of the commands -->\n\n")
	p.printf("| command | what it does |\n|---|---|\n")
	for _, c := range All(root) {
		if c.Usage != "" {
			p.printf("| [`%s`](#%s) | %s |\n", c.Path, anchor(c.Path), escape(c.Short))
		}
	}
	for _, c := range All(root) {
		p.section(c, settings)
	}
	return p.err
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

func (p *printer) section(c *Command, settings string) {
	p.printf("\n## %s\n\n", c.Path)
	if c.Usage != "" {
		p.printf("```text\n%s\n```\n\n", c.Usage)
	}
	p.printf("%s\n", paragraphs(c.Long, c.Short))
	if c.Example != "" {
		p.printf("\n```sh\n%s\n```\n", dedent(c.Example))
	}
	p.flags(c.Flags)
	var shared []string
	for _, f := range c.Flags {
		if f.Setting != "" {
			shared = append(shared, "`--"+f.Name+"`")
		}
	}
	if shared != nil {
		slices.Sort(shared)
		p.printf("\nFlags of [settings](%s): %s.\n", settings, strings.Join(shared, ", "))
	}
}

// flags writes the table of the flags that are no settings.
func (p *printer) flags(flags []Flag) {
	begun := false
	for _, f := range flags {
		if f.Setting != "" {
			continue
		}
		if !begun {
			p.printf("\n| flag | meaning |\n|---|---|\n")
			begun = true
		}
		name, usage := "--"+f.Name, escape(f.Usage)
		if f.Short != "" {
			name = "-" + f.Short + ", " + name
		}
		if f.Value != "" {
			name += " " + f.Value
		}
		if f.Default != "" {
			usage += " (default `" + f.Default + "`)"
		}
		if f.Global {
			usage += "; all commands take it"
		}
		p.printf("| `%s` | %s |\n", name, usage)
	}
}

// paragraphs returns a text of help as Markdown; indented lines are code there, too.
func paragraphs(long, short string) string {
	if long == "" {
		return escape(short) + "."
	}
	lines := strings.Split(strings.TrimRight(long, "\n"), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
			lines[i] = escape(line)
		}
	}
	return strings.Join(lines, "\n")
}

// escape returns a text that stands for itself in Markdown, in cells of tables too.
func escape(text string) string {
	return strings.NewReplacer("*", `\*`, "|", `\|`, "<", "&lt;", "`", "\\`", "[", `\[`).Replace(text)
}

func dedent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// anchor returns the anchor of a heading that is a command's path.
func anchor(path string) string { return strings.ReplaceAll(path, " ", "-") }
