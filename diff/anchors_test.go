package diff

import (
	"fmt"
	"strings"
	"testing"
)

func TestFarApartChangesOfALongTextLeaveTheLinesBetweenThemOut(t *testing.T) {
	text := func(value string) string {
		var out strings.Builder
		for i := range 6000 {
			end := "z"
			if i == 5 || i == 5990 {
				end = value
			}
			fmt.Fprintf(&out, "line %d %s\n\n", i, end)
		}
		return out.String()
	}
	const want = "@@ -9,5 +9,5 @@\n line 4 z\n \n-line 5 1\n+line 5 2\n \n line 6 z\n" +
		"@@ -11979,5 +11979,5 @@\n line 5989 z\n \n-line 5990 1\n+line 5990 2\n \n line 5991 z"
	if got := hunks(text("1"), text("2")); got != want {
		t.Errorf("got:\n%.600s\nwant:\n%s", got, want)
	}
}

func TestLongListsInAnotherOrderKeepACommonSubsequence(t *testing.T) {
	var from, to []string
	for i := range 5000 {
		from, to = append(from, fmt.Sprint(i)), append(to, fmt.Sprint(i*7%5000))
	}
	last := match{-1, -1}
	all := subsequence(from, to)
	for _, m := range all {
		if from[m.from] != to[m.to] || m.from <= last.from || m.to <= last.to {
			t.Fatalf("%v after %v", m, last)
		}
		last = m
	}
	if len(all) < 715 {
		t.Errorf("%d common items, and the stretches that ascend have 715", len(all))
	}
}
