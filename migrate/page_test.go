package migrate

import (
	"os"
	"strings"
	"testing"
)

func TestThePageNamesTheToolsThatAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/migrate.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin = "The tools that it lists are "
	_, rest, _ := strings.Cut(string(page), begin)
	list, _, _ := strings.Cut(rest, ".\n")
	got := strings.Split(strings.ReplaceAll(strings.ReplaceAll(list, "\n", " "), " and ", ", "), ", ")
	var want []string
	for _, one := range tools() {
		want = append(want, one.name)
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("behind %q the page has\n\t%q, and the tools are\n\t%q", begin, got, want)
	}
}
