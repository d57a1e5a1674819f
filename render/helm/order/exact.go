package order

import (
	"regexp"
	"strings"
)

// SplitExact cuts a rendered template into its documents as SplitLines does, each without the line end that is printed
// behind it. With that one, a block scalar at its end holds what it holds in the template: blank lines stay, and where
// the template ends without a line end, so does the value.
func SplitExact(text string, yield func(doc string)) {
	SplitLines(text, func(doc string) {
		trimmed := strings.TrimSpace(doc)
		rest := doc[len(trimmed):] // a document begins with no white space
		if trimmed == "" || rest == "\n" {
			yield(trimmed)
			return
		}
		from, to := lastBlock(trimmed)
		end := strings.LastIndexByte(rest, '\n')
		switch {
		case from < 0:
			yield(trimmed)
		case end >= 0:
			yield(doc[:len(trimmed)+end])
		default: // the value has no line end either
			yield(doc[:from] + strings.NewReplacer("+", "", "-", "").Replace(doc[from:to]) + "-" + doc[to:])
		}
	})
}

// blockHeader matches the end of a line that begins a block scalar.
var blockHeader = regexp.MustCompile(`(?:^|[:\-][ \t]+)(?:[&!]\S*[ \t]+)*([|>][-+0-9]*)(?:[ \t]+#.*)?$`)

// lastBlock returns where the header of the block scalar is that a document ends in; -1 where it ends otherwise. Of
// lines ever less indented, from the last one up, the header is the topmost: what looks like one below it is its text.
func lastBlock(doc string) (from, to int) {
	from, to = -1, -1
	if !strings.ContainsAny(doc, "|>") {
		return from, to
	}
	least := -1
	for end := len(doc); end >= 0; {
		start := strings.LastIndexByte(doc[:end], '\n') + 1
		line := strings.TrimRight(doc[start:end], "\r")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent < len(line) && (least < 0 || indent < least) {
			if m := blockHeader.FindStringSubmatchIndex(line); m != nil && least >= 0 {
				from, to = start+m[2], start+m[3]
			}
			least = indent
		}
		end = start - 1
	}
	return from, to
}
