package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/migrate"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

// lookElsewhere adds to a report what files mention that are no manifests, and which files with values nobody read.
func (m *migrateCommand) lookElsewhere(report *migrate.Report, args []string, came everything) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	seen, failures := map[string]bool{}, came.failures
	var err error
	if report.Mentioned, err = m.mentions(args, failures, seen); err != nil {
		return err
	}
	report.Mentioned = withoutUsed(report.Mentioned, came.all)
	if _, ok := m.engine(); ok && len(failures) > 0 {
		for _, arg := range args {
			if err := walkManifests(arg, func(path string, text []byte) {
				report.Unread = append(report.Unread, migrate.UnreadIn(path, text, failures)...)
				report.AddMentions(migrate.MentionsOf(path, text, failures))
			}); err != nil {
				return err
			}
		}
	}
	isRead := readFilesOf(args, seen)
	for i := range report.Unread {
		u := &report.Unread[i]
		u.Files = slices.DeleteFunc(u.Files, func(f migrate.ValuesFile) bool { return isRead(&f) })
	}
	report.Unread = slices.DeleteFunc(report.Unread, func(u migrate.Unread) bool { return len(u.Files) == 0 })
	return nil
}

// withoutUsed leaves out what stands in files that renders took in: the render has it, in the objects that it is about.
// Of the files of a chart those count that were named for values, and none of a folder of manifests: what is no object
// there is left out.
func withoutUsed(all []migrate.Mention, rendered []fleet.Rendered) []migrate.Mention {
	if len(all) == 0 {
		return all
	}
	used := map[string]bool{}
	for _, one := range rendered {
		files := one.App.Request().Helm.ValuesFiles
		if one.Result.Output.Kind == render.KindKustomize {
			files = one.Result.Output.Inputs
		}
		for _, path := range files {
			if full, err := filepath.Abs(path); err == nil {
				used[full] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(m migrate.Mention) bool {
		full, err := filepath.Abs(m.File)
		return err == nil && used[full]
	})
}

// walkManifests reads the manifests that an argument stands for. What is not there is reported where it is rendered.
func walkManifests(arg string, visit func(path string, text []byte)) error {
	tops, _ := filepath.Glob(arg)
	for _, top := range tops {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !isManifest(d.Name()) {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil {
				visit(path, text)
			}
			return err
		})
		if err != nil {
			return diag.Input(diag.Position{File: top}, fmt.Errorf("look for what could not be rendered: %w", err), "")
		}
	}
	return nil
}

// readFilesOf returns what reports whether a file with values is one that was looked at: in a repository of the
// arguments whose remote the Application names.
func readFilesOf(args []string, seen map[string]bool) func(f *migrate.ValuesFile) bool {
	at := map[string]bool{} // seen, from the root
	for path := range seen {
		if full, err := filepath.Abs(path); err == nil {
			at[full] = true
		}
	}
	remotes := map[string][]git.Remote{} // by the top of the repository
	for _, arg := range args {
		full, _ := filepath.Abs(arg)
		if top, ok := config.Repository(full); ok && remotes[top] == nil {
			if r, err := git.Open(top); err == nil {
				remotes[top] = r.Remotes()
				_ = r.Close()
			}
		}
	}
	return func(f *migrate.ValuesFile) bool {
		for top, all := range remotes {
			is := func(url string) bool { return workspace.SameRepository(url, f.Repository) }
			named := slices.ContainsFunc(all, func(r git.Remote) bool { return slices.ContainsFunc(r.URLs, is) })
			if named && at[filepath.Join(top, filepath.FromSlash(f.Path()))] {
				return true
			}
		}
		return false
	}
}

// mentions returns the files below the folders that arguments name which mention other tools and are no manifests, as
// files with values for a chart that lies elsewhere, and all files of applications that failed. Objects of an engine
// say themselves which of them are read.
//
// It adds all files that it looked at to those seen.
func (m *migrateCommand) mentions(
	args, failures []string, seen map[string]bool,
) (out []migrate.Mention, err error) {
	if m.as != "" && m.as != string(render.KindPlain) {
		return nil, nil
	}
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
