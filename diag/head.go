package diag

import "unicode/utf8"

// more marks a text that goes on.
const more = " ..."

// Head returns a text if it has at most so many bytes, else its beginning with a mark, cut between two characters; the
// mark alone where no more fits.
func Head(text string, size int) string {
	if len(text) <= size {
		return text
	}
	size = max(0, size-len(more))
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size] + more
}
