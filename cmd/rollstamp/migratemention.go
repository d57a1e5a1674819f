package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/migrate"
	"github.com/rollstamp/rollstamp/render"
)

// mentions returns the files below the folders that arguments name which mention other tools and are no manifests, as
// files with values for a chart that lies elsewhere. Objects of an engine say themselves which of them are read.
func (m *migrateCommand) mentions(args []string) (out []migrate.Mention, err error) {
	if m.as != "" && m.as != string(render.KindPlain) {
		return nil, nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	seen := map[string]bool{}
	for _, arg := range args {
		folders, _ := filepath.Glob(arg) // what is no pattern is reported where it is rendered
		for _, top := range folders {
			err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || isOfChart(path)):
					return fs.SkipDir
				case !d.Type().IsRegular() || !isManifest(d.Name()) || isOfChart(path) || seen[path]:
					return nil
				}
				seen[path] = true
				text, err := os.ReadFile(path)
				out = append(out, migrate.MentionsIn(path, text)...)
				return err
			})
			if err != nil {
				return nil, diag.Input(diag.Position{File: top}, fmt.Errorf("look for what mentions other tools: %w", err), "")
			}
		}
	}
	return out, nil
}

// isOfChart reports whether a file or folder is one that a render of the chart beside it reads.
func isOfChart(path string) bool {
	return slices.Contains([]string{"templates", "charts", "crds", "values.yaml"}, filepath.Base(path)) &&
		holds(filepath.Dir(path), "Chart.yaml")
}
