package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/reference"
)

// current compares a page that is made as a whole with what it must be, and writes it with -update.
func current(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the program says, %v: run make docs", name, err)
	}
}

// commands returns the tree of the program's commands.
func commands(t *testing.T) *reference.Command {
	t.Helper()
	var tree reference.Command
	if err := json.Unmarshal([]byte(run(t, program, "__commands")), &tree); err != nil {
		t.Fatal(err)
	}
	return &tree
}

func TestThePageOfCommandsIsTheirHelp(t *testing.T) {
	var want bytes.Buffer
	if err := reference.WriteMarkdown(&want, commands(t), "settings.md"); err != nil {
		t.Fatal(err)
	}
	current(t, "docs/commands.md", want.Bytes())
}

func TestThePageOfFindingsIsTheTableOfCodes(t *testing.T) {
	var want bytes.Buffer
	want.WriteString(findingsHead)
	for _, code := range diag.Codes() {
		row := diag.RowOf(code)
		fmt.Fprintf(&want, "| <a id=\"%s\"></a>`%[1]s` | %s | %s | %s |\n", code, row.Severity, cell(row.Title), cell(row.Hint))
	}
	current(t, "docs/findings.md", want.Bytes())
}

const findingsHead = `# Findings

<!-- made by make docs from the table of codes in the package diag -->

A finding is something that a person should know about an input that was processed all the same. ` +
	`It has a code, which is never renamed;
reports, baselines and ` + "`severities:`" + ` in [` + "`.rollstamp.yaml`" + `](settings.md) name it by that. The severity below is what it has where nothing
says otherwise: ` + "`error`" + ` will not work in the cluster as written, ` + "`warning`" + ` is probably not what was meant, ` + "`info`" + ` is worth knowing and needs
nothing. ` + "`--fail-on`" + ` says from which severity on a run ends with exit code 1. ` + "`check`" + ` shows
infos, and other commands show them with ` + "`-v`" + `.

| code | severity | meaning | next step |
|---|---|---|---|
`
