// Package fault turns a panic into an error that tells where it happened and nothing of the data that was at hand.
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

// Catch is deferred; where the function panics, its error becomes a *diag.Error with diag.ExitInternal. A panic's own
// words are kept only where the runtime chose them: any other may quote a value of the input.
func Catch(err *error) {
	if r := recover(); r != nil {
		*err = of(r)
	}
}

// of is the error of what was recovered, by the function that calls it.
func of(r any) *diag.Error {
	what := "panic"
	var re runtime.Error
	if e, ok := r.(error); ok && errors.As(e, &re) {
		what = re.Error()
	}
	return &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("internal fault: %s in %s", what, where()), Hint: hint}
}

// Beside runs do beside the caller, who need not wait for it: finished is false where ctx ends first, and do goes on alone. A panic of do
// becomes an error as Catch makes it, at the position of what is worked on.
func Beside[T any](ctx context.Context, at diag.Position, do func() (T, error)) (out T, finished bool, err error) {
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				e := of(p)
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
	const most = 4
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	var names []string
	for len(names) < most {
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
