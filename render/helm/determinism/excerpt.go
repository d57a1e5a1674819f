package determinism

import (
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// extent is a part of a text.
type extent struct{ start, end int }

// excerpts returns, by their files, the texts that a render of just these blocks takes: all of a template that is
// rendered itself, of others the definitions that are used. Most of a library of definitions is not, and Helm would
// parse it again.
func (s *Survey) excerpts(used map[*block]bool) map[*chart.File]string {
	whole, spans := map[*chart.File]bool{}, map[*chart.File][]extent{}
	for b := range used {
		if b.file == nil {
			continue
		}
		if at, ok := b.definition(); ok {
			spans[b.file] = append(spans[b.file], at)
		} else {
			whole[b.file] = true
		}
	}
	texts := map[*chart.File]string{}
	for f := range whole {
		texts[f] = string(f.Data)
	}
	for f, parts := range spans {
		if !whole[f] {
			texts[f] = excerpt(string(f.Data), parts)
		}
	}
	return texts
}

// definition returns where the definition lies that the block is or is a part of. It is not ok where the block is the
// text of a template itself, or the definition's place is not known for certain.
func (b *block) definition() (at extent, ok bool) {
	if b.outer == nil {
		return extent{}, false
	}
	for b.outer.outer != nil {
		b = b.outer
	}
	return extent{b.start, b.end}, b.start >= 0 && b.end > b.start
}

// excerpt returns parts of a text in their order, each once: the file of a subchart under two names is read twice.
func excerpt(text string, parts []extent) string {
	slices.SortFunc(parts, func(a, b extent) int { return a.start - b.start })
	var out strings.Builder
	for _, p := range slices.Compact(parts) {
		out.WriteString(text[p.start:p.end])
	}
	return out.String()
}
