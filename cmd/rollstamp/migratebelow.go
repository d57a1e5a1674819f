package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/migrate"
	"github.com/rollstamp/rollstamp/render"
)

// looked is what is looked at in one way: paths, and what they are.
type looked struct {
	as    string // as --as has it
	paths []string
	// takes is set for kustomizations that were found below a folder, and not named. What cannot be built is read as plain
	// manifests, and what it takes in is looked at by itself.
	takes map[string][]string
}

// below returns what is looked at for the arguments. A folder that is no application by itself, as the top of a
// repository, stands for the charts and kustomizations below it and, as plain manifests, for all other folders. Plain
// manifests come last.
func (m *migrateCommand) below(ctx context.Context, p *program, args []string) ([]looked, error) {
	if m.as != "" || m.flags()["recursive"] != nil {
		return []looked{{as: m.as, paths: args}}, nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var named []string
	all := tree{takes: map[string][]string{}}
	for _, path := range args {
		if !m.standsForOthers(ctx, p, path) {
			named = append(named, path)
			continue
		}
		t, err := readTree(path)
		if err != nil {
			return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("look for applications: %w", err), "")
		}
		switch n := len(t.charts) + len(t.kustomizations) + len(t.plain); {
		case n == 0:
			named = append(named, path)
		case n > 1:
			p.say("%s stands for the charts, kustomizations and folders of manifests below it", path)
		}
		all.charts, all.plain = append(all.charts, t.charts...), append(all.plain, t.plain...)
		all.kustomizations = append(all.kustomizations, t.kustomizations...)
		maps.Copy(all.takes, t.takes)
	}
	parts := []looked{{paths: named}, {as: string(render.KindHelm), paths: all.charts},
		{as: string(render.KindKustomize), paths: all.kustomizations, takes: all.takes},
		{as: string(render.KindPlain), paths: all.plain}}
	return parts, nil
}

// standsForOthers reports whether a path is a folder that is neither a chart nor a kustomization, and for which no
// configuration describes applications.
func (m *migrateCommand) standsForOthers(ctx context.Context, p *program, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || holds(path, append(render.KustomizationFiles[:], "Chart.yaml")...) {
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

// isManifest reports whether a file may hold manifests, by its name.
func isManifest(name string) bool {
	return manifest.IsFileName(name) && !strings.HasPrefix(name, ".")
}

// insteadOf returns what is looked at where a kustomization cannot be built: the kustomizations that it takes in, and
// folders of plain manifests, its own among them.
func (l *looked) insteadOf(folder string) (kustomizations, plain []string) {
	plain = []string{folder}
	for _, path := range l.takes[filepath.Clean(folder)] {
		if l.takes[path] != nil {
			kustomizations = append(kustomizations, path)
		} else {
			plain = append(plain, path)
		}
	}
	return kustomizations, plain
}

// noteAbove says of a look at a part of a repository that Reloader itself was not seen, and where it may be.
func noteAbove(p *program, args []string, r *migrate.Report) {
	if !r.LacksReloader() {
		return
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	top := ""
	for _, arg := range args {
		at, err := filepath.Abs(arg)
		if err != nil {
			return
		}
		in, ok := config.Repository(at)
		if !ok || in == at {
			return
		}
		top = in
	}
	fmt.Fprintf(p.err, "note: Reloader itself is not in what was looked at, and its arguments count here only where it is: "+
		"rollstamp migrate %s looks at all of the repository\n", fromHere(top))
}
