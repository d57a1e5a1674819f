package helm

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// withoutCopies empties the partials that another file holds with the same text, as those of a library that each
// subchart brings along. Helm parses them all, and what is parsed last counts: that copy stays. restore takes it back.
func withoutCopies(charts []*chart.Chart) (restore func()) {
	last := map[string]string{} // text -> the path of the copy that is parsed last
	for _, c := range charts {
		for _, f := range c.Templates {
			if name := path.Join(c.ChartFullPath(), f.Name); isPartial(f) && isParsedBefore(last[string(f.Data)], name) {
				last[string(f.Data)] = name
			}
		}
	}
	before := map[*chart.Chart][]*chart.File{}
	for _, c := range charts {
		for i, f := range c.Templates {
			if !isPartial(f) || last[string(f.Data)] == path.Join(c.ChartFullPath(), f.Name) {
				continue
			}
			if before[c] == nil {
				before[c] = c.Templates
				c.Templates = slices.Clone(c.Templates)
			}
			c.Templates[i] = &chart.File{Name: f.Name}
		}
	}
	return func() {
		for c, templates := range before {
			c.Templates = templates
		}
	}
}

// isPartial reports whether Helm only parses a template, and renders nothing of it.
func isPartial(f *chart.File) bool {
	return strings.HasPrefix(path.Base(f.Name), "_") && len(f.Data) > 0
}

// isParsedBefore reports whether Helm parses the template a before b: the one with more folders above it, and among
// those the one that comes later in the alphabet. "" comes before all.
func isParsedBefore(a, b string) bool {
	return a == "" || cmp.Or(-cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), -strings.Compare(a, b)) < 0
}
