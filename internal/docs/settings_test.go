package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

var update = flag.Bool("update", false, "write the tables of the pages")

// generated returns what a page must hold between its markers, by the name of the table.
func generated() map[string]string {
	return map[string]string{
		"settings": settingsTable(), "policy": policyTable(), "variables": variablesTable(),
		"example": "```yaml\n" + config.Example() + "```\n",
	}
}

// settingsTable lists what the configuration file, flags and variables set.
func settingsTable() string {
	var out strings.Builder
	out.WriteString("| setting | flag | variable | default | meaning |\n|---|---|---|---|---|\n")
	for _, r := range config.Table() {
		if r.In&config.InFile == 0 && r.Flag == "" {
			continue
		}
		name := r.Name
		if r.In&config.InFile == 0 {
			name = ""
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n",
			code(name), flagOf(&r), variablesOf(&r), code(r.Default()), meaning(&r))
	}
	return out.String()
}

// policyTable lists the fields of the operator's policy file.
func policyTable() string {
	var out strings.Builder
	out.WriteString("| field | meaning |\n|---|---|\n")
	for _, r := range config.Table() {
		if r.In&config.InPolicy != 0 {
			fmt.Fprintf(&out, "| `%s` | %s |\n", r.Name, meaning(&r))
		}
	}
	return out.String()
}

// variablesTable lists the variables that are read.
func variablesTable() string {
	var out strings.Builder
	out.WriteString("| variable | meaning |\n|---|---|\n")
	for _, v := range config.Vars() {
		fmt.Fprintf(&out, "| `%s` | %s |\n", v.Name, cell(v.Meaning))
	}
	return out.String()
}

func flagOf(r *config.Row) string {
	switch {
	case r.Flag == "":
		return ""
	case r.Short != "":
		return code("-" + r.Short + ", --" + r.Flag)
	}
	return code("--" + r.Flag)
}

func variablesOf(r *config.Row) string {
	var names []string
	for _, v := range r.Env {
		names = append(names, code(v.Name))
	}
	return strings.Join(names, ", ")
}

// meaning returns what a row means, with the words that it takes; that of a mere flag is its help.
func meaning(r *config.Row) string {
	text := r.About
	if text == "" {
		text = strings.ToUpper(r.Usage[:1]) + r.Usage[1:] + "."
	}
	if choices := r.Choices(); choices != nil {
		text += " One of `" + strings.Join(choices, "`, `") + "`."
	}
	return cell(text)
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// cell returns a text as the cell of a table: stars and bars stand for themselves.
func cell(text string) string { return strings.NewReplacer("*", "\\*", "|", "\\|").Replace(text) }

func TestThePageOfSettingsShowsTheTable(t *testing.T) {
	const name = "docs/settings.md"
	text := page(t, name)
	for table, want := range generated() {
		begin, end := "<!-- table: "+table+" -->\n", "<!-- end: "+table+" -->\n"
		head, rest, ok := strings.Cut(text, begin)
		got, tail, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no markers of the table %q", name, table)
		}
		if got != want {
			text = head + begin + want + end + tail
			if !*update {
				t.Errorf("the table %q of %s is not the program's: run make docs", table, name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryFlagOfASettingIsInHelp(t *testing.T) {
	help := run(t, program, "render", "--help")
	for _, r := range config.Table() {
		if r.Flag != "" && !strings.Contains(help, "--"+r.Flag) {
			t.Errorf("rollstamp render --help lacks --%s", r.Flag)
		}
		if r.Flag != "" && r.Group == "" {
			t.Errorf("--%s is in no group", r.Flag)
		}
	}
}
