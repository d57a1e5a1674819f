package rounds

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/render"
)

var errNotYet = errors.New("HelmReleases are not rendered yet")

// inputs are what the render of a member depends on, with the object that describes it and the files that it reads.
type inputs struct {
	Folder string
	Values []*values.Data
}

// draft returns how a member is rendered, with the values that it takes.
func (s *Source) draft(ctx context.Context, m *member, found []*values.Data) (Draft, error) {
	if m.kustomization != nil {
		return s.draftKustomization(ctx, m, found)
	}
	return s.draftRelease(ctx, m, found)
}

// draftKustomization returns the draft of a Kustomization: the folder that spec.path names in its source.
func (s *Source) draftKustomization(ctx context.Context, m *member, _ []*values.Data) (Draft, error) {
	k := m.kustomization
	t, err := s.finder.tree(ctx, k.Spec.SourceRef.In(k.Namespace))
	if err != nil {
		return Draft{}, err
	}
	dir, err := t.inside(k.Spec.Path)
	if err != nil {
		return Draft{}, err
	}
	m.folder = dir
	return Draft{
		Of: m.String(), Place: s.placeOf(t), Folder: dir, Files: t.files, Path: dir,
		Complete: func(base render.Request, _ render.Engines) (Rendering, error) {
			return Rendering{Kind: render.KindAuto, Request: base, Namespace: k.Spec.TargetNamespace}, nil
		},
	}, nil
}

// draftRelease returns the draft of a HelmRelease.
func (s *Source) draftRelease(_ context.Context, m *member, _ []*values.Data) (Draft, error) {
	return Draft{}, m.Fail(errNotYet, "")
}

// placeOf returns the place of what lies in a tree.
func (s *Source) placeOf(t tree) app.Place {
	if t.root == s.finder.root {
		return s.finder.At
	}
	return app.Place{Files: t.files, Roots: &config.Roots{Files: t.files, Top: t.root}}
}

// folderOf returns the folder of the file that an object lies in, "" where that is not known.
func folderOf(m objects.Meta) string {
	if m.Pos.File == "" || m.Pos.File == "-" {
		return ""
	}
	return filepath.Dir(m.Pos.File)
}
