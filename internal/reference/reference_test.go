package reference_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/reference"
)

func tree() *reference.Command {
	return &reference.Command{
		Path: "rs", Short: "Do it", Flags: []reference.Flag{{Name: "verbose", Short: "v", Usage: "say more", Group: "Other", Global: true}},
		Commands: []reference.Command{{
			Path: "rs go", Usage: "rs go [PATH...] [flags]", Short: "Go | there", Long: ".first line\n'second *line*\n\n\tcode *here*\n\nlast",
			Example: "  rs go a\\b\n  rs go c",
			Flags: []reference.Flag{
				{Name: "as", Value: "string", Usage: "how: <this> or that", Default: "x", Group: "Output"},
				{Name: "fail-on", Value: "string", Usage: "least severity", Group: "Output", Setting: "failOn"},
			},
		}},
	}
}

func TestThePageHasEachCommandOnceAndLinksSettings(t *testing.T) {
	var out bytes.Buffer
	if err := reference.WriteMarkdown(&out, tree(), "settings.md"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| [`rs go`](#rs-go) | Go \\| there |\n", "\n## rs go\n", "```text\nrs go [PATH...] [flags]\n```\n", "'second \\*line\\*\n",
		"\n\tcode *here*\n", "\n```sh\nrs go a\\b\nrs go c\n```\n", "| `--as string` | how: &lt;this> or that (default `x`) |\n",
		"| `-v, --verbose` | say more; all commands take it |\n", "\nFlags of [settings](settings.md): `--fail-on`.\n",
	} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("the page lacks %q, or has it more than once:\n%s", want, &out)
		}
	}
}
