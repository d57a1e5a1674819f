package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Manifests is the name of the file that an application's manifests are written to in Folders.
const Manifests = "manifests.yaml"

// Layout is how the files below an output folder are named after applications.
type Layout int

const (
	// Folders has a folder for each application, with Manifests: its path as the user wrote it, cleaned. So apps/web
	// goes to DIR/apps/web/manifests.yaml, whatever other applications are rendered with it, and the working folder
	// itself to DIR/manifests.yaml, whatever it is called. What leads out of the working folder is cut at its front:
	// /srv/apps/web and ../srv/apps/web both go to DIR/srv/apps/web.
	Folders Layout = iota
	// Objects has a file for each application, DIR/NAMESPACE/NAME.yaml; below the folder of a kind where the
	// application's name has one.
	Objects
)

// LayoutOf returns the layout of a run; as is the engine whose objects it reads, "" where it reads paths.
func LayoutOf(as config.AppKind) Layout {
	if engine, _ := config.EngineOf(as); engine.FilesByName {
		return Objects
	}
	return Folders
}

// Accepts reports whether an application of a name has a file in the layout. In Objects, names that no object of
// Kubernetes can have are not accepted, so that no file lies elsewhere.
func (l Layout) Accepts(name string) bool { return l == Folders || IsObjectFile(name+objectSuffix) }

// Places returns the file below dir for each application, "" for one that is not accepted. Two applications that would
// share a file, or one's file and another's folder, are an error.
func (l Layout) Places(dir string, names []string) ([]string, error) {
	placeOf, err := l.In(dir)
	if err != nil {
		return nil, err
	}
	owners := make(map[string]string, len(names))
	places := make([]string, 0, len(names))
	for _, name := range names {
		if !l.Accepts(name) {
			places = append(places, "")
			continue
		}
		file, err := placeOf(name)
		if err != nil {
			return nil, err
		}
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

// PlaceOf returns the file below dir for one application, as Places does; in Folders, that of a pattern has the
// pattern.
func (l Layout) PlaceOf(dir, name string) (string, error) {
	placeOf, err := l.In(dir)
	if err != nil {
		return "", err
	}
	return placeOf(name)
}

// In returns PlaceOf for many applications.
func (l Layout) In(dir string) (func(name string) (string, error), error) {
	working, err := filepath.Abs(".")
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	return func(name string) (string, error) {
		switch {
		case !l.Accepts(name):
			return "", diag.Input(diag.Position{}, fmt.Errorf("%q is no name for a file of manifests", name),
				"Namespaces and names of objects have lower-case letters, digits, - and . only.")
		case l == Objects:
			return filepath.Join(dir, filepath.FromSlash(objectFile(name))), nil
		}
		return filepath.Join(dir, folderOf(name, working), Manifests), nil
	}, nil
}

const objectSuffix = ".yaml"

// IsObjectFile reports whether a path, with slashes, is one that Objects has: NAMESPACE/NAME.yaml, or
// KIND/NAMESPACE/NAME.yaml. No part of it leads anywhere else or is a hidden file.
func IsObjectFile(file string) bool {
	name, ok := strings.CutSuffix(file, objectSuffix)
	parts := strings.Split(name, "/")
	if !ok || len(parts) < 2 || len(parts) > 3 || len(parts) == 3 && parts[0] != "HelmRelease" {
		return false
	}
	for _, part := range parts {
		if part == "" || part[0] == '.' || strings.ContainsAny(part, "\\\x00\n\r") {
			return false
		}
	}
	return filepath.IsLocal(filepath.FromSlash(file))
}

// kustomizeName is the name of a file that kustomize takes for its own, and escapedName that of an object of that name:
// no object can be called so.
const kustomizeName, escapedName = "/kustomization", "/kustomization_"

// objectFile returns the file in Objects of an application, with slashes.
func objectFile(name string) string {
	if strings.HasSuffix(name, kustomizeName) {
		name = strings.TrimSuffix(name, kustomizeName) + escapedName
	}
	return name + objectSuffix
}

// ObjectName returns the name of the application whose file in Objects is the one at a path, with slashes.
func ObjectName(file string) string {
	name := strings.TrimSuffix(file, objectSuffix)
	if strings.HasSuffix(name, escapedName) {
		return strings.TrimSuffix(name, escapedName) + kustomizeName
	}
	return name
}

// IntoFiles returns the source whose named applications go to files of their own below dir, as Places returns them.
func (l Layout) IntoFiles(source app.Source, dir string, names []string) (app.Source, error) {
	places, err := l.Places(dir, names)
	if err != nil {
		return nil, err
	}
	files := make(map[string]string, len(names))
	for i, name := range names {
		files[name] = places[i]
	}
	return intoFiles{source, l, files}, nil
}

type intoFiles struct {
	app.Source
	layout Layout
	files  map[string]string // by the name of the application
}

// Application returns the one of a name, with its file.
func (s intoFiles) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	if !s.layout.Accepts(name) {
		_, err := s.layout.PlaceOf("", name)
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
	if path == "." {
		return "" // a checkout has another name on each machine
	}
	path = strings.TrimLeft(strings.TrimPrefix(path, filepath.VolumeName(path)), string(filepath.Separator))
	for strings.HasPrefix(path, up) {
		path = strings.TrimPrefix(path, up)
	}
	if path == ".." || path == "" {
		path = filepath.Base(filepath.Join(working, app))
	}
	return strings.TrimLeft(path, string(filepath.Separator))
}
