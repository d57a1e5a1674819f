// Package appset reads files of Applications and ApplicationSets, and generates the Applications of the sets without a
// cluster.
package appset

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Objects are the Applications and ApplicationSets of a file.
type Objects struct {
	Files        []string // that were read for them
	Applications []*apps.Application
	Sets         []*Set
	Failed       []*ObjectError
}

// ObjectError is why an object that is an Application or an ApplicationSet cannot be read as one.
type ObjectError struct {
	Err    error
	fields map[string]any
}

// Error returns the cause.
func (e *ObjectError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ObjectError) Unwrap() error { return e.Err }

// Object returns the object's name as errors write it, as far as it has one.
func (e *ObjectError) Object() string {
	var head struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	_ = typed.Decode(e.fields, &head) // what it cannot decode it leaves out
	return manifest.Describe(head.Kind, head.Metadata.Namespace, head.Metadata.Name)
}

// Same reports whether another error is about an object that is written in the same way.
func (e *ObjectError) Same(o *ObjectError) bool { return reflect.DeepEqual(e.fields, o.fields) }

// IsEmpty reports whether there is none, not even one that failed.
func (o *Objects) IsEmpty() bool { return len(o.Applications)+len(o.Sets)+len(o.Failed) == 0 }

// Read reads the Applications and ApplicationSets of a file, which may contain other objects, too.
func Read(system files.System, path string) (*Objects, error) {
	all, err := typed.Read(system, path)
	if err != nil {
		return nil, err
	}
	return sort(all, path), nil
}

// Parse is Read for a text, such as a render. Positions have the name as their file.
func Parse(text []byte, name string) (*Objects, error) {
	all, err := typed.Parse(text, name)
	if err != nil {
		return nil, err
	}
	return sort(all, name), nil
}

// ReadAll reads the Applications and ApplicationSets of a file, or of all manifests below a folder except in hidden
// folders. In a folder, a file that cannot be read is skipped and its error passed to leftOut, unless it seems to hold
// one; so are objects in a template of a chart that are wrong as they stand.
func ReadAll(system files.System, path string, leftOut func(error)) (out []*Objects, err error) {
	place, err := typed.Find(system, path)
	if err != nil {
		return nil, err
	}
	for _, file := range place.Files {
		o, err := Read(system, file)
		switch {
		case err == nil && place.Folder && len(o.Failed) > 0 && typed.IsTemplate(system, file):
			for _, failed := range o.Failed {
				leftOut(failed)
			}
			o.Failed = nil
			out = append(out, o)
		case err == nil:
			out = append(out, o)
		case place.Folder && typed.Conceals(system, file, apps.Group):
			text, _ := files.OrDisk(system).ReadFile(file)
			out = append(out, &Objects{Files: []string{file},
				Failed: []*ObjectError{{err, map[string]any{"": string(text)}}}})
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

// All returns the Applications, and those that the sets generate. What fails does not stop the others.
func (o *Objects) All(ctx context.Context, in *Surroundings) (out []*apps.Application, errs []error) {
	out = slices.Clone(o.Applications)
	for _, failed := range o.Failed {
		errs = append(errs, failed)
	}
	for _, set := range o.Sets {
		made, err := set.Applications(ctx, in)
		out, errs = append(out, made...), append(errs, err)
	}
	return out, errs
}

// sort returns the objects that are Argo CD's.
func sort(all []typed.Object, file string) *Objects {
	out := &Objects{Files: []string{file}}
	for _, o := range all {
		switch {
		case o.Group != apps.Group: // of another API
		case o.Kind == "Application":
			if a, err := apps.FromObject(o); err != nil {
				out.Failed = append(out.Failed, &ObjectError{o.Locate(err), o.Fields})
			} else {
				out.Applications = append(out.Applications, a)
			}
		case o.Kind == "ApplicationSet":
			if s, err := readSet(o); err != nil {
				out.Failed = append(out.Failed, &ObjectError{o.Locate(err), o.Fields})
			} else {
				out.Sets = append(out.Sets, s)
			}
		}
	}
	return out
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
