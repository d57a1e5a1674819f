// Package announce tells Argo CD's UI which parameters an application takes: the plugin's options, and what the application's own files
// can be given.
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

// Parameter is one announcement, in Argo CD's words. What it holds in String, Array or Map is shown as the default and never sent back.
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

// App is an application whose parameters are asked for.
type App struct {
	Name  string       // as Argo CD has it; "" where it is not known
	Dir   string       // its folder, absolute, without links
	Root  string       // the tree that came with it, the same
	Files files.System // where both lie; nil is the disk
	// Rendered returns the manifests of a kustomization as they are without parameters; nil, or an empty answer, where that is not known.
	Rendered func() []byte
}

// maxListed is how many values of a chart are announced; a form of more is used by nobody.
const maxListed = 1000

// Parameters lists what the application takes, first the options of its kind. It has an answer in any case, because Argo CD shows nothing
// at all of an application whose plugin fails here: what could not be read is a finding, and missing in the answer.
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
		return append(tell(workloads, all), replicas(workloads)...), nil
	}
	return all, nil
}

// options announces the options of a kind of source, or all of them where the kind is not known.
func options(app App, kind render.Kind) []Parameter {
	prefix := map[render.Kind]string{render.KindHelm: "helm.", render.KindKustomize: "kustomize.", render.KindPlain: "directory.", "": ""}[kind]
	var out []Parameter
	for _, o := range argocd.Options() {
		if !o.Own && !takes(o, prefix) {
			continue
		}
		p := Parameter{Name: o.Name, Tooltip: o.Meaning, CollectionType: string(o.Collection), ItemType: string(cmp.Or(o.Item, argocd.Text))}
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

// read returns a file of the application's folder, which must lie in the tree behind all links; nothing where there is none.
func (app App) read(name string) ([]byte, error) {
	path := filepath.Join(app.Dir, name)
	info, err := app.Files.Stat(path)
	if err != nil || info.IsDir() {
		return nil, nil // whoever renders says what is wrong with it
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

// unread is the finding for what has no part in the answer.
func unread(name string, err error) diag.Finding {
	f := diag.New(diag.Skipped, "", err.Error()+"; it has no part in the parameters that are shown").At(diag.Position{File: name})
	f.Severity = diag.Warning
	return f
}
