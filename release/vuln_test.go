package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/tool"
)

// govulncheck is the program as it is pinned.
func govulncheck(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds govulncheck")
	}
	program, err := tool.Build(t.Context(), "../tools/govulncheck", "golang.org/x/vuln/cmd/govulncheck")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// files writes a folder.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// database knows of one vulnerability in a function of Go's library.
func database(t *testing.T, function string) string {
	t.Helper()
	const changed = "2026-01-01T00:00:00Z"
	return files(t, map[string]string{
		"index/db.json": fmt.Sprintf(`{"modified": %q}`, changed),
		"index/modules.json": fmt.Sprintf(`[{"path": "stdlib", "vulns": [{"id": "GO-2026-0001", "modified": %q,
			"fixed": "99.0.0"}]}]`, changed),
		"ID/GO-2026-0001.json": fmt.Sprintf(`{"schema_version": "1.3.1", "id": "GO-2026-0001", "modified": %q,
			"summary": "a bug", "database_specific": {"url": "https://example.com"},
			"affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
			"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "99.0.0"}]}],
			"ecosystem_specific": {"imports": [{"path": "strings", "symbols": [%q]}]}}]}`, changed, function),
	})
}

func TestVulnerabilitiesThatAreCalledAreErrors(t *testing.T) {
	program := govulncheck(t)
	module := files(t, map[string]string{
		"go.mod":        "module example.com/x\n\ngo 1.26.0\n",
		"cmd/x/main.go": "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToUpper(\"a\")) }\n",
	})
	for name, c := range map[string]struct {
		db, want string // empty: nothing is found
	}{
		"one that is called": {"file://" + database(t, "ToUpper"), "govulncheck: exit status 3"},
		"one that is not":    {"file://" + database(t, "ToTitle"), ""},
		"no database":        {"http://127.0.0.1:1", errUnchecked.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := vulnerabilities(t.Context(), program, c.db, module, []string{"./..."})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if errors.Is(err, errUnchecked) != (name == "no database") {
				t.Errorf("%v", err)
			}
		})
	}
}
