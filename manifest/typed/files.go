package typed

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
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
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
			out = append(out, file)
		}
	}
	return out, nil
}
