package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Manifests is the name of the file that an application's manifests are written to.
const Manifests = "manifests.yaml"

// Places returns the file below dir for each application: its path as the user wrote it, cleaned, then Manifests. So
// apps/web goes to DIR/apps/web/manifests.yaml, whatever other applications are rendered with it. What leads out of the
// working folder is cut at its front: /srv/apps/web and ../srv/apps/web both go to DIR/srv/apps/web. Two applications
// that would share a file are an error.
func Places(dir string, names []string) ([]string, error) {
	working, err := filepath.Abs(".")
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	owners := make(map[string]string, len(names))
	places := make([]string, 0, len(names))
	for _, name := range names {
		file := filepath.Join(dir, folderOf(name, working), Manifests)
		if other, ok := owners[file]; ok {
			return nil, diag.Usage(fmt.Errorf("%s and %s would both be written to %s", other, name, file),
				"Name each application once, or render them into different folders.")
		}
		owners[file] = name
		places = append(places, file)
	}
	for i, file := range places {
		if inner, ok := above(file, owners); ok {
			err := fmt.Errorf("%s would be written to %s, which is a folder for %s", inner, filepath.Dir(file), names[i])
			return nil, diag.Usage(err, "Render them into different folders.")
		}
	}
	return places, nil
}

// PlaceOf returns the file below dir for one application, as Places does; that of a pattern has the pattern.
func PlaceOf(dir, name string) (string, error) {
	working, err := filepath.Abs(".")
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	return filepath.Join(dir, folderOf(name, working), Manifests), nil
}

// IntoFiles returns the source whose named applications go to files of their own below dir, as Places returns them.
func IntoFiles(source app.Source, dir string, names []string) (app.Source, error) {
	places, err := Places(dir, names)
	if err != nil {
		return nil, err
	}
	files := make(map[string]string, len(names))
	for i, name := range names {
		files[name] = places[i]
	}
	return intoFiles{source, files}, nil
}

type intoFiles struct {
	app.Source
	files map[string]string // by the name of the application
}

// Application returns the one of a name, with its file.
func (s intoFiles) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.WithFile(s.files[name]), nil
}

// above finds an application whose file is a folder on the way to file.
func above(file string, owners map[string]string) (string, bool) {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if app, ok := owners[dir]; ok {
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
