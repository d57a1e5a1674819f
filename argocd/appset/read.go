// Package appset reads files of Applications and ApplicationSets, and generates the Applications of the sets without a
// cluster.
package appset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Objects are the Applications and ApplicationSets of a file.
type Objects struct {
	Applications []*apps.Application
	Sets         []*Set
}

// Read reads the Applications and ApplicationSets of a file, which may contain other objects, too.
func Read(system files.System, path string) (*Objects, error) {
	all, err := apps.ReadObjects(system, path)
	if err != nil {
		return nil, err
	}
	return sort(all)
}

// Parse is Read for a text, such as a render. Positions have the name as their file.
func Parse(text []byte, name string) (*Objects, error) {
	all, err := apps.ParseObjects(text, name)
	if err != nil {
		return nil, err
	}
	return sort(all)
}

// ReadAll reads the Applications and ApplicationSets of a file on disk, or of all manifests below a folder except in
// hidden folders. In a folder, a file that cannot be read, such as a template of a chart, is skipped and its error
// passed to leftOut.
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

// NoApplications returns the errors of the sets among objects, none of which generated anything; nil without a set.
func NoApplications(objects []*Objects) error {
	var errs []error
	for _, o := range objects {
		for _, set := range o.Sets {
			errs = append(errs, set.NoApplications())
		}
	}
	return errors.Join(errs...)
}

// All returns the Applications, and those that the sets generate. A set that fails does not stop the others.
func (o *Objects) All(ctx context.Context, in *Surroundings) (out []*apps.Application, errs []error) {
	out = slices.Clone(o.Applications)
	for _, set := range o.Sets {
		made, err := set.Applications(ctx, in)
		out, errs = append(out, made...), append(errs, err)
	}
	return out, errs
}

func sort(all []apps.Object) (*Objects, error) {
	out := &Objects{}
	for _, o := range all {
		switch {
		case o.Group != apps.Group: // of another API
		case o.Kind == "Application":
			a, err := apps.FromObject(o)
			if err != nil {
				return nil, err
			}
			out.Applications = append(out.Applications, a)
		case o.Kind == "ApplicationSet":
			s, err := readSet(o)
			if err != nil {
				return nil, err
			}
			out.Sets = append(out.Sets, s)
		}
	}
	return out, nil
}

// Settle sets the namespace of those that name none.
func (o *Objects) Settle(namespace string) {
	for _, a := range o.Applications {
		a.Namespace = cmp.Or(a.Namespace, namespace)
	}
	for _, s := range o.Sets {
		s.Namespace = cmp.Or(s.Namespace, namespace)
	}
}
