package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render"
)

// stackLimit is what the stacks of a process may use which nobody watches: more than one goroutine may in those that
// are watched, and a quarter of what the runtime allows, so that there is time to name the application.
const stackLimit = 2 * workers.MaxStack

// endAtOverflow has the process end with the name of an application whose render is about to overflow the stack. That
// costs no second process: one application is rendered in less time than a process takes to start.
func (p *program) endAtOverflow(ctx context.Context) context.Context {
	w := &inWork{names: map[string]int{}, files: map[string]string{}, places: map[string]string{}}
	go func() {
		if memory.AwaitStacks(ctx, stackLimit) {
			p.fail(w.overflowError())
			os.Exit(int(diag.ExitInput))
		}
	}()
	return contain.With(ctx, w)
}

// inWork is the applications that the process works on.
type inWork struct {
	mu    sync.Mutex
	names map[string]int
	// Of these, by their names: files that are evaluated, and where the applications are written.
	files, places map[string]string
}

// Begin notes an application, and refuses none.
func (w *inWork) Begin(name, place string) (end func(), err error) {
	w.add(name, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.places[name] = place
	return func() { w.add(name, -1) }, nil
}

// At notes the file of an application that is evaluated.
func (w *inWork) At(name, file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[name] = file
}

func (w *inWork) add(name string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names[name] += n; w.names[name] == 0 {
		delete(w.names, name)
	}
}

// overflowError returns the error of what overflows the stack, with the application where it can be one only.
func (w *inWork) overflowError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := slices.Sorted(maps.Keys(w.names))
	if len(names) == 1 {
		name := names[0]
		how := failed{workers.StackOverflow, w.files[name]}
		if place := w.places[name]; place != "" {
			name += ": " + place
		}
		return containedError(name, how)
	}
	what := "what is rendered calls itself without end"
	if len(names) > 0 {
		what = "what one of these applications renders calls itself without end: " + strings.Join(names, ", ")
	}
	return diag.Input(diag.Position{}, errors.New(what), render.RecursionHint)
}
