// Package splice changes YAML and JSON text in place: it finds where something is, or would be, written in a document,
// and returns the edits that change exactly that. Bytes that no edit names stay as they are.
package splice

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
)

// Edit replaces text[Start:End] with Text.
type Edit struct {
	Start, End int
	Text       string
}

// Sort brings edits into the order that Apply takes them in. Where one inserts at the start of what another one
// replaces, the insertion comes first.
func Sort(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
}

// Apply writes text with its edits, which are sorted and do not overlap. An error is the writer's.
func Apply(w io.Writer, text []byte, edits []Edit) (int64, error) {
	b := bufio.NewWriterSize(w, 64<<10)
	var total int64
	write := func(n int, err error) error {
		total += int64(n)
		return err
	}
	from := 0
	for _, e := range edits {
		if err := write(b.Write(text[from:e.Start])); err != nil {
			return total, err
		}
		if err := write(b.WriteString(e.Text)); err != nil {
			return total, err
		}
		from = e.End
	}
	if err := write(b.Write(text[from:])); err != nil {
		return total, err
	}
	return total, b.Flush()
}

// Bytes returns text with its edits, which are sorted and do not overlap.
func Bytes(text []byte, edits []Edit) []byte {
	out := make([]byte, 0, Size(text, edits))
	from := 0
	for _, e := range edits {
		out = append(append(out, text[from:e.Start]...), e.Text...)
		from = e.End
	}
	return append(out, text[from:]...)
}

// Size returns the length of text with its edits.
func Size(text []byte, edits []Edit) int {
	n := len(text)
	for _, e := range edits {
		n += len(e.Text) - (e.End - e.Start)
	}
	return n
}

// Part returns what text[start:end] becomes. Its bounds are between documents, so that no edit crosses them; what is
// inserted at end belongs to it, what is inserted at start to the part before.
func Part(text []byte, edits []Edit, start, end int) []byte {
	var part []Edit
	for _, e := range edits {
		if e.Start >= start && e.End <= end && (e.End > start || start == 0) {
			part = append(part, Edit{e.Start - start, e.End - start, e.Text})
		}
	}
	return Bytes(text[start:end], part)
}

// merge joins removals that touch or overlap, as those of the last entries of a flow mapping do.
func merge(edits []Edit) []Edit {
	slices.SortFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out []Edit
	for _, e := range edits {
		if n := len(out); n > 0 && e.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, e.End)
			continue
		}
		out = append(out, e)
	}
	return out
}

// removeFinalBreak extends a removal that reaches the end of a text without a final line break over the line break
// before it.
func removeFinalBreak(text []byte, e *Edit) {
	if e.End == len(text) && !bytes.HasSuffix(text, []byte("\n")) {
		e.Start = len(bytes.TrimSuffix(bytes.TrimSuffix(text[:e.Start], []byte("\n")), []byte("\r")))
	}
}
