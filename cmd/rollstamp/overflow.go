package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// stackLimit is what the stacks of a process may use which nobody watches: more than one goroutine may in those that
// are watched, and a quarter of what the runtime allows, so that there is time to name the application.
const stackLimit = 2 * workers.MaxStack

// endAtOverflow has the process end with the name of an application whose render is about to overflow the stack. That
// costs no second process: one application is rendered in less time than a process takes to start.
func (w *inWork) endAtOverflow(ctx context.Context, p *program) context.Context {
	go func() {
		if memory.AwaitStacks(ctx, stackLimit) {
			p.fail(w.overflowError())
			os.Exit(int(diag.ExitInput))
		}
	}()
	return contain.With(ctx, w)
}

// endAnyway has the process end that was told to, because it uses too much memory, and that goes on to use more: not
// all that a run does looks up from its work.
func (w *inWork) endAnyway(p *program, e memory.Exceeded) {
	const most = 2 * time.Second // that a run takes to end, and to name what it worked on
	<-time.After(most)
	e.Used = memory.AwaitUse(e.Used + e.Limit/8)
	p.fail(w.exceededError(e))
	os.Exit(int(diag.ExitInput))
}

// inWork is the applications that the process works on.
type inWork struct {
	mu   sync.Mutex
	apps map[string]*atWork // by their names
}

// atWork is an application that the process works on.
type atWork struct {
	times int    // at once
	place string // where it is written; "" for no file
	file  string // that is evaluated; "" for none
}

// Begin notes an application, and refuses none.
func (w *inWork) Begin(name, place string) (end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.apps[name]
	if a == nil {
		a = &atWork{}
		w.apps[name] = a
	}
	a.times++
	a.place = place
	return func() { w.end(name) }, nil
}

func (w *inWork) end(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.apps[name].times--; w.apps[name].times == 0 {
		delete(w.apps, name)
	}
}

// At notes the file of an application that is evaluated.
func (w *inWork) At(name, file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.apps[name]; a != nil {
		a.file = file
	}
}

// Late leaves an application among those that are worked on: it may still overflow the stack.
func (w *inWork) Late(name string, _ time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.apps[name]; a != nil {
		a.times++
	}
}

// overflowError returns the error of what overflows the stack, with the application where it can be one only.
func (w *inWork) overflowError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := slices.Sorted(maps.Keys(w.apps))
	if len(names) == 1 {
		name := names[0]
		of := w.apps[name]
		if of.place != "" {
			name += ": " + of.place
		}
		return containedError(name, failed{Cause: workers.StackOverflow, File: of.file})
	}
	what := "what is rendered calls itself without end"
	if len(names) > 0 {
		what = "what one of these applications renders calls itself without end: " + strings.Join(names, ", ")
	}
	return diag.Input(diag.Position{}, errors.New(what), render.RecursionHint)
}

// exceededError returns the error of what uses too much memory, with the applications that are worked on.
func (w *inWork) exceededError(e memory.Exceeded) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	names, pos, while := slices.Sorted(maps.Keys(w.apps)), diag.Position{}, ""
	switch len(names) {
	case 0:
	case 1:
		pos.File, while = names[0], contain.Evaluated(w.apps[names[0]].file)
	default:
		while = ", while it worked on " + strings.Join(names, ", ")
	}
	return diag.Input(pos, fmt.Errorf("interrupted: %w%s", e, while), pipeline.MemoryHint)
}
