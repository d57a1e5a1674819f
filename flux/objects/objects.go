// Package objects reads Flux's objects as values: Kustomizations, HelmReleases and the sources that they name.
package objects

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/redact"
)

// The API groups of the objects.
const (
	KustomizeGroup = "kustomize.toolkit.fluxcd.io"
	HelmGroup      = "helm.toolkit.fluxcd.io"
	SourceGroup    = "source.toolkit.fluxcd.io"
	ExtensionGroup = "source.extensions.fluxcd.io"
)

// fluxGroups is in the name of each of Flux's groups.
const fluxGroups = ".toolkit.fluxcd.io"

// Meta is what all objects have.
type Meta struct {
	Kind, Namespace, Name string // Namespace is "" where it names none
	Labels, Annotations   map[string]string
	Pos                   diag.Position // of the object
	Suspend               bool          // Flux leaves it as it is in the cluster
	Secrets               Secrets

	fields map[string]any
}

// Secrets is what variables of Secrets brought into an object. No error about it shows that.
type Secrets struct {
	Values    *redact.Values // and the texts that these are a part of
	Paths     [][]any        // of these texts: keys and indexes from the root of the object
	Decrypted bool           // one of the values was
}

// String returns "Kind namespace/name", as errors name objects.
func (m Meta) String() string { return manifest.Describe(m.Kind, m.Namespace, m.Name) }

// Fail returns an error about the object.
func (m Meta) Fail(err error, hint string) error {
	return m.FailWith(diag.ExitInput, err, hint)
}

// Hide returns an error that does not show what variables of Secrets brought into the object.
func (m Meta) Hide(err error) error {
	if m.Secrets.Values.IsEmpty() {
		return err
	}
	return diag.RewriteError(err, m.Secrets.Values.In)
}

// Same reports whether another object is written with the same content.
func (m Meta) Same(o Meta) bool { return m.Kind == o.Kind && reflect.DeepEqual(m.fields, o.fields) }

// Fields returns the object as it is written, decoded as JSON. Nobody changes it.
func (m Meta) Fields() map[string]any { return m.fields }

// Objects are Flux's objects of a file or a render.
type Objects struct {
	Files          []string // that were read for them
	Kustomizations []*Kustomization
	Releases       []*HelmRelease
	Sources        []*Source
	Generators     []*Generator
	Instances      []*Instance
	Sets           []Meta // ResourceSets of flux-operator, of which nothing else is known; not among the Metas
}

// IsEmpty reports whether there is no object.
func (o *Objects) IsEmpty() bool { return len(o.Metas()) == 0 }

// Metas returns the heads of all objects; who changes one changes the object.
func (o *Objects) Metas() []*Meta {
	var out []*Meta
	for _, k := range o.Kustomizations {
		out = append(out, &k.Meta)
	}
	for _, r := range o.Releases {
		out = append(out, &r.Meta)
	}
	for _, s := range o.Sources {
		out = append(out, &s.Meta)
	}
	for _, g := range o.Generators {
		out = append(out, &g.Meta)
	}
	for _, i := range o.Instances {
		out = append(out, &i.Meta)
	}
	return out
}

// Settle sets the namespace of those that name none.
func (o *Objects) Settle(namespace string) {
	for _, m := range o.Metas() {
		if m.Namespace == "" { // it may be read by others, too
			m.Namespace = namespace
		}
	}
}

// Read reads the objects of a file, which may contain other objects, too. The errors of single objects are joined, and
// returned with the other objects.
func Read(system files.System, path string) (*Objects, error) { return Cache(nil).read(system, path) }

// Parse is Read for a text, such as a render. Positions have the name as their file.
func Parse(text []byte, name string) (*Objects, error) {
	out := &Objects{Files: []string{name}}
	all, err := typed.ParseOnly(text, name, IsKnown)
	if err != nil {
		return out, err
	}
	var errs []error
	for _, o := range all {
		errs = append(errs, o.Locate(out.add(o)))
	}
	return out, errors.Join(errs...)
}

// ReadAll reads the objects of a file, or of all manifests below a folder except in hidden folders and for the patches
// of kustomizations there. In a folder, a file that is no YAML is skipped and its error passed to leftOut, unless it
// seems to hold one.
func ReadAll(system files.System, path string, leftOut func(error)) (out []*Objects, errs []error) {
	return Cache(nil).ReadAll(system, path, leftOut)
}

// ReadAll is as the function of that name, and parses no text of a file twice.
func (c Cache) ReadAll(system files.System, path string, leftOut func(error)) (out []*Objects, errs []error) {
	place, err := typed.Find(system, path)
	if err != nil {
		return nil, []error{err}
	}
	read, err := withoutPatches(system, place)
	if err != nil {
		return nil, []error{err}
	}
	for _, file := range read {
		o, err := c.read(system, file)
		switch {
		case err == nil:
		case place.Folder && o.IsEmpty() && !isOfObject(err) && !typed.Conceals(system, file, fluxGroups):
			leftOut(err)
			continue
		default:
			errs = append(errs, diag.Unjoin(err)...)
		}
		out = append(out, o)
	}
	return out, errs
}

// isOfObject reports whether an error is about one of Flux's objects, not about a file.
func isOfObject(err error) bool {
	return slices.ContainsFunc(diag.Unjoin(err), func(err error) bool {
		var known *diag.Error
		return errors.As(err, &known) && known.Object != ""
	})
}

// IsKnown reports whether objects of a kind are read.
func IsKnown(group, kind string) bool {
	switch group {
	case KustomizeGroup:
		return kind == "Kustomization"
	case HelmGroup:
		return kind == "HelmRelease"
	case ExtensionGroup:
		return kind == "ArtifactGenerator"
	case OperatorGroup:
		return kind == instanceKind || kind == ResourceSet
	}
	return group == SourceGroup && slices.Contains(sourceKinds, kind)
}

// add adds an object, if it is one of Flux's.
func (o *Objects) add(object typed.Object) error {
	if !IsKnown(object.Group, object.Kind) {
		return nil
	}
	if object.Group == OperatorGroup {
		o.addOperated(object)
		return nil
	}
	meta, err := readMeta(object)
	if err != nil {
		return err
	}
	if twice := object.Repeated; twice != nil {
		return twice.Fail(meta.String()) // the API server refuses it, and kustomize where it is built
	}
	switch object.Group {
	case KustomizeGroup:
		k := &Kustomization{Meta: meta}
		if err := k.decode(&k.Spec); err != nil {
			return err
		}
		k.Suspend = k.Spec.Suspend
		if err := k.check(); err != nil {
			return err
		}
		o.Kustomizations = append(o.Kustomizations, k)
		return nil
	case HelmGroup:
		r := &HelmRelease{Meta: meta}
		if err := r.decode(&r.Spec); err != nil {
			return err
		}
		r.Suspend = r.Spec.Suspend
		if err := r.check(); err != nil {
			return err
		}
		o.Releases = append(o.Releases, r)
		return nil
	case ExtensionGroup:
		g := &Generator{Meta: meta}
		o.Generators = append(o.Generators, g)
		return g.decode(&g.Spec)
	}
	s := &Source{Meta: meta}
	if err := s.decode(&s.Spec); err != nil {
		return err
	}
	s.Suspend = s.Spec.Suspend
	o.Sources = append(o.Sources, s)
	return nil
}

// readMeta decodes what all objects have.
func readMeta(o typed.Object) (Meta, error) {
	var head struct {
		Metadata struct {
			Name        string            `json:"name"`
			Namespace   string            `json:"namespace"`
			Labels      any               `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	err := typed.Decode(o.Fields, &head)
	meta := head.Metadata
	if err == nil {
		err = typed.CheckName(meta.Name, meta.Namespace)
	}
	if err != nil {
		return Meta{}, &diag.Error{Exit: diag.ExitInput, Object: manifest.Describe(o.Kind, meta.Namespace, meta.Name),
			Pos: o.Pos, Err: fmt.Errorf("read: %w", err)}
	}
	return Meta{Kind: o.Kind, Namespace: meta.Namespace, Name: meta.Name, Labels: textLabels(meta.Labels),
		Annotations: meta.Annotations, Pos: o.Pos, fields: o.Fields}, nil
}

// textLabels returns the labels of an object as kustomize-controller reads them when it adds its own: none where one of
// them is no text, so that all are lost in the cluster, and the object is applied.
func textLabels(labels any) map[string]string {
	var out map[string]string
	if typed.Decode(labels, &out) != nil {
		return nil
	}
	return out
}

// patchHint is the next step where an object is no whole one.
const patchHint = "A patch for another object is one under patches of a kustomization; an object of its own has a spec."

// decode decodes the object's spec.
func (m Meta) decode(spec any) error {
	if m.fields["spec"] == nil {
		return m.Fail(errors.New("read: it has no spec"), patchHint)
	}
	if err := typed.Decode(m.fields, spec, "spec"); err != nil {
		return m.Fail(fmt.Errorf("read spec: %w", err), "")
	}
	return nil
}
