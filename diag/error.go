package diag

import (
	"errors"
	"strconv"
	"strings"
)

// Position is a place in an input that a person can open. Lines count from 1; 0 means that none is known. Without a
// file, Line is that of a text that has none, as a render.
type Position struct {
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	RenderLine int    `json:"renderLine,omitempty"` // in the text that was made of File, where its line there is not known
}

// OfRender reports whether all that is known is a line of the render.
func (p Position) OfRender() bool { return p.File == "" && p.Line > 0 }

// String returns "file:line", "file (line N of the render)", "file", "line N of the render" where its file is not
// known, or "" when nothing is.
func (p Position) String() string {
	switch {
	case p.OfRender():
		return ofRender(p.Line)
	case p.Line > 0:
		return p.File + ":" + strconv.Itoa(p.Line)
	case p.RenderLine > 0:
		return p.File + " (" + ofRender(p.RenderLine) + ")"
	}
	return p.File
}

func ofRender(line int) string { return "line " + strconv.Itoa(line) + " of the render" }

// Error is a failure with all that a person needs to mend it. It prints in one line: object, position, cause.
// The hint is printed on a line of its own, by whoever ends the program.
type Error struct {
	Exit   Exit     // what the process ends with; ExitOK here means ExitInput
	Object string   // "Kind namespace/name", or ""
	Pos    Position // where in the input, as far as known
	Err    error    // the cause; never holds a secret's value
	Hint   string   // the next step, one sentence, or ""
}

func (e *Error) Error() string {
	var parts []string
	if e.Object != "" {
		parts = append(parts, e.Object)
	}
	if p := e.Pos.String(); p != "" {
		parts = append(parts, p)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

func (e *Error) Unwrap() error { return e.Err }

// IsSameFailure reports whether two errors are one, wherever the object stands that they are about.
func IsSameFailure(a, b error) bool {
	var x, y *Error
	if errors.As(a, &x) && errors.As(b, &y) && x.Object == y.Object && x.Err.Error() == y.Err.Error() {
		return true
	}
	return a.Error() == b.Error()
}

// Usage is an error in what the user asked for: flags, environment, configuration.
func Usage(err error, hint string) error { return &Error{Exit: ExitUsage, Err: err, Hint: hint} }

// UsageAt is an error in a configuration file, at a position.
func UsageAt(pos Position, err error, hint string) error {
	return &Error{Exit: ExitUsage, Pos: pos, Err: err, Hint: hint}
}

// Input is an error in what was to be read or rendered, at a position.
func Input(pos Position, err error, hint string) error {
	return &Error{Exit: ExitInput, Pos: pos, Err: err, Hint: hint}
}

// Source is an error of a store, a registry or the network.
func Source(err error, hint string) error { return &Error{Exit: ExitSource, Err: err, Hint: hint} }

// ExitOf returns the exit code for err: ExitOK for nil, that of the first *Error in its chain, else ExitInternal.
// Of several joined errors the highest code counts, so that a fault of ours is never hidden behind a user's.
func ExitOf(err error) Exit {
	if err == nil {
		return ExitOK
	}
	for ; err != nil; err = errors.Unwrap(err) {
		switch e := err.(type) { //nolint:errorlint // the loop itself goes down the chain
		case *Error:
			if e.Exit == ExitOK {
				return ExitInput
			}
			return e.Exit
		case interface{ Unwrap() []error }:
			worst := ExitInternal
			for i, one := range e.Unwrap() {
				if code := ExitOf(one); i == 0 || code > worst {
					worst = code
				}
			}
			return worst
		}
	}
	return ExitInternal
}

// Unjoin returns the errors that are joined in one, however deeply; none for nil.
func Unjoin(err error) (out []error) {
	if err == nil {
		return nil
	}
	many, joined := err.(interface{ Unwrap() []error })
	if !joined {
		return []error{err}
	}
	for _, one := range many.Unwrap() {
		out = append(out, Unjoin(one)...)
	}
	return out
}

// Join returns errors as one: itself where there is one, nil where there is none.
func Join(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// MapErrors returns f of err, or, where errors are joined in it, the joined errors with f applied to each.
func MapErrors(err error, f func(error) error) error {
	many, joined := err.(interface{ Unwrap() []error })
	if !joined {
		return f(err)
	}
	var out []error
	for _, one := range many.Unwrap() {
		out = append(out, MapErrors(one, f))
	}
	return errors.Join(out...)
}

// RewriteError returns an error, or each of those that are joined in it, with what becomes of its texts. What stays as
// it is keeps the errors that it wraps.
func RewriteError(err error, text func(string) string) error {
	return MapErrors(err, func(one error) error {
		e, ok := one.(*Error) //nolint:errorlint // one that is wrapped has words before it that a copy would lose
		if !ok {
			return rewriteCause(one, text)
		}
		changed := *e
		changed.Object, changed.Hint = text(e.Object), text(e.Hint)
		changed.Err = rewriteCause(e.Err, text)
		return &changed
	})
}

func rewriteCause(err error, text func(string) string) error {
	if err == nil {
		return nil
	}
	if words := text(err.Error()); words != err.Error() {
		return &Error{Exit: ExitOf(err), Err: errors.New(words), Hint: text(HintOf(err))}
	}
	return err
}

// CauseOf returns an error without the object, position and hint that it is reported with.
func CauseOf(err error) error {
	var known *Error
	if errors.As(err, &known) && known.Err != nil {
		return known.Err
	}
	return err
}

// HintOf returns the first next step in err's chain, or "".
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}
