package typed

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// Place is a path that a user names: a file, or a folder with all manifests below it except in hidden folders.
type Place struct {
	Folder bool
	Files  []string // the file itself; or those of the folder, in the order of their names
}

// Find returns the files at path.
func Find(system files.System, path string) (Place, error) {
	system = files.OrDisk(system)
	info, err := system.Stat(path)
	switch {
	case err != nil:
		return Place{}, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	case !info.IsDir():
		return Place{Files: []string{path}}, nil
	}
	out, err := below(system, path)
	return Place{Folder: true, Files: out}, err
}

// below returns the manifests below a folder.
func below(system files.System, path string) (out []string, err error) {
	entries, err := system.ReadDir(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		switch {
		case e.IsDir() && strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			within, err := below(system, file)
			if err != nil {
				return nil, err
			}
			out = append(out, within...)
		case manifest.IsFileName(file):
			out = append(out, file)
		}
	}
	return out, nil
}

// IsTemplate reports whether a file is a template of a chart.
func IsTemplate(system files.System, file string) bool {
	for dir := filepath.Dir(file); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) != "templates" {
			continue
		}
		if _, err := files.OrDisk(system).Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml")); err == nil {
			return true
		}
	}
	return false
}

// IsLikeTemplate reports whether a file lies in a folder of templates and is written as one, though no chart is known
// that it belongs to.
func IsLikeTemplate(file string, text []byte) bool {
	dir := filepath.ToSlash(filepath.Dir(file))
	return slices.Contains(strings.Split(dir, "/"), "templates") && bytes.Contains(text, []byte("{{"))
}

// Conceals reports whether a file that cannot be read as manifests seems to hold objects of a group, so that it is not
// to be passed over: what it describes would seem to be gone.
func Conceals(system files.System, file, group string) bool {
	text, err := files.OrDisk(system).ReadFile(file)
	return err != nil || strings.Contains(string(text), group) && !IsTemplate(system, file)
}
