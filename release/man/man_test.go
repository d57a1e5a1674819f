package man_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/man"
)

func tree() *man.Command {
	return &man.Command{
		Path: "rs", Short: "Do it", Flags: []man.Flag{{Name: "verbose", Short: "v", Usage: "say more", Group: "Other", Global: true}},
		Commands: []man.Command{{
			Path: "rs go", Usage: "rs go [PATH...] [flags]", Short: "Go there",
			Long:    ".first line\n'second line\n\n\tcode *here*\n\nlast",
			Example: "  rs go a\\b\n  rs go c",
			Flags:   []man.Flag{{Name: "as", Value: "string", Usage: "how: <this> or that", Default: "x", Group: "Output"}},
		}},
	}
}

func TestTheManualPageIsPlainRoffThatGroffTakes(t *testing.T) {
	root := tree()
	var out bytes.Buffer
	page := &root.Commands[0]
	if err := man.Write(&out, root, page, man.Source{Version: "1.2.3", Date: "2026-11-22"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH \"RS-GO\" 1 \"2026-11-22\" \"rollstamp 1.2.3\"", "\n\\&.first line\n\\&'second", "\n.RS 4\n.nf\ncode *here*\n.fi\n.RE\n",
		"\n.SS Output\n.TP\n\\fB\\-\\-as\\fR \\fIstring\\fR\nhow: <this> or that (default x)\n", "\\fB\\-v, \\-\\-verbose\\fR",
		"\nrs go a\\eb\n", "\n\\fBrs\\fR(1)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &out)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff on this machine")
	}
	cmd := exec.Command("groff", "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = &out
	if warnings, err := cmd.CombinedOutput(); err != nil || len(warnings) > 0 {
		t.Errorf("groff: %v\n%s", err, warnings)
	}
}
