package locking

import (
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// App is an application whose secrets are to be locked.
type App struct {
	*app.Application // which is stamped; its resolver has no part in this

	refs []sources.Ref
	lock *lock.Update
}

// Collect renders the application and remembers what it fetches.
func (a *App) Collect(ctx context.Context) error {
	var nothing lock.Draft
	_, err := a.plan(ctx, &nothing)
	a.refs = nothing.Asked
	return err
}

// Fetches reports whether there is anything to lock.
func (a *App) Fetches() bool { return len(a.refs) > 0 }

// Before renders the application as its lock was, where Update has succeeded. What that lacks counts as a version of
// its own.
func (a *App) Before(ctx context.Context) (*pipeline.Result, error) {
	return a.plan(ctx, &lock.Draft{File: a.lock.Old()})
}

// After renders the application as its lock becomes.
func (a *App) After(ctx context.Context) (*pipeline.Result, error) {
	return a.plan(ctx, &lock.Draft{File: a.lock.New()})
}

// plan renders the application with a resolver.
func (a *App) plan(ctx context.Context, outside sources.VersionResolver) (*pipeline.Result, error) {
	return pipeline.Run(ctx, a.WithStamping(a.Stamping().WithResolver(outside)))
}

// stores returns the store of each reference, as the application's render and context define it. Two clusters may each
// have one of the same name.
func (a *App) stores() map[string]string {
	out := map[string]string{}
	for _, ref := range a.refs {
		out[ref.ID()] = fmt.Sprintf("%s %q", ref.Store.Provider, ref.Store.Fields) // which prints a map in order
	}
	return out
}
