package determinism

import (
	"testing"

	"helm.sh/helm/v3/pkg/chart"
)

func TestOfALibraryTheSecondRenderParsesTheDefinitionsThatItUses(t *testing.T) {
	const random = `{{- define "pw" -}}{{ if .x }}{{ randAlpha 3 }}{{ end }}{{- end -}}`
	const other = `{{ define "name" }}{{ with .y }}{{ .z }}{{ end }}{{ end }}`
	for _, c := range []struct{ template, library, want string }{
		{`{{ include "pw" . }}`, "{{/* {{ */}}\n" + other + "\n" + random + "\ntext\n", random},
		{`{{ include "pw" . }}{{ include "name" . }}`, other + "\n" + random, other + random},
		{`{{ include "pw" . }}`, random + `{{ define "pw" }} {{ end }}` + other, random + `{{ define "pw" }} {{ end }}`},
		{`{{ include "a" . }}`, other + `{{ define "a" }}{{ include "pw" . }}{{ end }} ` + random, `{{ define "a" }}{{ include "pw" . }}{{ end }}` + random},
		{`{{ include "in" . }}`, other + `{{ define "a" }}{{ block "in" . }}{{ uuidv4 }}{{ end }}{{ end }}`, `{{ define "a" }}{{ block "in" . }}{{ uuidv4 }}{{ end }}{{ end }}`},
		{`{{ include "in" . }}`, other + `{{ block "in" . }}{{ uuidv4 }}{{ end }}`, other + `{{ block "in" . }}{{ uuidv4 }}{{ end }}`},
		{`{{ include "pw" . }}`, "{{ `{{ define \"q\" }}` }}" + random + other, "{{ `{{ define \"q\" }}` }}" + random + other},
		{`{{ include (print .Template.BasePath "/_h.tpl") . }}`, `{{ uuidv4 }}` + other, `{{ uuidv4 }}` + other},
		{`{{ uuidv4 }}{{ include .name . }}`, other + " " + random, other + random},
		{`{{ uuidv4 }}`, other + random, ``},
	} {
		library := &chart.File{Name: "templates/_h.tpl", Data: []byte(c.library)}
		ch := &chart.Chart{Metadata: &chart.Metadata{Name: "c"},
			Templates: []*chart.File{library, {Name: "templates/a.yaml", Data: []byte(c.template)}}}
		got := "not rendered"
		_, err := Look([]*chart.Chart{ch, ch}, nil, Options{}).SecondRender(First{Isolated: true},
			func(func(map[string]any) map[string]any) (map[string]string, error) {
				got = string(library.Data)
				return nil, nil
			})
		if err != nil || got != c.want {
			t.Errorf("%s with %s: parsed %q, want %q, error %v", c.template, c.library, got, c.want, err)
		}
		if string(library.Data) != c.library {
			t.Errorf("%s: the library is %q after the render", c.template, library.Data)
		}
	}
}
