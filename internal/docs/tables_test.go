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
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+( // indirect)?$`).FindAllStringSubmatch(page(t, "go.mod"), -1) {
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
	for module := range listed {
		if _, ok := required[module]; !ok {
			t.Errorf("docs/dependencies.md has a line for %s, which go.mod does not require", module)
		}
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
