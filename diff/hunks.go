package diff

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// around is how many equal lines a hunk has before and after what differs.
const around = 2

// edit is a run of lines that are not the same: from[a:b] became to[c:d].
type edit struct{ a, b, c, d int }

// hunks returns a unified diff of two texts, without a header; "" where neither has several lines.
func hunks(from, to string) string {
	if !strings.Contains(strings.TrimSuffix(from, "\n"), "\n") && !strings.Contains(strings.TrimSuffix(to, "\n"), "\n") {
		return ""
	}
	a, b := linesOf(from), linesOf(to)
	var out strings.Builder
	all := editsOf(a, b)
	for i := range a {
		a[i] = withoutSums(a[i])
	}
	for i := range b {
		b[i] = withoutSumsAfter(from, b[i])
	}
	for i := 0; i < len(all) && out.Len() < longest; {
		k := i + 1
		for k < len(all) && all[k].a-all[k-1].b <= 2*around {
			k++
		}
		writeHunk(&out, a, b, all[i:k])
		i = k
	}
	return diag.Head(strings.TrimSuffix(out.String(), "\n"), longest)
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// editsOf returns the runs in which two lists differ.
func editsOf(from, to []string) []edit {
	var out []edit
	i, k := 0, 0
	for _, m := range append(subsequence(from, to), match{len(from), len(to)}) {
		if i < m.from || k < m.to {
			out = append(out, edit{i, m.from, k, m.to})
		}
		i, k = m.from+1, m.to+1
	}
	return out
}

// writeHunk writes edits that lie close together.
func writeHunk(out *strings.Builder, from, to []string, edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(around, first.a)
	after := min(around, len(from)-last.b)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(first.a-before, last.b+after), span(first.c-before, last.d+after))
	at := first.a - before
	for _, e := range edits {
		writeLines(out, " ", from[at:e.a])
		writeLines(out, "-", from[e.a:e.b])
		writeLines(out, "+", to[e.c:e.d])
		at = e.b
	}
	writeLines(out, " ", from[at:at+after])
}

func span(from, to int) string {
	if to == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		out.WriteString(sign + strings.TrimSuffix(line, "\r") + "\n")
	}
}
