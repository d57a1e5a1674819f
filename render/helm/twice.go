package helm

import (
	"bytes"
	"fmt"
	"slices"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// findTwice reports keys that are written twice in one mapping of a text of values: helm takes the last without a word.
func findTwice(text []byte, place func(f diag.Finding, line int) diag.Finding) (found []diag.Finding) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil { // what is no YAML is reported by what reads it as values
			return found
		}
		for _, n := range d.Duplicates() {
			found = append(found, place(diag.KeyTwice("", n.Text()), 1+bytes.Count(text[:n.Offset()], []byte("\n"))))
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
	return findTwice(r.chart.Raw[i].Data, func(f diag.Finding, line int) diag.Finding {
		return f.At(r.position(r.chart.ChartFullPath()+"/values.yaml", line))
	})
}

// inFile places a finding in a file of values.
func inFile(name string) func(diag.Finding, int) diag.Finding {
	return func(f diag.Finding, line int) diag.Finding { return f.At(diag.Position{File: name, Line: line}) }
}

// inText says of a finding where it is in values that are no file of their own.
func inText(name string) func(diag.Finding, int) diag.Finding {
	return func(f diag.Finding, line int) diag.Finding {
		f.Message += fmt.Sprintf(" in line %d of %s", line, name)
		return f
	}
}
