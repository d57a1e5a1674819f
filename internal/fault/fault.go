// Package fault turns a panic into an error that tells where it happened and nothing of the data that was at hand.
package fault

import (
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
	r := recover()
	if r == nil {
		return
	}
	what := "panic"
	var re runtime.Error
	if e, ok := r.(error); ok && errors.As(e, &re) {
		what = re.Error()
	}
	*err = &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("internal fault: %s in %s", what, where()), Hint: hint}
}

// where names the function that panicked and its callers, nearest first.
func where() string {
	const most = 4
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
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
