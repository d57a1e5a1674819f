// Package appset reads files of Applications and ApplicationSets, and generates the Applications of the sets without a
// cluster.
package appset

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Objects are the Applications and ApplicationSets of a file.
type Objects struct {
	Files        []string // that were read for them
	Applications []*apps.Application
	Sets         []*Set
}

// Read reads the Applications and ApplicationSets of a file, which may contain other objects, too.
func Read(system files.System, path string) (*Objects, error) {
	all, err := typed.Read(system, path)
	if err != nil {
		return nil, err
	}
	return sort(all, path)
}

// Parse is Read for a text, such as a render. Positions have the name as their file.
func Parse(text []byte, name string) (*Objects, error) {
	all, err := typed.Parse(text, name)
	if err != nil {
		return nil, err
	}
	return sort(all, name)
}

// ReadAll reads the Applications and ApplicationSets of a file, or of all manifests below a folder except in hidden
// folders. In a folder, a file that cannot be read, such as a template of a chart, is skipped and its error passed to
// leftOut.
func ReadAll(system files.System, path string, leftOut func(error)) (out []*Objects, err error) {
	place, err := typed.Find(system, path)
	if err != nil {
		return nil, err
	}
	for _, file := range place.Files {
		o, err := Read(system, file)
		switch {
		case err == nil:
			out = append(out, o)
		case place.Folder:
			leftOut(err)
		default:
			return nil, err
		}
	}
	return out, nil
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

func sort(all []typed.Object, file string) (*Objects, error) {
	out := &Objects{Files: []string{file}}
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
