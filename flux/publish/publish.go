// Package publish makes of Flux's applications what an artifact or a branch holds for Flux to apply: each object once.
package publish

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// Run is the applications of a run that Flux's objects describe.
type Run interface {
	app.Described

	// IsPublished reports whether what an application renders is published. The others are rendered to be read.
	IsPublished(name string) bool
}

// Source is the applications of a run as they are published. What a Kustomization renders lacks the Kustomizations
// whose renders are published, too; a HelmRelease in it has the stamps of what its chart renders, as patches; and no
// variable in it is substituted again.
type Source struct {
	Run

	secrets Secrets
	find    sync.Once
	byName  map[string]*member
	byID    map[string][]*member // several, where they are in different clusters
}

// Secrets is what becomes of names that are published and hold a value of a Secret which was decrypted.
type Secrets int

// Such a name is an error, or is written as it is.
const (
	Refused Secrets = iota
	InClear
)

// New returns the applications of a run as they are published.
func New(run Run, secrets Secrets) *Source { return &Source{Run: run, secrets: secrets} }

// member is an application of the run.
type member struct {
	name, id string // id is the object that describes it, as errors name it
	app      *app.Application
	err      error
	secrets  Secrets

	once       sync.Once
	stamps     []patches.Stamps
	failed     error // why there are no stamps
	unrendered bool  // because it fails itself, as an application of the run
}

// Application returns the one of a name, as it is published.
func (s *Source) Application(ctx context.Context, name string) (*app.Application, error) {
	return s.application(ctx, name, nil)
}

func (s *Source) application(ctx context.Context, name string, before *before) (*app.Application, error) {
	a, err := s.Run.Application(ctx, name)
	if err != nil || !s.IsPublished(name) {
		return a, err
	}
	if err := s.findAll(ctx); err != nil {
		return nil, err
	}
	return a.WithTransform(transformer{s, s.byName[name], before}.transform), nil
}

// Unapplied returns the HelmReleases that no Kustomization of the run applies: nothing of them is published.
func (s *Source) Unapplied(ctx context.Context) (ids []string, err error) {
	names, err := s.Names(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.findAll(ctx); err != nil {
		return nil, err
	}
	for _, name := range names {
		if m := s.byName[name]; m.app != nil && m.app.Origin().Parent == "" && !s.IsPublished(name) {
			ids = append(ids, m.id)
		}
	}
	return ids, nil
}

// findAll finds the applications by their objects.
func (s *Source) findAll(ctx context.Context) error {
	names, err := s.Names(ctx)
	if err != nil {
		return err
	}
	s.find.Do(func() {
		s.byName, s.byID = map[string]*member{}, map[string][]*member{}
		for _, name := range names {
			m := &member{name: name, secrets: s.secrets}
			if of := s.Objects(name); len(of) > 0 {
				m.id = of[0]
			}
			m.app, m.err = s.Run.Application(ctx, name)
			s.byName[name] = m
			s.byID[m.id] = append(s.byID[m.id], m)
		}
	})
	return nil
}

// describedBy returns the application that an object in the render of a Kustomization describes, nil where it describes
// none.
func (s *Source) describedBy(o manifest.Object, in *member) *member {
	if !patches.Takes(o) {
		return nil
	}
	all := s.byID[manifest.Describe(o.Kind, cmp.Or(o.Namespace, in.namespace()), o.Name)]
	for _, m := range all {
		if m.app != nil && m.app.Origin().Parent == in.name {
			return m
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// prefix returns what the keys of stamps begin with, in what the object describes.
func (m *member) prefix() hashing.Prefix {
	if m.app == nil {
		return hashing.Prefix{}
	}
	return app.StampPrefix(m.app.Settings())
}

// namespace returns where objects lie that are rendered without a namespace.
func (m *member) namespace() string {
	own, _, _ := strings.Cut(m.name, "/")
	return cmp.Or(m.app.Request().Namespace, own)
}
