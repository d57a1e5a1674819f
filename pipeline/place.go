package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Manifests is the name of the file that an application's manifests are written to.
const Manifests = "manifests.yaml"

// Places returns the file below dir for each application: its path as the user wrote it, cleaned, then Manifests. So
// apps/web goes to DIR/apps/web/manifests.yaml, whatever other applications are rendered with it. What leads out of the
// working folder is cut at its front: /srv/apps/web and ../srv/apps/web both go to DIR/srv/apps/web. Two applications
// that would share a file are an error.
func Places(dir string, apps []string) ([]string, error) {
	working, err := filepath.Abs(".")
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	taken := make(map[string]string, len(apps))
	files := make([]string, 0, len(apps))
	for _, app := range apps {
		file := filepath.Join(dir, folderOf(app, working), Manifests)
		if other, ok := taken[file]; ok {
			return nil, diag.Usage(fmt.Errorf("%s and %s would both be written to %s", other, app, file),
				"Name each application once, or render them into different folders.")
		}
		taken[file] = app
		files = append(files, file)
	}
	for i, file := range files {
		if inner, ok := above(file, taken); ok {
			return nil, diag.Usage(fmt.Errorf("%s would be written to %s, which is a folder for %s", inner, filepath.Dir(file), apps[i]),
				"Render them into different folders.")
		}
	}
	return files, nil
}

// above finds an application whose file is a folder on the way to file.
func above(file string, taken map[string]string) (string, bool) {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if app, ok := taken[dir]; ok {
			return app, true
		}
	}
	return "", false
}

// folderOf returns the path of app as a path that stays below any folder.
func folderOf(app, working string) string {
	const up = ".." + string(filepath.Separator)
	path := filepath.Clean(app)
	if filepath.IsAbs(path) {
		if rel, ok := files.Rel(working, path); ok {
			path = rel
		}
	}
	path = strings.TrimLeft(strings.TrimPrefix(path, filepath.VolumeName(path)), string(filepath.Separator))
	for strings.HasPrefix(path, up) {
		path = strings.TrimPrefix(path, up)
	}
	if path == "." || path == ".." || path == "" {
		path = filepath.Base(filepath.Join(working, app))
	}
	return strings.TrimLeft(path, string(filepath.Separator))
}
