package sides

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// withoutUnused leaves out of what a chart's render read the files in the chart that only templates with .Files could
// use, and that none names: Helm loads a chart's whole folder, values for other environments included. Where a template
// computes what it reads, they are returned as perhaps read.
func withoutUnused(read []string, req render.Request) (used, perhaps []string) {
	unused := otherFiles(read, req.Helm)
	if len(unused) == 0 {
		return read, nil
	}
	named, packed, ok := namedFiles(read, unused, req)
	for _, path := range read {
		values := strings.HasPrefix(filepath.Base(path), "values")
		switch {
		case unused[path] == "" || named[path]:
			used = append(used, path)
		case ok && (!packed || values):
		case !ok:
			perhaps = append(perhaps, path)
		default:
			used = append(used, path)
		}
	}
	return used, perhaps
}

// namedFiles returns those of the files outside of a chart's templates that these may read; not ok where one computes
// what it reads, or where that cannot be seen.
func namedFiles(read []string, unused map[string]string, req render.Request) (named map[string]bool, packed, ok bool) {
	var uses uses
	for _, v := range req.Helm.Values {
		uses.add(string(v.Text))
		uses.add(fmt.Sprint(v.Table))
	}
	system, known := files.OrDisk(req.Files), map[string]bool{}
	named = map[string]bool{}
	for again := true; again; { // what a template reads may be a template
		again = false
		for _, path := range read {
			if chart := unused[path]; chart != "" && !named[path] && uses.name(chart, path) {
				named[path] = true
			}
			if known[path] || unused[path] != "" && !named[path] {
				continue
			}
			known[path], again = true, true
			if filepath.Ext(path) == ".tgz" { // its templates are not seen here
				packed = true
				continue
			}
			text, err := system.ReadFile(path)
			uses.add(string(text))
			uses.computed = uses.computed || err != nil
		}
	}
	return named, packed, !uses.computed
}

// otherFiles returns the files in the folders of charts that are no part of a chart and were not chosen, each with its
// chart.
func otherFiles(read []string, how render.HelmOptions) map[string]string {
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
	other := map[string]string{}
	for _, path := range read {
		if dir := chartOf(charts, path); dir != "" && isOther(dir, path) && !slices.Contains(chosen, path) {
			other[path] = dir
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

// settings are the endings of files that may hold settings.
var settings = []string{"", ".yaml", ".yml", ".json", ".toml", ".env", ".properties", ".conf", ".cfg", ".ini", ".xml"}

// isOther reports whether a file of a chart may hold settings, and neither Helm nor the tools around charts know it by
// name.
func isOther(chart, path string) bool {
	rel, err := filepath.Rel(chart, path)
	if err != nil || !slices.Contains(settings, filepath.Ext(path)) {
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
