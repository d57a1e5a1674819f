package layers

import (
	"maps"
	"os"
	"regexp"
	"strconv"
	"testing"
)

func TestThePageShowsTheTableThatIsHeld(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d+) \\| `([^`]+)` \\| \\S.* \\|$").FindAllStringSubmatch(string(page), -1) {
		layer, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := shown[row[2]]; twice {
			t.Errorf("%s stands twice in the table", row[2])
		}
		shown[row[2]] = layer
	}
	if !maps.Equal(shown, layers) {
		t.Errorf("docs/architecture.md shows\n%v\nand this package holds\n%v", shown, layers)
	}
}
