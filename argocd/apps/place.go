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
	best := place{message: withoutSuggestion(message)}
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

// Written is a text of a source.
type Written struct {
	Path []any // in the source
	Text string
	Line int // where it is written; 0 where that is not known
}

// FindIn returns the text of a source that an error about it is about, with its path in the source; none where there is
// no such text.
func (a *Application) FindIn(source int, message string) Written {
	best := place{message: withoutSuggestion(message)}
	if all := a.sources(); source < len(all) {
		best.find(nil, all[source].raw)
	}
	found := Written{Path: best.path, Text: best.text}
	if a.lines != nil && best.path != nil {
		found.Line = a.lines(append(a.pathOf(source), best.path...))
	}
	return found
}

// withoutSuggestion returns a message without what it suggests, which is another text.
func withoutSuggestion(message string) string {
	message, _, _ = strings.Cut(message, "; did you mean ")
	return message
}

// place is the path of the text that a message is about.
type place struct {
	message string
	path    []any
	text    string
	size    int
}

// find looks for texts in a value at a path.
func (p *place) find(path []any, value any) {
	below := func(step any) []any { return append(slices.Clone(path), step) }
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if size := p.about(key); size > p.size { // the entry of a map
				p.path, p.text, p.size = below(key), key, size
			}
			p.find(below(key), value[key])
		}
	case []any:
		for i, item := range value {
			p.find(below(i), item)
		}
	case string:
		text := strings.TrimPrefix(redact.URL(value), "/") // a path from the top is shown without
		if size := p.weight(path, text); size > p.size {
			p.path, p.text, p.size = path, value, size
		}
	}
}

// about returns more than any mention has where the message begins with the name of an option and a text; 0 where not.
func (p *place) about(text string) int {
	if size := argocd.Weight(p.message, text, false); size >= argocd.Subject {
		return size
	}
	return 0
}

// weight returns how much of the message a text at a path is, 0 where it is not in it.
func (p *place) weight(path []any, text string) int {
	field, _ := path[len(path)-1].(string)
	switch {
	case field != "" && strings.HasPrefix(p.message, field+": "):
		return argocd.Subject
	case p.about(text) > 0: // the name of a chart's value, too
		return p.about(text)
	}
	return argocd.Weight(p.message, text, field == "name")
}
