package helm

import (
	"bytes"
	"slices"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// findTwice reports keys that are written twice in one mapping of a file of values: helm takes the last without a word.
func findTwice(text []byte, at func(line int) diag.Position) (found []diag.Finding) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil { // what is no YAML is reported by what reads it as values
			return found
		}
		for _, n := range d.Duplicates() {
			line := 1 + bytes.Count(text[:n.Offset()], []byte("\n"))
			found = append(found, diag.New(diag.DuplicateKey, "", "key "+diag.Quote(n.Text())+" is written twice").
				WithKey(n.Text()).At(at(line)))
		}
	}
}

// keysTwice reports keys that are written twice in the values of a chart in a folder. Those of packed charts and of
// subcharts are their authors'.
func (r *release) keysTwice() []diag.Finding {
	if len(r.folders) == 0 {
		return nil
	}
	i := slices.IndexFunc(r.chart.Raw, func(f *chart.File) bool { return f.Name == "values.yaml" })
	if i < 0 {
		return nil
	}
	return findTwice(r.chart.Raw[i].Data, func(line int) diag.Position {
		return r.position(r.chart.ChartFullPath()+"/values.yaml", line)
	})
}
