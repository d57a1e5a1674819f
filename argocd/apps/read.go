package apps

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// Objects are what files say to Argo CD.
type Objects struct {
	Applications []*Application
	Sets         []*Set
}

// group is the API group of Argo CD's objects.
const group = "argoproj.io"

// Read takes the Applications and ApplicationSets of a file, which may hold other objects, too.
func Read(system files.System, path string) (*Objects, error) {
	all, err := readObjects(system, path)
	if err != nil {
		return nil, err
	}
	return sort(all)
}

// Parse is Read for a text that came from elsewhere, such as a render. Positions name it as given.
func Parse(text []byte, name string) (*Objects, error) {
	all, err := parseObjects(text, name)
	if err != nil {
		return nil, err
	}
	return sort(all)
}

// ReadAll takes the Applications and ApplicationSets of a file on disk, or of all manifests below a folder but for hidden folders. There a
// file that cannot be read, such as a template of a chart, is left out and told.
func ReadAll(path string, leftOut func(error)) ([]*Objects, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		o, err := Read(files.Disk{}, path)
		return []*Objects{o}, err
	}
	var out []*Objects
	if err == nil {
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() != "." && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
				return nil
			}
			o, err := Read(files.Disk{}, file)
			if err != nil {
				leftOut(err)
				return nil
			}
			out = append(out, o)
			return nil
		})
	}
	var gone *fs.PathError
	if errors.As(err, &gone) {
		err = diag.Input(diag.Position{File: gone.Path}, fmt.Errorf("read: %w", gone.Err), "")
	}
	return out, err
}

// All returns the Applications that are written, and those that the sets make. A set that fails does not stop the others.
func (o *Objects) All(ctx context.Context, in *Surroundings) (out []*Application, errs []error) {
	out = slices.Clone(o.Applications)
	for _, set := range o.Sets {
		made, err := set.Applications(ctx, in)
		out, errs = append(out, made...), append(errs, err)
	}
	return out, errs
}

func sort(all []object) (*Objects, error) {
	out := &Objects{}
	for _, o := range all {
		switch {
		case o.group != group: // means nothing here
		case o.kind == "Application":
			a, err := application(o.object, o.pos)
			if err != nil {
				return nil, err
			}
			out.Applications = append(out.Applications, a)
		case o.kind == "ApplicationSet":
			s, err := readSet(o.object, o.pos)
			if err != nil {
				return nil, err
			}
			out.Sets = append(out.Sets, s)
		}
	}
	return out, nil
}

// object is one Kubernetes object, decoded as kubectl does.
type object struct {
	object      map[string]any
	kind, group string
	pos         diag.Position
}

func readObjects(system files.System, path string) ([]object, error) {
	text, err := files.OrDisk(system).ReadFile(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return parseObjects(text, path)
}

func parseObjects(text []byte, name string) ([]object, error) {
	var out []object
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		if !d.Root().Valid() {
			continue
		}
		pos := diag.Position{File: name, Line: 1 + strings.Count(string(text[:d.Root().Offset()]), "\n")}
		whole, err := decodeYAML(d.Body())
		if err != nil {
			return nil, diag.Input(pos, err, "")
		}
		out = append(out, items(whole, pos)...)
	}
	return out, nil
}

// decodeYAML reads a document as kubectl and Argo CD do: by the rules of YAML 1.1, and then as JSON.
func decodeYAML(text []byte) (any, error) {
	b, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, errors.New("parse YAML: it cannot be written as JSON")
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, errors.New("parse YAML: it cannot be read as JSON")
	}
	return out, nil
}

// items returns a document's objects: itself, or what a List holds.
func items(value any, pos diag.Position) []object {
	m, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	kind, _ := m["kind"].(string)
	version, _ := m["apiVersion"].(string)
	if list, ok := m["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		var out []object
		for _, item := range list {
			out = append(out, items(item, pos)...)
		}
		return out
	}
	if kind == "" {
		return nil
	}
	g, _, _ := strings.Cut(version, "/")
	return []object{{m, kind, g, pos}}
}

// Settle returns those that name no namespace one.
func (o *Objects) Settle(namespace string) {
	for _, a := range o.Applications {
		a.Namespace = cmp.Or(a.Namespace, namespace)
	}
	for _, s := range o.Sets {
		s.Namespace = cmp.Or(s.Namespace, namespace)
	}
}
