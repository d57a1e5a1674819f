package apps

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// PlaceOf returns where the text is written that an error about a source is about, and whether there is one: the
// longest one in the sources that the error has. Else it is the object's place, as where the object is in no file.
func (a *Application) PlaceOf(message string) (at diag.Position, isWritten bool) {
	message, _, _ = strings.Cut(message, "; did you mean ") // that is another one
	best := place{message: message}
	spec, _ := a.object["spec"].(map[string]any)
	for _, field := range []string{"source", "sources", "sourceHydrator"} {
		best.find([]any{"spec", field}, spec[field])
	}
	if strings.Contains(message, "multiple application sources defined") {
		for i, s := range a.sources() {
			if all := s.Chosen(); len(all) > 1 || len(all) > 0 && s.Plugin != nil {
				best.path = append(a.pathOf(i), all[len(all)-1])
				break
			}
		}
	}
	at = a.Pos
	if a.lines != nil && best.path != nil {
		if line := a.lines(best.path); line > 0 {
			at.Line, isWritten = line, true
		}
	}
	return at, isWritten
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
		text := strings.TrimPrefix(redact.URL(value), "/") // a path from the top is shown without
		if size := p.mention(path, text); size > p.size {
			p.path, p.size = path, size
		}
	}
}

// mention returns how much of the message a text is, 0 where it is not in it. A name counts less than any value, where
// the message does not begin with it.
func (p *place) mention(path []any, text string) int {
	const least, about = 3, 1 << 10
	_, subject, _ := strings.Cut(p.message, " ") // behind the name of an option
	switch {
	case text != "" && strings.HasPrefix(subject, text+": "):
		return about + len(text)
	case len(text) < least || !argocd.Mentions(p.message, text):
		return 0
	case path[len(path)-1] == "name" && !strings.HasPrefix(strings.TrimPrefix(p.message, "parameter "), text):
		return 1
	}
	return len(text)
}
