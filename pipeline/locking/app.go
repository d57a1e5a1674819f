package locking

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// App is an application whose secrets are to be locked, with what it fetches.
type App struct {
	*app.Application // which is stamped; its resolver has no part in this

	// Was is the application as its lock has other repositories; nil where that is as Application has them
	Was *app.Application

	// WasErr is why Was cannot be had, as where a commit of the lock is gone; what restarts is not known then.
	WasErr error

	refs []sources.Ref
}

// Collect renders an application, and returns it with what it fetches.
func Collect(ctx context.Context, a *app.Application) (*App, error) {
	result, err := run(ctx, a, lock.Draft{})
	if err != nil {
		return nil, err
	}
	return &App{Application: a, refs: withoutLive(a.Settings(), result.Asked)}, nil
}

// withoutLive drops what comes from stores which a rule has asked at each render.
func withoutLive(s *config.Settings, refs []sources.Ref) []sources.Ref {
	if s.Secrets.Value == config.PolicyLive || len(s.SecretRules.Value) == 0 {
		return refs
	}
	return slices.DeleteFunc(refs, func(ref sources.Ref) bool { return s.PolicyOf(&ref.Store) == config.PolicyLive })
}

// Fetches reports whether there is anything to lock.
func (a *App) Fetches() bool { return len(a.refs) > 0 }

// stores returns the store of each reference, as the application's render and context define it. Two clusters may each
// have one of the same name.
func (a *App) stores() map[string]string {
	out := map[string]string{}
	for _, ref := range a.refs {
		out[ref.ID()] = fmt.Sprintf("%s %q", ref.Store.Provider, ref.Store.Fields) // which prints a map in order
	}
	return out
}

// Locked is an application with the lock that is in force for it, as that was and as it becomes.
type Locked struct {
	*app.Application
	Was      *app.Application // see App
	WasErr   error            // see App
	Old, New *lock.File       // not to be changed
}

// Before renders the application as its lock was. What that lacks counts as a version of its own.
func (l Locked) Before(ctx context.Context) (*pipeline.Result, error) {
	if l.WasErr != nil {
		return nil, l.WasErr
	}
	return run(ctx, cmp.Or(l.Was, l.Application), lock.Draft{File: l.Old})
}

// After renders the application as its lock becomes.
func (l Locked) After(ctx context.Context) (*pipeline.Result, error) {
	return run(ctx, l.Application, lock.Draft{File: l.New})
}

// run renders an application with a resolver.
func run(ctx context.Context, a *app.Application, resolver sources.VersionResolver) (*pipeline.Result, error) {
	return pipeline.Run(ctx, a.WithStamping(a.Stamping().WithResolver(resolver).ToLock()))
}
