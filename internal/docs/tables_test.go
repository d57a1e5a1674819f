package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

// requirements reads go.mod: which modules it requires, and which of them directly.
func requirements(t *testing.T) map[string]bool {
	t.Helper()
	direct := map[string]bool{}
	line := regexp.MustCompile(`(?m)^\t(\S+) v\S+( // indirect)?$`)
	for _, m := range line.FindAllStringSubmatch(page(t, "go.mod"), -1) {
		direct[m[1]] = m[2] == ""
	}
	return direct
}

func TestEveryDirectRequirementHasALine(t *testing.T) {
	listed := map[string]bool{}
	before, rest, _ := strings.Cut(page(t, "docs/dependencies.md"), "## Measured, and left out\n")
	_, after, ok := strings.Cut(rest, "\n## ")
	if !ok {
		t.Error("docs/dependencies.md has no section of what was left out, with one after it")
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(before+after, -1) {
		listed[m[1]] = true
	}
	required := requirements(t)
	for module, direct := range required {
		if direct && !listed[module] {
			t.Errorf("docs/dependencies.md has no line for %s", module)
		}
	}
	// A program of a module of its own: its library is listed beside those of the other programs.
	helm4 := page(t, "cmd/rollstamp-helm4/go.mod")
	for module := range listed {
		if _, ok := required[module]; !ok && !strings.Contains(helm4, "\t"+module+" v") {
			t.Errorf("docs/dependencies.md has a line for %s, which go.mod does not require", module)
		}
	}
}

// usedModules returns which of the modules that go.mod requires directly the two programs import.
func usedModules(t *testing.T, direct map[string]bool) map[string]bool {
	t.Helper()
	format := `{{if and .Module .Module.Main}}{{range .Imports}}{{.}}{{"\n"}}{{end}}{{end}}`
	used := map[string]bool{}
	for path := range strings.FieldsSeq(run(t, "go", "list", "-deps", "-f", format, "./cmd/...")) {
		longest := ""
		for module := range direct {
			if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(longest) {
				longest = module
			}
		}
		used[longest] = true
	}
	return used
}

func TestWhatIsForTestsOnlyIsSaidToBe(t *testing.T) {
	direct := requirements(t)
	used := usedModules(t, direct)
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (tests only)?")
	rows := row.FindAllStringSubmatch(page(t, "docs/dependencies.md"), -1)
	for _, m := range rows {
		if module, tests := m[1], m[2] != ""; direct[module] && used[module] == tests {
			t.Errorf("docs/dependencies.md says of %s that it is for tests only: %t; the programs import it: %t",
				module, tests, used[module])
		}
	}
	if len(rows) < 10 {
		t.Errorf("only %d rows were found", len(rows))
	}
}

func TestTheReadmeListsTheExitCodesAsTheyAreDeclared(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "diag", "exit.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text, count := page(t, "README.md"), 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		count++
		_, meaning, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(spec.Doc.Text()), "\n", " "), ": ")
		row := fmt.Sprintf("| %s | %s |", spec.Values[0].(*ast.BasicLit).Value, strings.TrimSuffix(meaning, "."))
		if !strings.Contains(text, strings.ReplaceAll(row, "--fail-on", "`--fail-on`")) {
			t.Errorf("the README lacks %s", row)
		}
		return false
	})
	if count != 6 {
		t.Errorf("%d exit codes are declared", count)
	}
}

func TestTheReadmeListsThePermissions(t *testing.T) {
	text := page(t, "README.md")
	for _, name := range config.Permission("").Choices() {
		if !strings.Contains(text, "\n| `"+name+"` | ") {
			t.Errorf("%s is not in the table of permissions", name)
		}
	}
	for _, name := range []string{config.EnvAllow, config.EnvPolicy} {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s is not named", name)
		}
	}
}
