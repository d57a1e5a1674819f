package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What fits into a report.
const (
	columns  = 80 // what a line of text fits into, where it can be broken
	maxHunk  = 12 // lines of a hunk that are shown, where not all are
	maxNames = 60 // and names of workloads
	maxSame  = 12 // and of what is less urgent; objects that are new or gone are one item where they are more

	maxItems = 500 // items of a section that a person is shown, where not all are
)

// visible replaces what a terminal would act on, and what changes the order in which text is read.
func visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case !isHidden(r):
			out.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&out, "\\x%02x", r)
		default:
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.String()
}

// Visible returns a text of several lines with escapes instead of characters that a terminal obeys.
func Visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

func isHidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// wrap breaks a text between words; what has no blank stays whole.
func wrap(s string, width int) []string {
	if utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	var out []string
	at, wide := "", 0
	for word := range strings.SplitSeq(s, " ") {
		n := utf8.RuneCountInString(word)
		if wide > 0 && wide+1+n > width {
			out = append(out, at)
			at, wide = word, n
			if len(out) == 1 {
				width -= 2 // the next lines are indented
			}
			continue
		}
		if wide > 0 {
			at, wide = at+" ", wide+1
		}
		at, wide = at+word, wide+n
	}
	return append(out, at)
}

// oneLine returns a text without line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
