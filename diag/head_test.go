package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAHeadIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		got := Head("aüüü", n)
		if n >= len("aüüü") {
			if got != "aüüü" {
				t.Errorf("of %d bytes: %q", n, got)
			}
			continue
		}
		if len(got) > max(n, len(" ...")) || !utf8.ValidString(got) || !strings.HasSuffix(got, " ...") {
			t.Errorf("of %d bytes: %q", n, got)
		}
	}
}
