// Package contain says which applications a process works on, to another process that watches it: where one of them
// ends the process, the watcher knows which it may have been.
package contain

import "context"

// Watch is told what is worked on.
type Watch interface {
	// Begin is called before anything is done with an application, and what it returns when that is done. Where it
	// returns an error, nothing is to be done with it.
	Begin(name string) (end func(), err error)
}

type watchKey struct{}

// With returns a context in which Begin reports to a watch.
func With(ctx context.Context, w Watch) context.Context { return context.WithValue(ctx, watchKey{}, w) }

// Named returns a context in which what is worked on is reported by one name: that by which people know it.
func Named(ctx context.Context, name string) context.Context {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		return With(ctx, named{w, name})
	}
	return ctx
}

type named struct {
	Watch
	name string
}

// Begin reports the name instead.
func (n named) Begin(string) (end func(), err error) { return n.Watch.Begin(n.name) }

// Begin reports an application to the watch of the context, where there is one.
func Begin(ctx context.Context, name string) (end func(), err error) {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		return w.Begin(name)
	}
	return func() {}, nil
}
