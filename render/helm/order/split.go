package order

import "strings"

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

const Marker = "---"

// blank is what \s means to package regexp; strings.TrimSpace knows more.
const blank = "\t\n\f\r "

func trimLeftBlank(s string) string  { return strings.TrimLeft(s, blank) }
func trimRightBlank(s string) string { return strings.TrimRight(s, blank) }
