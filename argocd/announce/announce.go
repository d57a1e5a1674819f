// Package announce lists the parameters of an application for Argo CD's UI: the plugin's options, and the values of
// the application's own files.
package announce

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
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

// Parameters lists the parameters of the application, the options of its kind first. It returns parameters in any
// case, because Argo CD shows none at all if its plugin fails here: what cannot be read is a finding, and missing in
// the result.
func Parameters(app App) ([]Parameter, []diag.Finding) {
	app.Files = files.OrDisk(app.Files)
	kind, err := argocd.Detect(app.Files, app.Dir)
	if err != nil {
		return options(app, ""), []diag.Finding{unread(app.Dir, err)}
	}
	all := options(app, kind)
	switch kind {
	case render.KindHelm:
		values, findings := chart(app)
		return append(all, values...), findings
	case render.KindKustomize:
		workloads := app.workloads()
		return append(addImages(workloads, all), replicas(workloads)...), nil
	}
	return all, nil
}

// options announces the options of a kind of source, or all of them if the kind is not known.
func options(app App, kind render.Kind) []Parameter {
	prefix := map[render.Kind]string{render.KindHelm: "helm.", render.KindKustomize: "kustomize.",
		render.KindPlain: "directory.", "": ""}[kind]
	var out []Parameter
	for _, o := range argocd.Options() {
		if !o.Own && !takes(o, prefix) {
			continue
		}
		p := Parameter{Name: o.Name, Tooltip: o.Meaning, CollectionType: string(o.Collection),
			ItemType: string(cmp.Or(o.Item, argocd.Text))}
		switch {
		case o.Item == argocd.YAML:
			p.ItemType = string(argocd.Text)
		case o.Item == argocd.Boolean && o.Collection == argocd.String:
			p.String = "false"
		case o.Name == "releaseName":
			_, name, found := strings.Cut(app.Name, "_")
			if p.String = app.Name; found {
				p.String = name
			}
		}
		out = append(out, p)
	}
	return out
}

func takes(o argocd.Option, prefix string) bool {
	for _, p := range o.Paths {
		if strings.HasPrefix(p, prefix) {
			return true
		}
	}
	return false
}

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

// unread returns the finding for what is missing in the result.
func unread(name string, err error) diag.Finding {
	f := diag.New(diag.Skipped, "",
		err.Error()+"; it has no part in the parameters that are shown").At(diag.Position{File: name})
	f.Severity = diag.Warning
	return f
}
