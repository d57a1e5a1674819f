package determinism

import (
	"maps"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// SortKeys changes the templates of charts so that what "keys" lists comes in one order.
func SortKeys(charts []*chart.Chart) {
	replaceTemplates(charts, func(f *chart.File) string { return sortKeys(string(f.Data)) })
}

// Render renders the charts again: the templates as they are now, by their names, and the values after change, which is
// nil where they stay as they are.
type Render func(change func(values map[string]any) map[string]any) (map[string]string, error)

// First is what came out of the first render.
type First struct {
	Files    map[string]string // by the names of their templates
	Isolated bool              // the templates are known to have left nothing behind for each other
}

// SecondRender renders once more, with another clock and other keys, where that may come out differently from the first
// render. It returns nil where nothing does. Where the templates are isolated, only those are rendered that may come
// out differently. The templates are as before when it returns.
func (s *Survey) SecondRender(first First, render Render) (map[string]string, error) {
	if !s.random {
		return nil, nil
	}
	if !s.options.RandomName {
		if second, ok := s.renderVarying(first, render); ok {
			return second, nil
		}
	}
	restore := replaceTemplates(s.charts, func(f *chart.File) string { return later(string(f.Data)) })
	defer restore()
	second, err := s.renderLater(render)
	if err != nil {
		// A chart may refuse another time or key; chance alone is still to be seen.
		restore()
		second, err = render(nil)
	}
	if err != nil || maps.Equal(first.Files, second) {
		return nil, err
	}
	return second, nil
}

// renderVarying renders the templates that could come out differently, and no others. A chart that may make a password
// rarely does so, and then nothing differs. It is not ok where what they do may not stay with them.
func (s *Survey) renderVarying(first First, render Render) (all map[string]string, ok bool) {
	templates, used, contained := s.varying()
	if !contained && !first.Isolated {
		return nil, false
	}
	texts := s.excerpts(used)
	defer replaceTemplates(s.charts, func(f *chart.File) string { return later(texts[f]) })()
	second, err := s.renderLater(render)
	if err != nil {
		return nil, false
	}
	for _, name := range templates {
		if first.Files[name] == second[name] {
			continue
		}
		if !first.Isolated {
			return nil, false
		}
		if all == nil {
			all = maps.Clone(first.Files)
		}
		all[name] = second[name]
	}
	return all, true
}

// renderLater renders templates whose clock has been moved, and moves it in values too where tpl may get them. What is
// written there for tpl may as well be content: then the time that was put in shows, and the values stay as they are.
func (s *Survey) renderLater(render Render) (map[string]string, error) {
	if len(s.inValues()) == 0 {
		return render(nil)
	}
	files, err := render(func(values map[string]any) map[string]any { return laterValue(values).(map[string]any) })
	if err != nil {
		return render(nil)
	}
	for _, text := range files {
		if strings.Contains(text, laterNow) {
			return render(nil)
		}
	}
	return files, nil
}

// later returns a template for the second render.
func later(text string) string { return quickenKeys(moveClock(text)) }

// laterValue returns a value whose texts have the clock moved, and changes nothing of v.
func laterValue(v any) any {
	switch v := v.(type) {
	case string:
		return moveClock(v)
	case chartutil.Values:
		return laterValue(map[string]any(v))
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = laterValue(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = laterValue(value)
		}
		return out
	}
	return v
}

// replaceTemplates changes the text of all templates; restore takes that back. A subchart under two names has each
// template only once.
func replaceTemplates(charts []*chart.Chart, change func(*chart.File) string) (restore func()) {
	before := map[*chart.File][]byte{}
	for _, c := range charts {
		for _, f := range c.Templates {
			if _, done := before[f]; done {
				continue
			}
			before[f] = f.Data
			if changed := change(f); changed != string(f.Data) {
				f.Data = []byte(changed)
			}
		}
	}
	return func() {
		for f, data := range before {
			f.Data = data
		}
	}
}
