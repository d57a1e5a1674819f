package docs

import (
	"os"
	"strings"
	"testing"
)

// TestThePageOfDiffShowsARealRun looks for the page's example in what the story of it prints.
func TestThePageOfDiffShowsARealRun(t *testing.T) {
	page, err := os.ReadFile("../../docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.ReadFile("../../cmd/rollstamp/testdata/script/diff_pull_request.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, printed, found := strings.Cut(string(story), "-- text.want --\n")
	_, example, shown := strings.Cut(string(page), "    $ rollstamp diff 'apps/*/dev' 'apps/*/prod'\n")
	if !found || !shown {
		t.Fatal("the story or the page has no example")
	}
	lines := 0
	for line := range strings.Lines(example) {
		text, indented := strings.CutPrefix(line, "    ")
		switch {
		case line == "\n", text == "  ...\n":
			continue
		case !indented:
			if lines < 40 {
				t.Errorf("the example has %d lines", lines)
			}
			return
		}
		before, rest, is := strings.Cut(printed, text)
		if !is {
			t.Fatalf("%q is not printed, or not at this place", text)
		}
		if lines == 0 && before != "" {
			t.Errorf("the example begins after %q", before)
		}
		printed = rest
		lines++
	}
}
