package apps

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// placeOf returns where the text is written that an error about a source is about: the longest one in the sources that
// the error has. It is the object's place where there is none, or the object is not written in a file.
func (a *Application) placeOf(message string) diag.Position {
	message, _, _ = strings.Cut(message, "; did you mean ") // that is another one
	best := place{message: message}
	spec, _ := a.object["spec"].(map[string]any)
	for _, field := range []string{"source", "sources", "sourceHydrator"} {
		best.find([]any{"spec", field}, spec[field])
	}
	at := a.Pos
	if a.lines != nil && best.path != nil {
		if line := a.lines(best.path); line > 0 {
			at.Line = line
		}
	}
	return at
}

// place is the path of the text that a message is about.
type place struct {
	message string
	path    []any
	size    int
}

// find looks for texts in a value at a path.
func (p *place) find(path []any, value any) {
	below := func(step any) []any { return append(slices.Clone(path), step) }
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			p.find(below(key), value[key])
		}
	case []any:
		for i, item := range value {
			p.find(below(i), item)
		}
	case string:
		if size := p.mention(path, redact.URL(value)); size > p.size {
			p.path, p.size = path, size
		}
	}
}

// mention returns how much of the message a text is, 0 where it is not in it. A name counts less than any value, where
// the message does not begin with it.
func (p *place) mention(path []any, text string) int {
	const least = 3
	switch {
	case len(text) < least || !argocd.Mentions(p.message, text):
		return 0
	case path[len(path)-1] == "name" && !strings.HasPrefix(strings.TrimPrefix(p.message, "parameter "), text):
		return 1
	}
	return len(text)
}
