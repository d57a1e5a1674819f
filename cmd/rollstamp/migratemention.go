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
// files with values for a chart that lies elsewhere, and all files of applications that failed. Objects of an engine
// say themselves which of them are read.
func (m *migrateCommand) mentions(args, failures []string) (out []migrate.Mention, err error) {
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
				case d.IsDir() && path != top && strings.HasPrefix(d.Name(), "."),
					d.IsDir() && isOfChart(path) && !isIn(failures, path):
					return fs.SkipDir
				case !d.Type().IsRegular() || !isManifest(d.Name()) || seen[path]:
					return nil
				}
				seen[path] = true
				text, err := os.ReadFile(path)
				switch {
				case isIn(failures, path):
					out = append(out, migrate.MentionsInFailed(path, text)...)
				case !isOfChart(path):
					out = append(out, migrate.MentionsIn(path, text)...)
				}
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

// isIn reports whether a path is one of some files and folders, or lies below one.
func isIn(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		in, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(in)
	})
}
