package determinism

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// Witness is a template that is rendered after all others of a chart, and shows what these left behind in the maps that
// templates share.
type Witness struct {
	chart *chart.Chart
	name  string // of the template in a render
}

// The name comes last in Helm's order: by how many folders lie above a template, most first, then backwards.
const (
	witnessFile = "!rollstamp"
	witnessName = "rollstamp.witness"
	witnessMark = "~rollstamp"
)

// The text of the witness leaves a mark in the values of every chart, so that values that were replaced by others are
// found, and prints what else it finds there or beside the values.
const witnessText = `{{- define "` + witnessName + `" }}{{ if kindIs "map" . }}` +
	`{{ range keys . }}{{ if not (has . ` +
	`(list "Capabilities" "Chart" "Files" "Release" "Subcharts" "Template" "Values")) }}` +
	`{{ . }}{{ end }}{{ end }}` +
	`{{ if kindIs "map" .Values }}{{ $_ := set .Values "` + witnessMark + `" true }}{{ else }}values{{ end }}` +
	`{{ if kindIs "map" .Subcharts }}{{ range .Subcharts }}{{ include "` + witnessName + `" . }}{{ end }}` +
	`{{ else }}charts{{ end }}{{ else }}{{ "chart" }}{{ end }}{{ end -}}` +
	`{{ include "` + witnessName + `" . }}`

// Watch adds a witness to the templates of a chart, until it is dismissed.
func Watch(c *chart.Chart) *Witness {
	w := &Witness{c, path.Join(c.ChartFullPath(), witnessFile)}
	c.Templates = append(slices.Clip(c.Templates), &chart.File{Name: witnessFile, Data: []byte(witnessText)})
	return w
}

// Dismiss takes the witness out of the chart.
func (w *Witness) Dismiss() { w.chart.Templates = w.chart.Templates[:len(w.chart.Templates)-1] }

// IsCauseOf reports whether a render failed because of the witness.
func (w *Witness) IsCauseOf(err error) bool {
	return strings.Contains(err.Error(), witnessFile) || strings.Contains(err.Error(), witnessName)
}

// Hear takes the words of the witness out of a render that used these values. It reports whether the templates left
// nothing behind for each other: what they share is as it was before.
func (w *Witness) Hear(files map[string]string, used, before chartutil.Values) bool {
	found, rendered := files[w.name]
	delete(files, w.name)
	values, _ := used["Values"].(chartutil.Values)
	marked := unmark(w.chart, values)
	return rendered && strings.TrimSpace(found) == "" && marked && reflect.DeepEqual(used["Values"], before["Values"]) &&
		reflect.DeepEqual(used["Release"], before["Release"])
}

// unmark takes the marks out of the values of a chart and of those below it, and reports whether all were there.
func unmark(c *chart.Chart, values map[string]any) bool {
	_, all := values[witnessMark]
	delete(values, witnessMark)
	for _, below := range c.Dependencies() {
		switch table := values[below.Name()].(type) {
		case map[string]any:
			all = unmark(below, table) && all
		case chartutil.Values:
			all = unmark(below, table) && all
		}
	}
	return all
}
