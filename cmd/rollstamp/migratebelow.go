package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// looked is what is looked at in one way: paths, and what they are.
type looked struct {
	as    string // as --as has it
	paths []string
}

// below returns what is looked at for the arguments. A folder that is no application by itself, as the top of a
// repository, stands for the charts below it and, as plain manifests, for all other folders.
func (m *migrateCommand) below(ctx context.Context, p *program, args []string) ([]looked, error) {
	if m.as != "" || m.flags()["recursive"] != nil {
		return []looked{{m.as, args}}, nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var named []string
	charts, plain := looked{as: string(render.KindHelm)}, looked{as: string(render.KindPlain)}
	for _, path := range args {
		if !m.standsForOthers(ctx, p, path) {
			named = append(named, path)
			continue
		}
		before := len(charts.paths) + len(plain.paths)
		if err := addBelow(path, &charts, &plain); err != nil {
			return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("look for applications: %w", err), "")
		}
		switch after := len(charts.paths) + len(plain.paths); {
		case after == before:
			named = append(named, path)
		case after > before+1:
			p.say("%s stands for the charts and the folders of manifests below it", path)
		}
	}
	all := []looked{{"", named}, charts, plain}
	return slices.DeleteFunc(all, func(l looked) bool { return len(l.paths) == 0 }), nil
}

// standsForOthers reports whether a path is a folder that is neither a chart nor a kustomization, and for which no
// configuration describes applications.
func (m *migrateCommand) standsForOthers(ctx context.Context, p *program, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || holds(path, "Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization") {
		return false
	}
	source, err := m.source(ctx, p, []string{path})
	if err != nil {
		return false
	}
	names, err := source.Names(ctx)
	return err == nil && len(names) == 1 && filepath.Clean(names[0]) == filepath.Clean(path)
}

// holds reports whether a folder has one of some files.
func holds(folder string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && !info.IsDir()
	})
}

// addBelow adds the charts in a folder and below it, and the folders with manifests that are in none of them. What is
// hidden, as .git, is left out.
func addBelow(top string, charts, plain *looked) error {
	seen := map[string]bool{}
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() && holds(path, "Chart.yaml"):
			charts.paths = append(charts.paths, path)
			return fs.SkipDir
		case !d.Type().IsRegular() || !isManifest(d.Name()):
			return nil
		}
		if folder := filepath.Dir(path); !seen[folder] {
			seen[folder], plain.paths = true, append(plain.paths, folder)
		}
		return nil
	})
}

// isManifest reports whether a file may hold manifests, by its name.
func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && !strings.HasPrefix(name, ".")
}
