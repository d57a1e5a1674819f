// Package announce lists the parameters of an application for Argo CD's UI: the plugin's options, and the values of
// the application's own files.
package announce

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Parameter is one announcement, in Argo CD's words. String, Array or Map is its default, which is shown and never
// sent back.
type Parameter struct {
	Name           string            `json:"name"`
	Title          string            `json:"title,omitempty"`
	Tooltip        string            `json:"tooltip,omitempty"`
	Required       bool              `json:"required,omitempty"`
	ItemType       string            `json:"itemType,omitempty"`
	CollectionType string            `json:"collectionType"`
	String         string            `json:"string,omitempty"`
	Array          []string          `json:"array,omitempty"`
	Map            map[string]string `json:"map,omitempty"`
}

// App is an application whose parameters are listed.
type App struct {
	Name  string       // in Argo CD; "" if it is not known
	Dir   string       // its folder, absolute, without links
	Root  string       // the tree that was sent with it, absolute, without links
	Files files.System // the file system of both; nil is the disk
	// Rendered returns the manifests of a kustomization without parameters; nil, or an empty result, if they are not
	// known.
	Rendered func() []byte
}

// maxListed is how many values of a chart are announced; a longer form is of no use.
const maxListed = 1000

// maxFile is the size of the largest file that is read for a form.
const maxFile = 4 << 20

// read returns a file of the application's folder, which must be in the tree after all links; nil if there is none.
func (app App) read(name string) ([]byte, error) {
	path := filepath.Join(app.Dir, name)
	info, err := app.Files.Stat(path)
	if err != nil || info.IsDir() {
		return nil, nil // the render reports what is wrong with it
	}
	real, err := app.Files.Real(path)
	if err != nil {
		return nil, errors.New("read: cannot be read")
	}
	switch {
	case !files.Within(app.Root, real):
		return nil, errors.New("read: leads out of the repository")
	case info.Size() > maxFile || !info.Mode().IsRegular():
		return nil, fmt.Errorf("read: no file of at most %d MiB", maxFile>>20)
	}
	text, err := app.Files.ReadFile(real)
	if err != nil {
		return nil, errors.New("read: cannot be read")
	}
	return text, nil
}

// unreadFinding returns the finding for what is missing in the result.
func unreadFinding(name string, err error) diag.Finding {
	f := diag.New(diag.Skipped, "",
		err.Error()+"; it has no part in the parameters that are shown").At(diag.Position{File: name})
	f.Severity = diag.Warning
	return f
}
