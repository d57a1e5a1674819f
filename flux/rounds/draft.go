package rounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/render"
)

// inputs are what the render of a member depends on, with the object that describes it and the files that it reads.
type inputs struct {
	Folder string
	Chart  string // of a release, as release.Chart.Identity
	Values []*values.Data
	Copied map[string]string // the files of an artifact that others are copied into
	Rules  string            // of what the artifact leaves out, as build.Rules
	Bare   bool              // it is built without patches that it has
}

// draft returns how a member is rendered, with the values that it takes.
func (s *Source) draft(ctx context.Context, m *member, found []*values.Data) (Draft, error) {
	if m.kustomization != nil {
		return s.draftKustomization(ctx, m, found)
	}
	return s.draftRelease(ctx, m, found)
}

// draftKustomization returns the draft of a Kustomization: the folder that spec.path names in its source.
func (s *Source) draftKustomization(ctx context.Context, m *member, found []*values.Data) (Draft, error) {
	k := m.kustomization
	if s.isBare(m) {
		k, m.inputs.Bare = bareKustomization(k, s.finder.Prefix)
	}
	t, err := s.finder.tree(ctx, k.Spec.SourceRef.In(k.Namespace))
	if err != nil {
		return Draft{}, err
	}
	dir, err := t.inside(k.Spec.Path)
	if err != nil {
		return Draft{}, err
	}
	if build.LeadsOut(k.Spec.Path) {
		m.reportAt(m.FieldPos(s.finder.system(), "path"), diag.FluxOutside, fmt.Sprintf(
			"spec.path %s leads out of the source, and is taken as %s there", k.Spec.Path, build.Local(k.Spec.Path)))
	}
	if m.folder = dir; t.copies != nil {
		m.inputs.Copied = t.copies.files
	}
	artifact, err := s.finder.artifact(t)
	if err != nil {
		return Draft{}, err
	}
	m.inputs.Rules = build.Rules(artifact)
	transforms := s.transforms(k, found, s.finder.Missing == MissingKept || m.isTrial)
	place, settings := s.settingsOf(t, dir)
	return Draft{
		Of: m.String(), Place: place, Folder: settings, Files: artifact, Path: dir,
		Complete: func(base render.Request, in Surroundings, _ *config.Settings) (Rendering, error) {
			request, err := build.Request(k, build.Tree{Files: artifact, Root: t.root, Path: k.Spec.Path}, base)
			if err != nil {
				return Rendering{}, err
			}
			all, engine := t.copies.transforms(), t.copies.engine(in.Engines[render.KindKustomize])
			d := build.NewDecryption(k, request, engine, in.Decrypter)
			if d != nil {
				request, engine, all = d.Request(), d.Engine(), append(all, d.Transforms()...)
			}
			return Rendering{Kind: render.KindKustomize, Engine: engine, Request: request,
				Decrypts: d.ReadsFiles(), Transforms: append(all, transforms...), Namespace: k.Spec.TargetNamespace}, nil
		},
	}, nil
}

// transforms returns what kustomize-controller does with what a Kustomization builds; keeps has variables without a
// value stay.
func (s *Source) transforms(k *objects.Kustomization, found []*values.Data, keeps bool) (out []render.Transform) {
	out = append(out, build.Refused(k), lint.ResourceSets)
	if len(k.Spec.Patches) > 0 {
		out = append(out, lint.Patches(k, s.finder.system()))
	}
	if b := k.Spec.PostBuild; b != nil {
		bad := refused(found)
		out = append(out, lint.Substitution(k, substitute.Variables(variables(k, found), substitute.Options{
			Strict: s.finder.Missing != MissingEmpty, KeepMissing: keeps, Refused: bad,
			Always: b.Strategy == "Always" || isMissingAny(b, found) || len(bad) > 0,
		})))
	}
	return append(out, substitute.CommonMetadata(build.Labels(k), build.Annotations(k)))
}

// isMissingAny reports whether variables that the cluster has are not known here.
func isMissingAny(b *objects.PostBuild, found []*values.Data) bool {
	for i, from := range b.SubstituteFrom {
		if !from.Optional && found[i] == nil {
			return true
		}
	}
	return false
}

// variables returns the variables of a Kustomization: its own ones count before those of objects, and of these the
// later ones.
func variables(k *objects.Kustomization, found []*values.Data) map[string]substitute.Var {
	out := map[string]substitute.Var{}
	for _, data := range found {
		if data == nil {
			continue
		}
		for _, key := range data.Keys() {
			value, _ := data.Get(key)
			out[key] = substitute.Var{Value: string(value), Secrecy: data.Secrecy(key), From: data.Ref.String()}
		}
	}
	for name, value := range k.Spec.PostBuild.Substitute {
		out[name] = substitute.Var{Value: value, From: k.String()}
	}
	return out
}

// failedName returns the error of a build with the field that brings a variable whose name none may have; other errors
// as they are.
func (m *member) failedName(err error, found []*values.Data) error {
	var name *substitute.NameError
	var known *diag.Error
	if !errors.As(err, &name) || !errors.As(err, &known) || m.kustomization == nil {
		return err
	}
	if _, own := m.kustomization.Spec.PostBuild.Substitute[name.Name]; own {
		return m.FailAt(known.Err, known.Hint, "postBuild", "substitute", name.Name)
	}
	for i, data := range slices.Backward(found) {
		if data == nil {
			continue
		}
		if _, has := data.Get(name.Name); has {
			return m.FailAt(known.Err, known.Hint, "postBuild", "substituteFrom", i)
		}
	}
	return err
}

// refused returns the objects that have variables with values that the API server refuses, by the variable.
func refused(found []*values.Data) map[string]string {
	out := map[string]string{}
	for _, data := range found {
		if data == nil {
			continue
		}
		for _, key := range data.Refused() {
			out[key] = data.String() + " of " + data.From
		}
	}
	return out
}

// folderOfKustomization returns the folder that spec.path of a Kustomization names; "" for anything else, and where
// it is not known.
func (s *Source) folderOfKustomization(ctx context.Context, m *member) string {
	if m.kustomization == nil {
		return ""
	}
	t, err := s.finder.tree(ctx, m.kustomization.Spec.SourceRef.In(m.kustomization.Namespace))
	if err != nil {
		return "" // it fails for its values before that is reported
	}
	dir, err := t.inside(m.kustomization.Spec.Path)
	if err != nil {
		return ""
	}
	return dir
}

// draftRelease returns the draft of a HelmRelease. The settings of the folder count that its object lies in: its chart
// may lie anywhere.
func (s *Source) draftRelease(ctx context.Context, m *member, found []*values.Data) (Draft, error) {
	r := m.release
	if s.isBare(m) {
		r, m.inputs.Bare = bareRelease(r, s.finder.Prefix)
	}
	all, err := s.releaseValues(m, found)
	if err != nil {
		return Draft{}, err
	}
	chart, err := release.Charts{Sources: s.finder, Repositories: s.finder.Repositories}.Find(ctx, r)
	if err != nil {
		return Draft{}, err
	}
	m.folder, m.inputs.Chart, m.amended = s.folderOf(m), chart.Identity, chart.Inputs
	if chart.Unknown != "" {
		m.report(diag.FluxChart, fmt.Sprintf("Flux adds %s to the version of its chart, and that is not known here",
			chart.Unknown))
	}
	if files.Within(s.finder.root, chart.Path) {
		m.folder = chart.Path
	}
	return Draft{
		Of: m.String(), Place: s.finder.At, Folder: s.folderOf(m), Files: chart.Files, Path: chart.Path,
		Complete: func(base render.Request, in Surroundings, set *config.Settings) (Rendering, error) {
			done, err := release.Request(r, chart, all, base, in.Engines)
			if err != nil {
				return Rendering{}, err
			}
			renamed := lint.Renamed(cmp.Or(int(set.Level.Value), config.MaxLevel), set.Kinds.Value)
			return Rendering{Kind: render.KindHelm, Request: done.Request,
				Transforms: append(done.Transforms, renamed), Namespace: release.Namespace(r)}, nil
		},
	}, nil
}

// releaseValues returns the values that a HelmRelease takes from objects, as far as they are there.
func (s *Source) releaseValues(m *member, found []*values.Data) (out []release.Values, err error) {
	for i, from := range m.release.Spec.ValuesFrom {
		if i >= len(found) || found[i] == nil {
			continue // optional, or reported
		}
		text, ok := found[i].Get(from.Key())
		if ok {
			out = append(out, release.Values{Index: i, Text: text, TargetPath: from.TargetPath, Literal: from.Literal,
				Secrecy: found[i].Secrecy(from.Key()), From: found[i].Ref.String() + " key " + from.Key()})
			continue
		}
		err := fmt.Errorf("spec.valuesFrom[%d]: %s has no key %s", i, found[i].Ref, diag.Quote(from.Key()))
		switch {
		case from.Optional:
		case s.finder.Missing == MissingKept:
			m.report(diag.FluxValues, err.Error())
		default:
			return nil, m.FailAt(err, "Correct valuesKey, or mark it as optional.", "valuesFrom", i)
		}
	}
	return out, nil
}

// placeOf returns the place of what lies in a tree.
func (s *Source) placeOf(t tree) app.Place {
	if files.Within(s.finder.root, t.root) {
		return s.finder.At
	}
	return app.Place{Files: t.files, Roots: &config.Roots{Files: t.files, Top: t.root}}
}

// settingsOf returns where the settings and the lock of a folder of a tree lie: where it was copied from, if that is
// the repository itself.
func (s *Source) settingsOf(t tree, dir string) (at app.Place, folder string) {
	if t.copies != nil {
		if from := t.copies.folder(dir); from != "" && files.Within(s.finder.root, from) {
			return s.finder.At, from
		}
	}
	return s.placeOf(t), dir
}

// folderOf returns the folder of the file that an object lies in, or else of the repository.
func (s *Source) folderOf(m *member) string {
	dir := filepath.Dir(m.Pos.File)
	if m.Pos.File == "" || m.Pos.File == "-" {
		return s.finder.root
	}
	if _, err := s.finder.system().Stat(dir); err != nil {
		return s.finder.root // of a render, whose files are not known
	}
	return dir
}

// reportUnwatched reports the objects with values whose changes Flux does not look for.
func (m *member) reportUnwatched(found []*values.Data) {
	for _, data := range found {
		if data == nil || !data.InManifest {
			continue
		}
		if f, ok := lint.Unwatched(*m.Meta, data.Ref.String(), data.Labels); ok {
			m.findings = append(m.findings, f)
		}
	}
}
