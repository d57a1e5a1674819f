package sides

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// withoutUnused leaves out of what a chart's render read the YAML and JSON in the chart that only templates with .Files
// could use, where none does: Helm loads a chart's whole folder, values for other environments included.
func withoutUnused(read []string, req render.Request) []string {
	unused := otherFiles(read, req.Helm)
	if len(unused) == 0 {
		return read
	}
	system, packed := files.OrDisk(req.Files), false
	for _, path := range read {
		switch text, err := system.ReadFile(path); {
		case unused[path]:
		case err != nil, usesFiles(string(text)):
			return read
		case filepath.Ext(path) == ".tgz": // its templates are not seen here
			packed = true
		}
	}
	for _, values := range req.Helm.Values {
		if usesFiles(string(values.Text)) || usesFiles(fmt.Sprint(values.Table)) {
			return read
		}
	}
	return slices.DeleteFunc(read, func(path string) bool {
		return unused[path] && (!packed || strings.HasPrefix(filepath.Base(path), "values"))
	})
}

// usesFiles reports whether a template, or values with one, may read files of the chart.
func usesFiles(text string) bool {
	return strings.Contains(text, ".Files") || strings.Contains(text, `"Files"`)
}

// otherFiles returns the YAML and JSON in the folders of charts that is no part of a chart and was not chosen.
func otherFiles(read []string, how render.HelmOptions) map[string]bool {
	chosen := appendAbs(nil, how.ValuesFiles...)
	for _, set := range how.SetFile {
		for _, one := range strings.Split(set, ",") {
			_, name, _ := strings.Cut(one, "=")
			chosen = appendAbs(chosen, name)
		}
	}
	charts := map[string]bool{}
	for _, path := range read {
		if filepath.Base(path) == "Chart.yaml" {
			charts[filepath.Dir(path)] = true
		}
	}
	other := map[string]bool{}
	for _, path := range read {
		if dir := chartOf(charts, path); dir != "" && isOther(dir, path) && !slices.Contains(chosen, path) {
			other[path] = true
		}
	}
	return other
}

// chartOf returns the innermost chart that a file lies in; "" where it lies in none.
func chartOf(charts map[string]bool, path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		switch {
		case charts[dir]:
			return dir
		case dir == filepath.Dir(dir):
			return ""
		}
	}
}

// isOther reports whether a file of a chart is YAML or JSON that neither Helm nor the tools around charts know by name.
func isOther(chart, path string) bool {
	rel, err := filepath.Rel(chart, path)
	if err != nil || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		return false
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	switch top {
	case "Chart.yaml", "values.yaml", "values.schema.json", "requirements.yaml", "templates", "charts", "crds",
		"ci", "tests", "artifacthub-repo.yml", "artifacthub-repo.yaml":
		return false
	}
	return true
}
