package config

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Apps are the rules of applications that a configuration file holds.
type Apps struct {
	Dir   string // the folder of the file, absolute; paths of the rules begin there
	Root  string // the repository that it lies in
	Rules []AppRule

	where map[string]diag.Position
}

// At returns the line of a rule, by its index.
func (a *Apps) At(i int) diag.Position { return a.where[fmt.Sprintf("apps[%d]", i)] }

// AppsFinder looks the rules of applications up, and reads the file of a folder once, as many places as lie below it.
// It is for places of one file system, while that does not change; the zero value is ready.
type AppsFinder struct {
	Roots *Roots // of the places; nil where none are remembered

	found map[[2]string]foundApps
}

type foundApps struct {
	apps *Apps
	err  error
}

// Of returns the rules of applications in the configuration file of a place's own folder, or nil.
func (f *AppsFinder) Of(p Place) (*Apps, error) { return f.in(p, p.Dir) }

// Nearest returns the rules of applications in the nearest configuration file upwards that has some, or nil.
func (f *AppsFinder) Nearest(p Place) (*Apps, error) {
	for dir := range files.Upwards(p.Dir, p.Root) {
		if a, err := f.in(p, dir); a != nil || err != nil {
			return a, err
		}
	}
	return nil, nil
}

func (f *AppsFinder) in(p Place, dir string) (*Apps, error) {
	if f.Roots != nil && f.Roots.LacksConfiguration(Place{Dir: dir, Files: p.Files}) {
		return nil, nil
	}
	id := [2]string{p.Root, dir}
	known, ok := f.found[id]
	if !ok {
		known.apps, known.err = appsIn(p, dir)
		if f.found == nil {
			f.found = map[[2]string]foundApps{}
		}
		f.found[id] = known
	}
	return known.apps, known.err
}

// appsIn returns the rules in the configuration file of a folder, or nil.
func appsIn(p Place, dir string) (*Apps, error) {
	system, path := files.OrDisk(p.Files), filepath.Join(dir, FileName)
	text, err := readSmall(system, path)
	if err != nil || !bytes.Contains(text, []byte("apps")) {
		return nil, nil // whoever renders there reports a file that cannot be read
	}
	path, err = inside(system, p.Root, path)
	if err != nil {
		return nil, mistakeAt(diag.Position{}, err)
	}
	f, err := loadOne(system, path)
	if err != nil {
		return nil, err
	}
	if len(f.given.Apps.Value) == 0 {
		return nil, nil
	}
	return &Apps{Dir: dir, Root: p.Root, Rules: f.given.Apps.Value, where: f.where}, nil
}
