package argocd

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// table returns the options as docs/argocd.md shows them.
func table() string {
	var out strings.Builder
	out.WriteString("| parameter | takes | stands for | variable | meaning |\n|---|---|---|---|---|\n")
	for _, o := range Options() {
		takes, variable, fields := string(o.Collection), "", strings.Join(o.Paths, "`, `")
		if o.Item != Text {
			takes += " (" + string(o.Item) + ")"
		}
		if !o.NoEnv {
			variable = "`" + strings.TrimPrefix(o.variable(), "ARGOCD_ENV_") + "`"
		}
		if o.Own {
			fields = "argocd." + fields
		}
		fmt.Fprintf(&out, "| `%s` | %s | `%s` | %s | %s |\n", o.Name, takes, fields, variable,
			strings.ReplaceAll(o.Meaning, "|", `\|`))
	}
	return out.String()
}

func TestThePageShowsTheTableOfOptions(t *testing.T) {
	page, err := os.ReadFile("../docs/argocd.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(); !strings.Contains(string(page), "\n\n"+want+"\n") {
		t.Errorf("docs/argocd.md lacks the table as it is:\n%s", want)
	}
}
