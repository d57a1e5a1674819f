// Package contain says which applications a process works on, to another process that watches it: where one of them
// ends the process, the watcher knows which it may have been.
package contain

import (
	"context"
	"sync/atomic"
	"time"
)

// Watch is told what is worked on.
type Watch interface {
	// Begin is called before anything is done with an application, and what it returns when that is done. Where it
	// returns an error, nothing is to be done with it. Its place is that of a file; "" where it is written in none.
	Begin(name, place string) (end func(), err error)
	// At is called with the file of an application that is evaluated next, and with "" after that.
	At(name, file string)
	// Late is called where an application is not finished in its time and goes on: nothing but the end of the process
	// stops it. What Begin returned is called then, too.
	Late(name string, after time.Duration)
}

type watchKey struct{}

// With returns a context in which Begin reports to a watch.
func With(ctx context.Context, w Watch) context.Context { return context.WithValue(ctx, watchKey{}, w) }

// Named returns a context in which what is worked on is reported by one name, that by which people know it, and the
// place where it is written, "" where there is none.
func Named(ctx context.Context, name, place string) context.Context {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		return With(ctx, named{w, name, place})
	}
	return ctx
}

type named struct {
	Watch
	name, place string
}

// Begin reports the name instead.
func (n named) Begin(string, string) (end func(), err error) { return n.Watch.Begin(n.name, n.place) }

// At reports the name instead.
func (n named) At(_, file string) { n.Watch.At(n.name, file) }

// Late reports the name instead.
func (n named) Late(_ string, after time.Duration) { n.Watch.Late(n.name, after) }

// Spelled returns a context in which files are reported as spell writes their names.
func Spelled(ctx context.Context, spell func(file string) string) context.Context {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		return With(ctx, spelled{w, spell})
	}
	return ctx
}

type spelled struct {
	Watch
	spell func(string) string
}

// At reports the file by another name.
func (s spelled) At(name, file string) { s.Watch.At(name, s.spell(file)) }

type workKey struct{}

// work is an application that is worked on.
type work struct {
	watch Watch // nil where nobody watches
	name  string
	file  atomic.Pointer[string]
}

// Begin reports an application to the watch of the context, where there is one. What it returns is the context of what
// is done with the application.
func Begin(ctx context.Context, name string) (within context.Context, end func(), err error) {
	w := &work{name: name}
	end = func() {}
	if watch, ok := ctx.Value(watchKey{}).(Watch); ok {
		w.watch = watch
		if end, err = watch.Begin(name, ""); err != nil {
			return ctx, nil, err
		}
	}
	return context.WithValue(ctx, workKey{}, w), end, nil
}

// At reports that a file of the context's application is evaluated next, by a language that may call itself or grow
// without end; "" that this is over.
func At(ctx context.Context, file string) {
	w, ok := ctx.Value(workKey{}).(*work)
	if !ok {
		return
	}
	w.file.Store(&file)
	if w.watch != nil {
		w.watch.At(w.name, file)
	}
}

// Late reports that the context's application goes on after its time.
func Late(ctx context.Context, after time.Duration) {
	if w, ok := ctx.Value(workKey{}).(*work); ok && w.watch != nil {
		w.watch.Late(w.name, after)
	}
}

// While returns ", while FILE was evaluated" where a file of the context's application is, else "".
func While(ctx context.Context) string {
	if w, ok := ctx.Value(workKey{}).(*work); ok && w.file.Load() != nil {
		return Evaluated(*w.file.Load())
	}
	return ""
}

// Evaluated returns ", while FILE was evaluated" for the end of an error, "" for no file.
func Evaluated(file string) string {
	if file == "" {
		return ""
	}
	return ", while " + file + " was evaluated"
}
