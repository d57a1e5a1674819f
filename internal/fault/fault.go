// Package fault turns a panic into an error that says where it happened and quotes none of the data.
package fault

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

const hint = "This is a fault of rollstamp. Please report it with this line, 'rollstamp version' and, if you can, the input."

// Catch is deferred; where the function panics, its error becomes a *diag.Error with diag.ExitInternal. The panic's
// message is part of it only where the runtime chose the words: any other may quote a value of the input.
func Catch(err *error) {
	if r := recover(); r != nil {
		*err = newError(r)
	}
}

// newError returns the error for a recovered value. Only a deferred function may call it: it reads the stack.
func newError(r any) *diag.Error {
	what := "panic"
	var re runtime.Error
	if e, ok := r.(error); ok && errors.As(e, &re) {
		what = re.Error()
	}
	return &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("internal fault: %s in %s", what, where()), Hint: hint}
}

// RunDetached runs do in a goroutine and waits until it returns or ctx ends. Where ctx ends first, finished is false
// and do goes on running. A panic of do becomes an error as in Catch, at the given position.
func RunDetached[T any](ctx context.Context, at diag.Position, do func() (T, error)) (out T, finished bool, err error) {
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				e := newError(p)
				e.Pos = at
				r.err = e
			}
			done <- r
		}()
		r.out, r.err = do()
	}()
	select {
	case r := <-done:
		return r.out, true, r.err
	case <-ctx.Done():
		return out, false, nil
	}
}

// where names the function that panicked and its callers, nearest first.
func where() string {
	const maxNames = 4
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	var names []string
	for len(names) < maxNames {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			names = append(names, fmt.Sprintf("%s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return strings.Join(names, " < ")
}
