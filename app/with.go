package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
)

// with returns a copy that differs in what change sets.
func (a *Application) with(change func(*Spec)) *Application {
	spec := a.spec
	change(&spec)
	return &Application{spec}
}

// WithName returns the application under another name.
func (a *Application) WithName(name string) *Application {
	return a.with(func(s *Spec) { s.Name = name })
}

// WithKind returns the application rendered as kind, whatever its files are.
func (a *Application) WithKind(kind render.Kind) *Application {
	return a.with(func(s *Spec) { s.Kind = kind })
}

// WithEarlier returns the application with what reads the manifests that were rendered of it before.
func (a *Application) WithEarlier(read func(context.Context) (Earlier, error)) *Application {
	return a.with(func(s *Spec) { s.Earlier = read })
}

// WithSharedEarlier returns the application with what reads the manifests that were rendered before of it and of
// others, in one file.
func (a *Application) WithSharedEarlier(read func(context.Context) (Earlier, error)) *Application {
	return a.with(func(s *Spec) { s.Earlier, s.EarlierShared = read, true })
}

// WithEngines returns the application with the engines that may render it. What others rendered is not theirs.
func (a *Application) WithEngines(engines render.Engines) *Application {
	return a.with(func(s *Spec) { s.Engines, s.Renders = engines, nil })
}

// WithRenders returns the application with a cache of what its engines rendered.
func (a *Application) WithRenders(cache *rendercache.View) *Application {
	return a.with(func(s *Spec) { s.Renders = cache })
}

// WithEngine returns the application with another engine for a kind, of which nothing is cached.
func (a *Application) WithEngine(kind render.Kind, engine render.Engine) *Application {
	return a.with(func(s *Spec) {
		s.Engines = maps.Clone(s.Engines)
		if s.Engines == nil {
			s.Engines = render.Engines{}
		}
		s.Engines[kind], s.Renders = engine, nil
	})
}

// WithRequest returns the application with another question to its engine. The request is taken as it is.
func (a *Application) WithRequest(r render.Request) *Application {
	return a.with(func(s *Spec) { s.Request = &r })
}

// WithoutSecondRender returns the application rendered once: what is random in it stays unknown.
func (a *Application) WithoutSecondRender() *Application {
	r := a.Request()
	r.Once = true
	return a.WithRequest(r)
}

// WithoutTransforms returns the application whose render is read as its engine returns it.
func (a *Application) WithoutTransforms() *Application {
	return a.with(func(s *Spec) { s.Transforms = nil })
}

// WithEngineAlone returns the application as its engine renders it: nothing changes that, and nothing is stamped.
func (a *Application) WithEngineAlone() *Application {
	return a.with(func(s *Spec) {
		s.Transforms, s.Stamping, s.Alike, s.Findings = nil, nil, nil, nil
		s.Origin, s.DependsOn, s.Earlier = Origin{}, nil, nil
	})
}

// WithTransform returns the application whose render is changed once more, after everything else.
func (a *Application) WithTransform(t render.Transform) *Application {
	return a.with(func(s *Spec) { s.Transforms = append(slices.Clip(s.Transforms), t) })
}

// WithStream returns the application whose manifests are out, which no engine renders.
func (a *Application) WithStream(out *render.Output) *Application {
	return a.with(func(s *Spec) { s.Stream = out })
}

// WithSettings returns the application under other settings. What an engine is asked stays as it is.
func (a *Application) WithSettings(settings *config.Settings) *Application {
	return a.with(func(s *Spec) { s.Settings, s.Alike = settings, nil })
}

// WithStamping returns the application stamped in that way.
func (a *Application) WithStamping(stamping Stamping) *Application {
	return a.with(func(s *Spec) {
		if s.Stamping != nil && s.Stamping.Key != stamping.Key {
			s.Alike = nil
		}
		s.Stamping = &stamping
	})
}

// ToReport returns the application for a run that writes nothing; as it is where it is not stamped.
func (a *Application) ToReport() *Application {
	if a.spec.Stamping == nil {
		return a
	}
	return a.WithStamping(a.spec.Stamping.ToReport())
}

// ToRetain returns the application for a run whose result is looked at under other settings; as it is where it is not
// stamped.
func (a *Application) ToRetain() *Application {
	if a.spec.Stamping == nil {
		return a
	}
	return a.WithStamping(a.spec.Stamping.ToRetain())
}

// WithoutStamping returns the application rendered only.
func (a *Application) WithoutStamping() *Application {
	return a.with(func(s *Spec) { s.Stamping = nil })
}

// WithFindings returns the application with further findings about its settings or how it was found.
func (a *Application) WithFindings(more ...diag.Finding) *Application {
	return a.with(func(s *Spec) { s.Findings = slices.Concat(s.Findings, more) })
}

// WithValuesRead returns the application in a cluster of which the run reads these objects for values.
func (a *Application) WithValuesRead(all Objects) *Application {
	return a.with(func(s *Spec) { s.ValuesRead = all })
}

// WithTimeout returns the application with another limit; 0 is none.
func (a *Application) WithTimeout(limit time.Duration) *Application {
	return a.with(func(s *Spec) { s.Timeout = limit })
}

// WithFile returns the application whose manifests go to a file.
func (a *Application) WithFile(file string) *Application {
	return a.with(func(s *Spec) { s.File = file })
}

// WithDependsOn returns the application applied after others, by their names.
func (a *Application) WithDependsOn(names ...string) *Application {
	return a.with(func(s *Spec) { s.DependsOn = names })
}

// Destination returns the cluster that the application is applied to.
func (a *Application) Destination() Destination { return a.spec.Destination }

// WithDestination returns the application applied to another cluster.
func (a *Application) WithDestination(d Destination) *Application {
	return a.with(func(s *Spec) { s.Destination = d })
}

// Leaves returns why objects stay in the cluster whose manifests are gone.
func (a *Application) Leaves() Leaves { return a.spec.Leaves }

// WithLeaves returns the application whose engine leaves other objects.
func (a *Application) WithLeaves(l Leaves) *Application {
	return a.with(func(s *Spec) { s.Leaves = l })
}
