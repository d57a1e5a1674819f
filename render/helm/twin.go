package helm

import (
	"maps"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// twin renders the same input once more, at another time. It is nil where nothing comes out differently.
func (r *release) twin(charts []*chart.Chart, s *survey, first map[string]string) ([]byte, error) {
	if r.req.Helm.NameTemplate == "" && r.steady(charts, s, first) {
		return nil, nil
	}
	restore := rewriteTemplates(charts, func(t *chart.File) string { return quickKeys(anotherTime(string(t.Data))) })
	second, err := r.later(s)
	if err != nil {
		// A chart may refuse another time or key; chance alone is still to be seen.
		restore()
		second, err = r.again()
	}
	if err != nil || maps.Equal(first, second) {
		return nil, err
	}
	out, err := r.assemble(second)
	if err != nil {
		return nil, err
	}
	return out.Text, nil
}

// steady reports whether the templates that could come out differently did not: a chart that may make a password rarely does
// so. Only these are rendered, and only where what they do stays with them.
func (r *release) steady(charts []*chart.Chart, s *survey, first map[string]string) bool {
	templates, needed, contained := s.varying()
	if !contained {
		return false
	}
	defer rewriteTemplates(charts, func(t *chart.File) string {
		if !needed[t] {
			return ""
		}
		return quickKeys(anotherTime(string(t.Data)))
	})()
	second, err := r.later(s)
	if err != nil {
		return false
	}
	for _, name := range templates {
		if first[name] != second[name] {
			return false
		}
	}
	return true
}

// later renders once more with templates that have been given another time, and values too where tpl may get them. What is written
// there for tpl may as well be content: then the time that was put in shows, and the values are left as they are.
func (r *release) later(s *survey) (map[string]string, error) {
	if len(s.inValues()) == 0 {
		return r.again()
	}
	r.shifted = true
	files, err := r.again()
	r.shifted = false
	if err != nil {
		return r.again()
	}
	for _, text := range files {
		if strings.Contains(text, laterNow) {
			return r.again()
		}
	}
	return files, nil
}

// atAnotherTime returns values whose texts have another time, and changes nothing of v.
func atAnotherTime(v any) any {
	switch v := v.(type) {
	case string:
		return anotherTime(v)
	case chartutil.Values:
		return atAnotherTime(map[string]any(v))
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = atAnotherTime(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = atAnotherTime(value)
		}
		return out
	}
	return v
}

func (r *release) again() (map[string]string, error) {
	if t := r.req.Helm.NameTemplate; t != "" {
		name, err := templatedName(t)
		if err != nil {
			return nil, r.fail(err)
		}
		r.name = name
	}
	vals, err := r.renderValues()
	if err != nil {
		return nil, err
	}
	if r.shifted {
		table, _ := asTable(vals["Values"])
		vals["Values"] = chartutil.Values(atAnotherTime(table).(map[string]any))
	}
	return r.execute(vals)
}

// withSubcharts adds c and the subcharts that are switched on to list.
func withSubcharts(c *chart.Chart, list []*chart.Chart) []*chart.Chart {
	list = append(list, c)
	for _, sub := range c.Dependencies() {
		list = withSubcharts(sub, list)
	}
	return list
}

// rewriteTemplates changes the text of all templates; restore takes that back. A subchart under two names has each
// template only once.
func rewriteTemplates(charts []*chart.Chart, change func(*chart.File) string) (restore func()) {
	before := map[*chart.File][]byte{}
	for _, c := range charts {
		for _, t := range c.Templates {
			if _, done := before[t]; done {
				continue
			}
			before[t] = t.Data
			if changed := change(t); changed != string(t.Data) {
				t.Data = []byte(changed)
			}
		}
	}
	return func() {
		for t, data := range before {
			t.Data = data
		}
	}
}
