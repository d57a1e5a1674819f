package order

import (
	"strings"
	"unicode"
)

// Split cuts a rendered template into its documents, as releaseutil.SplitManifests does: at
// (?:^|\s*\n)---\s*, whatever follows the dashes. Each document comes without white space around it.
func Split(text string, yield func(doc string)) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, Marker) {
		rest = trimLeftBlank(rest[len(Marker):])
	}
	for {
		i := strings.Index(rest, "\n"+Marker)
		doc := rest
		if i >= 0 {
			doc = trimRightBlank(rest[:i])
		}
		if doc != "" {
			yield(strings.TrimSpace(doc))
		}
		if i < 0 {
			return
		}
		rest = trimLeftBlank(rest[i+1+len(Marker):])
	}
}

// SplitLines cuts a rendered template into its documents, as Helm 4 does: where a line begins with the dashes, of which
// blanks and tabs that follow are a part. Each document comes without white space before it.
func SplitLines(text string, yield func(doc string)) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	if strings.HasPrefix(rest, Marker) {
		rest = afterMarker(rest)
	}
	for {
		doc, i := rest, strings.Index(rest, "\n"+Marker)
		if i >= 0 {
			doc = rest[:i+1]
		}
		if doc = strings.TrimLeftFunc(doc, unicode.IsSpace); doc != "" {
			yield(doc)
		}
		if i < 0 {
			return
		}
		rest = afterMarker(rest[i+1:])
	}
}

// afterMarker returns a text that begins with the dashes without these.
func afterMarker(text string) string { return strings.TrimLeft(text[len(Marker):], "\t ") }

const Marker = "---"

// blank is what \s means to package regexp; strings.TrimSpace knows more.
const blank = "\t\n\f\r "

func trimLeftBlank(s string) string  { return strings.TrimLeft(s, blank) }
func trimRightBlank(s string) string { return strings.TrimRight(s, blank) }
