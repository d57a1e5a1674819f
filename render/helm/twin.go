package helm

import (
	"maps"

	"helm.sh/helm/v3/pkg/chart"
)

// twin renders the same input once more, at another time. It is nil where nothing comes out differently.
func (r *release) twin(charts []*chart.Chart, s *survey, first map[string]string) ([]byte, error) {
	if r.req.Helm.NameTemplate == "" && r.steady(charts, s, first) {
		return nil, nil
	}
	restore := rewriteTemplates(charts, func(t *chart.File) string { return anotherTime(string(t.Data)) })
	second, err := r.again()
	if err != nil {
		// A chart may refuse another time; chance alone is still to be seen.
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

// steady tells whether the templates that could come out differently did not: a chart that may make a password rarely does
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
		return anotherTime(string(t.Data))
	})()
	second, err := r.again()
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
